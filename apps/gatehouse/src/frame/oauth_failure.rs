//! Success and error responses of the OAuth endpoints for clients (RFC 6749, section 5).

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, PRAGMA, WWW_AUTHENTICATE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError};
use api_conventions::error::ApiError;
use gatehouse_core::signing_keys::KeyRingError;
use oauth_provider::wire::OAuthError;
use serde::Serialize;
use std::fmt;
use storage::StoreError;

use web_conventions::failure::Failure;

use super::collector_failure::CollectorFailure;
use super::intake_urls::is_below_collector;

/// Realm of challenges.
const REALM: &str = "Gatehouse";

/// Failure of a provider endpoint.
#[derive(Debug)]
pub enum OAuthFailure {
    /// Error of the protocol.
    Refused(OAuthError),
    /// Failure with an HTTP status but no protocol error code.
    /// It is sent in the format of the protocol, and the log has the causes.
    Broken(Failure),
}

impl OAuthFailure {
    /// Reason of the failure, as a short phrase or a protocol error code; empty if the status says it all.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Refused(error) => error.body().error,
            Self::Broken(failure) => failure.reason(),
        }
    }

    /// Causes for the log, outermost first.
    pub fn causes(&self) -> String {
        match self {
            Self::Refused(_) => String::new(),
            Self::Broken(failure) => failure.causes(),
        }
    }
}

impl From<OAuthError> for OAuthFailure {
    fn from(error: OAuthError) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for OAuthFailure {
    fn from(failure: Failure) -> Self {
        Self::Broken(failure)
    }
}

impl From<StoreError> for OAuthFailure {
    fn from(error: StoreError) -> Self {
        Self::Broken(error.into())
    }
}

impl From<KeyRingError> for OAuthFailure {
    fn from(error: KeyRingError) -> Self {
        match error {
            KeyRingError::Store(error) => error.into(),
            other => Self::Broken(Failure::caused(ApiError::internal(), other)),
        }
    }
}

impl From<ApiError> for OAuthFailure {
    fn from(error: ApiError) -> Self {
        Self::Broken(error.into())
    }
}

impl fmt::Display for OAuthFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Broken(failure) => failure.fmt(f),
        }
    }
}

impl ResponseError for OAuthFailure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Refused(error) => {
                StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST)
            }
            Self::Broken(failure) => failure.status_code(),
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::Refused(error) => {
                let mut answer = begin_no_store(self.status_code());
                if let Some(challenge) = error.www_authenticate(REALM) {
                    answer.insert_header((WWW_AUTHENTICATE, challenge));
                }
                json_body(answer, &error.body())
            }
            Self::Broken(failure) => {
                let refusal = failure.refusal();
                let mut answer = begin_no_store(self.status_code());
                for (name, value) in refusal.headers() {
                    answer.insert_header((*name, value.as_str()));
                }
                let error = OAuthError::of_status(refusal.status(), &refusal.sentence());
                json_body(answer, &error.body())
            }
        }
    }
}

/// Builds an error response in the format of the requested path.
/// The format is RFC 6749's below `/oauth` and `/.well-known`, the SDKs' at the error collector, and otherwise the
/// API's.
pub fn refuse(request: &HttpRequest, refusal: ApiError) -> actix_web::Error {
    let path = request.path();
    if path.starts_with("/oauth/") || path.starts_with("/.well-known/") {
        OAuthFailure::from(refusal).into()
    } else if is_below_collector(path) {
        CollectorFailure::from(refusal).into()
    } else {
        Failure::from(refusal).into()
    }
}

/// JSON response that intermediaries must not cache (RFC 6749, section 5.1).
pub fn response<T: Serialize>(value: &T) -> HttpResponse {
    json_body(begin_no_store(StatusCode::OK), value)
}

fn begin_no_store(status: StatusCode) -> HttpResponseBuilder {
    let mut answer = HttpResponse::build(status);
    answer.insert_header((CACHE_CONTROL, "no-store"));
    answer.insert_header((PRAGMA, "no-cache"));
    answer
}

fn json_body<T: Serialize>(mut answer: HttpResponseBuilder, value: &T) -> HttpResponse {
    match serde_json::to_vec(value) {
        Ok(body) => answer
            .insert_header((CONTENT_TYPE, "application/json; charset=utf-8"))
            .body(body),
        Err(error) => Failure::caused(ApiError::internal(), error).error_response(),
    }
}
