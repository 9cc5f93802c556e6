//! Error responses of the error collector, in the format that SDKs parse.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use api_conventions::error::ApiError;
use error_tracking::collector::{BodyError, DropReason};
use error_tracking::protocol::credentials::CredentialsError;
use error_tracking::protocol::encoding::DecodeError;
use error_tracking::protocol::rate_limit::{self, RateLimit};
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;
use web_conventions::failure::Failure;

/// Header in which SDKs look for the error.
const ERROR_HEADER: &str = "x-sentry-error";
const LIMITS_HEADER: &str = "x-sentry-rate-limits";

/// Body of an error response.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CollectorRefusal {
    /// Description of the error, as a sentence.
    detail: String,
    /// Further causes; always empty so far.
    causes: Vec<String>,
}

/// Reason why nothing was accepted.
#[derive(Debug)]
pub struct CollectorFailure {
    failure: Failure,
    limits: Vec<RateLimit>,
}

impl CollectorFailure {
    /// Rate limit exceeded.
    /// The headers say what is limited, and for how long.
    pub fn limited(limits: Vec<RateLimit>) -> Self {
        let seconds = rate_limit::retry_after(&limits).unwrap_or(1);
        let refusal = ApiError::too_many_requests(seconds.into());
        Self {
            failure: Failure::from(refusal).because("rate limit exceeded"),
            limits,
        }
    }

    /// The key is not accepted: it is unknown, its project does not exist, or error tracking is disabled.
    /// The response is the same for all three.
    pub fn key_not_accepted() -> Self {
        ApiError::forbidden_because("the project does not accept events with this key").into()
    }

    /// Too many unknown keys arrived from the sender's address, so this one was not looked up.
    pub fn too_many_keys(seconds: u32) -> Self {
        let refusal = ApiError::too_many_requests(seconds.into());
        Failure::from(refusal)
            .because("too many unknown client keys")
            .into()
    }

    /// Reason under which the refused body is counted as lost, if any.
    /// See [`DropReason::of_refusal`].
    pub fn loss(&self) -> Option<DropReason> {
        DropReason::of_refusal(self.failure.status_code().as_u16())
    }

    /// Reason for logs and counters.
    pub fn reason(&self) -> &'static str {
        self.failure.reason()
    }

    /// Causes for the log, outermost first.
    pub fn causes(&self) -> String {
        self.failure.causes()
    }
}

impl From<ApiError> for CollectorFailure {
    fn from(refusal: ApiError) -> Self {
        Failure::from(refusal).into()
    }
}

impl From<Failure> for CollectorFailure {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            limits: Vec::new(),
        }
    }
}

impl From<StoreError> for CollectorFailure {
    fn from(error: StoreError) -> Self {
        Failure::from(error).into()
    }
}

impl From<CredentialsError> for CollectorFailure {
    fn from(refusal: CredentialsError) -> Self {
        ApiError::from(refusal).into()
    }
}

impl From<BodyError> for CollectorFailure {
    fn from(refusal: BodyError) -> Self {
        ApiError::from(refusal).into()
    }
}

impl From<DecodeError> for CollectorFailure {
    fn from(refusal: DecodeError) -> Self {
        ApiError::from(refusal).into()
    }
}

impl fmt::Display for CollectorFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl ResponseError for CollectorFailure {
    fn status_code(&self) -> StatusCode {
        self.failure.status_code()
    }

    fn error_response(&self) -> HttpResponse {
        let refusal = self.failure.refusal();
        let detail = refusal.sentence();
        let mut response = HttpResponse::build(self.status_code());
        for (name, value) in refusal.headers() {
            response.insert_header((*name, value.as_str()));
        }
        let causes = Vec::new();
        let text = detail.clone();
        let mut response = response.json(CollectorRefusal { detail, causes });
        set_error_header(&mut response, &text);
        set_limit_headers(&mut response, &self.limits);
        response
    }
}

/// Sets the header in which SDKs look for the error.
pub fn set_error_header(response: &mut HttpResponse, text: &str) {
    if let Ok(text) = HeaderValue::from_str(text) {
        let name = HeaderName::from_static(ERROR_HEADER);
        response.headers_mut().insert(name, text);
    }
}

/// Sets the headers that tell an SDK what not to send, and for how long.
pub fn set_limit_headers(response: &mut HttpResponse, limits: &[RateLimit]) {
    let text = rate_limit::header(limits).and_then(|text| HeaderValue::from_str(&text).ok());
    let headers = response.headers_mut();
    if let Some(text) = text {
        headers.insert(HeaderName::from_static(LIMITS_HEADER), text);
    }
    if let Some(seconds) = rate_limit::retry_after(limits) {
        headers.insert(RETRY_AFTER, seconds.into());
    }
}
