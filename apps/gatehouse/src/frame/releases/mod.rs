//! Releases as which requests are answered, and the differences between them (`DEPR-04`).
//!
//! The records of the crate `deprecations` list what each release accepts and returns. Parameters and fields are
//! adapted around the handlers; a handler with other differences between releases checks a
//! [`Behaviour`](crate::state::Behaviour) by its name.

mod adaptation;
mod headers;
mod legacy;
mod uses;

use std::rc::Rc;

use actix_web::http::header::HeaderName;
use actix_web::{Error, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::release::Edition;
use deprecations::adapt::Adaptation as Records;
use deprecations::edition_named;
use web_conventions::operations::{Declaration, OperationAdapter, Releases};

use self::adaptation::OperationRecords;
use super::oauth_failure::refuse;
use crate::state::ServedReleases;

pub use self::headers::add_edition;
pub use self::legacy::redirect_old_address;
pub use self::uses::used_in;

/// Header that selects another release in a request, and names the release in the response.
pub const HEADER: HeaderName = HeaderName::from_static("gatehouse-release");

/// Path of the preview of the next API version.
const PREVIEW: &str = "/api/v5/";

/// Path of the API.
const API: &str = "/api/v4/";

impl Releases for ServedReleases {
    fn own(&self) -> Edition {
        self.own()
    }

    fn requested_edition(&self, request: &HttpRequest) -> Result<Option<Edition>, Error> {
        let Some(header) = request.headers().get(HEADER) else {
            return Ok(None);
        };
        let text = header.to_str().unwrap_or_default().trim();
        let edition = edition_named(text).map_err(|unknown| {
            let reason = format!("the header Gatehouse-Release is not valid: {unknown}");
            refuse(request, ApiError::bad_request(&reason))
        })?;
        Ok(Some(edition))
    }

    fn other_version(&self, path: &str) -> Option<(String, Edition)> {
        let rest = path.strip_prefix(PREVIEW).filter(|_| self.has_preview())?;
        let preview = Edition::preview(self.own().release);
        Some((format!("{API}{rest}"), preview))
    }

    fn adapter(&self, declaration: &Declaration) -> Option<Rc<dyn OperationAdapter>> {
        let records = Records::of(
            self.schedule(),
            declaration.method.as_str(),
            declaration.path,
        )?;
        Some(Rc::new(OperationRecords::new(
            records,
            declaration,
            self.base_url(),
        )))
    }
}
