//! As which release a server answers, and what other releases take and answer.

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

/// As which release requests are answered. A host decides; one with a single release has [`OneRelease`].
pub trait Releases: 'static {
    /// As what the server runs.
    fn own(&self) -> Edition;

    /// As what a request wants to be answered, where that is not as what the server runs.
    ///
    /// # Errors
    /// The refusal of a request that asks for a release that there is not.
    fn asked(&self, request: &HttpRequest) -> Result<Option<Edition>, Error>;

    /// Where a path leads that belongs to another version of the API, and as what it is answered; `None` for all other paths.
    fn other_version(&self, path: &str) -> Option<(String, Edition)> {
        let _ = path;
        None
    }

    /// What other releases take and answer of an operation; `None` where all do the same.
    fn adaptation(&self, declaration: &Declaration) -> Option<Rc<dyn Adaptation>>;
}

/// What releases take and answer of one operation. The handler does all that any of them does.
pub trait Adaptation: fmt::Debug + 'static {
    /// Whether an edition has the operation.
    fn is_alive(&self, at: Edition) -> bool;

    /// Turns parameters as a client of an edition sends them into those that the handler takes.
    ///
    /// # Errors
    /// 400 for what the edition does not take.
    fn adapt_request(
        &self,
        request: &HttpRequest,
        at: Edition,
        params: Params,
    ) -> Result<Params, ApiError>;

    /// Whether an edition answers otherwise than the handler.
    fn changes_answers(&self, at: Edition) -> bool;

    /// Turns an answer of the handler into that of an edition.
    fn adapt_answer(&self, at: Edition, body: &mut Value);

    /// Says in the headers of an answer what of the request and of the answer will go.
    fn finish(&self, at: Edition, answer: &mut ServiceResponse<BoxBody>);
}

/// A host whose operations are the same in all releases that there are.
#[derive(Debug, Clone, Copy)]
pub struct OneRelease;

impl Releases for OneRelease {
    fn own(&self) -> Edition {
        Edition::of(Release::LATEST)
    }

    fn asked(&self, _: &HttpRequest) -> Result<Option<Edition>, Error> {
        Ok(None)
    }

    fn adaptation(&self, _: &Declaration) -> Option<Rc<dyn Adaptation>> {
        None
    }
}

/// What a request is adapted by, in the request's extensions. Only requests that are have it.
#[derive(Debug, Clone)]
pub(super) struct Adapted {
    pub(super) edition: Edition,
    pub(super) by: Rc<dyn Adaptation>,
}

/// As what a request is answered, where that is not as what the server runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct OtherEdition(pub(super) Edition);

/// As what a request is answered, where it asks for another release than the server runs as.
pub fn other_edition_of(request: &HttpRequest) -> Option<Edition> {
    let extensions = request.extensions();
    extensions.get::<OtherEdition>().map(|other| other.0)
}

/// The parameters of a request as the newest release has them. [`fit_params`](super::fit_params) calls it.
///
/// # Errors
/// 400 for what the edition of the request does not take.
pub fn adapt_params(request: &HttpRequest, params: Params) -> Result<Params, ApiError> {
    let adapted = request.extensions().get::<Adapted>().cloned();
    match adapted {
        Some(adapted) => adapted.by.adapt_request(request, adapted.edition, params),
        None => Ok(params),
    }
}
