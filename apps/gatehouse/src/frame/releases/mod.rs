//! As which release a request is answered, and what that changes (`DEPR-04`).
//!
//! The records of the crate `deprecations` say what each release takes and answers. Parameters and fields are adapted around the
//! handlers; a handler that does something otherwise in another release asks for a [`Behaviour`] by its name.

mod adaptation;
mod behaviour;
mod headers;
mod legacy;
mod used;

use std::rc::Rc;
use std::sync::Arc;

use actix_web::{Error, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::release::{Edition, Release};
use deprecations::adapt::Adaptation as Records;
use deprecations::{Schedule, edition_named};
use web_conventions::operations::{Adaptation, Declaration, Releases, other_edition_of};

use self::adaptation::OfOperation;
use super::oauth_failure::refuse;

use self::behaviour::Behaviours;

pub use self::behaviour::Behaviour;
pub use self::headers::add_edition;
pub use self::legacy::lead_on;
pub use self::used::used_in;

/// The header in which a request asks for another release, and in which its answer says which it is.
pub const HEADER: &str = "gatehouse-release";

/// Where the preview of the next version of the API is.
const PREVIEW: &str = "/api/v5/";

/// Where the API is.
const API: &str = "/api/v4/";

/// As which releases the server answers.
#[derive(Debug, Clone)]
pub struct ServedReleases {
    schedule: &'static Schedule,
    behaviours: Behaviours,
    own: Edition,
    has_preview: bool,
    base_url: Arc<str>,
}

impl ServedReleases {
    /// A server that runs as a release, by the published schedule.
    pub fn new(own: Release, has_preview: bool, base_url: &str) -> Self {
        let schedule = deprecations::published();
        Self {
            schedule,
            behaviours: Behaviours::of(schedule),
            own: Edition::of(own),
            has_preview,
            base_url: base_url.into(),
        }
    }

    /// The schedule.
    pub fn schedule(&self) -> &'static Schedule {
        self.schedule
    }

    /// As what the server runs.
    pub fn own(&self) -> Edition {
        self.own
    }

    /// As what a request is answered.
    pub fn of(&self, request: &HttpRequest) -> Edition {
        other_edition_of(request).unwrap_or(self.own)
    }

    /// Whether the server itself behaves in a way, whatever a request asks for.
    pub fn has(&self, behaviour: Behaviour) -> bool {
        self.behaviours.has(behaviour, self.own)
    }

    /// Whether a request is answered by a behaviour.
    pub fn has_for(&self, request: &HttpRequest, behaviour: Behaviour) -> bool {
        self.behaviours.has(behaviour, self.of(request))
    }
}

impl Releases for ServedReleases {
    fn own(&self) -> Edition {
        self.own
    }

    fn asked(&self, request: &HttpRequest) -> Result<Option<Edition>, Error> {
        let Some(header) = request.headers().get(HEADER) else {
            return Ok(None);
        };
        let text = header.to_str().unwrap_or_default().trim();
        let edition = edition_named(text).map_err(|unknown| {
            let reason = format!("the header Gatehouse-Release is wrong: {unknown}");
            refuse(request, ApiError::bad_request(&reason))
        })?;
        Ok(Some(edition))
    }

    fn other_version(&self, path: &str) -> Option<(String, Edition)> {
        let rest = path.strip_prefix(PREVIEW).filter(|_| self.has_preview)?;
        let preview = Edition::preview(self.own.release);
        Some((format!("{API}{rest}"), preview))
    }

    fn adaptation(&self, declaration: &Declaration) -> Option<Rc<dyn Adaptation>> {
        let records = Records::of(self.schedule, declaration.method.as_str(), declaration.path)?;
        Some(Rc::new(OfOperation::new(
            records,
            declaration,
            Arc::clone(&self.base_url),
        )))
    }
}
