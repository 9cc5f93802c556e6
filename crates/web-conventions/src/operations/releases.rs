//! Releases of the API: the one that the server runs, and the parameters and responses of others.

use std::fmt;
use std::rc::Rc;

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::{Error, HttpMessage as _, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use api_conventions::release::{Edition, Release};
use serde_json::Value;

use super::declaration::Declaration;

/// Releases in which requests are answered. A host implements this; one with a single release uses [`OneRelease`].
pub trait Releases: 'static {
    /// Returns the edition that the server runs.
    fn own(&self) -> Edition;

    /// Returns the edition that a request asks for, if it is not the one that the server runs.
    ///
    /// # Errors
    /// The refusal of a request for an unknown release.
    fn requested_edition(&self, request: &HttpRequest) -> Result<Option<Edition>, Error>;

    /// Returns the path and the edition for a path of another API version; `None` for all other paths.
    fn other_version(&self, path: &str) -> Option<(String, Edition)> {
        let _ = path;
        None
    }

    /// Returns the adaptation of an operation to other releases; `None` if it is the same in all of them.
    fn adapter(&self, declaration: &Declaration) -> Option<Rc<dyn OperationAdapter>>;
}

/// Parameters and responses of one operation in each release. The handler implements those of all releases.
pub trait OperationAdapter: fmt::Debug + 'static {
    /// True if an edition has the operation.
    fn is_available(&self, at: Edition) -> bool;

    /// Converts parameters from a client of an edition into those that the handler reads.
    ///
    /// # Errors
    /// 400 for parameters that the edition does not accept.
    fn adapt_request(
        &self,
        request: &HttpRequest,
        at: Edition,
        params: Params,
    ) -> Result<Params, ApiError>;

    /// True if responses of an edition differ from those of the handler.
    fn changes_responses(&self, at: Edition) -> bool;

    /// Converts a response of the handler into that of an edition.
    fn adapt_response(&self, at: Edition, body: &mut Value);

    /// Adds headers that announce the planned removal of parts of the request or the response.
    fn finish(&self, at: Edition, answer: &mut ServiceResponse<BoxBody>);
}

/// Releases of a host whose operations are the same in all releases.
#[derive(Debug, Clone, Copy)]
pub struct OneRelease;

impl Releases for OneRelease {
    fn own(&self) -> Edition {
        Edition::of(Release::LATEST)
    }

    fn requested_edition(&self, _: &HttpRequest) -> Result<Option<Edition>, Error> {
        Ok(None)
    }

    fn adapter(&self, _: &Declaration) -> Option<Rc<dyn OperationAdapter>> {
        None
    }
}

/// Adaptation of a request, in the request's extensions. Only requests that are adapted have it.
#[derive(Debug, Clone)]
pub(super) struct RequestAdaptation {
    pub(super) edition: Edition,
    pub(super) adapter: Rc<dyn OperationAdapter>,
}

/// Edition of a request, if it is not the one that the server runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct OtherEdition(pub(super) Edition);

/// Returns the edition of a request, if it asks for a release other than the server's.
pub fn other_edition_of(request: &HttpRequest) -> Option<Edition> {
    let extensions = request.extensions();
    extensions.get::<OtherEdition>().map(|other| other.0)
}

/// Converts the parameters of a request into those of the newest release.
/// [`validate_params`](super::validate_params) calls it.
///
/// # Errors
/// 400 for parameters that the edition of the request does not accept.
pub fn adapt_params(request: &HttpRequest, params: Params) -> Result<Params, ApiError> {
    let adapted = request.extensions().get::<RequestAdaptation>().cloned();
    match adapted {
        Some(adapted) => adapted
            .adapter
            .adapt_request(request, adapted.edition, params),
        None => Ok(params),
    }
}
