//! Refusal for the client, with a cause that only the log shows.

use std::error::Error;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use api_conventions::error::ApiError;
use records::RecordError;
use storage::{StoreError, StoreErrorKind};

/// Error response of a handler.
#[derive(Debug)]
pub struct Failure {
    refusal: ApiError,
    reason: &'static str,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// Creates a failure from a refusal and its cause.
    pub fn caused(refusal: ApiError, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            refusal,
            reason: "",
            cause: Some(cause.into()),
        }
    }

    /// Returns the same failure with a reason for logs and counters. Clients do not see it.
    #[must_use]
    pub fn because(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    /// Returns the refusal that the client gets.
    pub fn refusal(&self) -> &ApiError {
        &self.refusal
    }

    /// Returns the reason for logs and counters: the given one, or one derived from an error of the store; otherwise
    /// empty.
    pub fn reason(&self) -> &'static str {
        if self.reason.is_empty() {
            reason_of(self.cause.as_deref().map(|cause| cause as &dyn Error))
        } else {
            self.reason
        }
    }

    /// Returns the chain of causes, outermost first, for the log.
    pub fn causes(&self) -> String {
        let mut texts = Vec::new();
        let mut next = self.cause.as_deref().map(|cause| cause as &dyn Error);
        while let Some(cause) = next {
            texts.push(cause.to_string());
            next = cause.source();
        }
        texts.join(": ")
    }
}

/// [Reason](reason_of) for a list that would examine more rows than one request may.
pub const TOO_MUCH_TO_EXAMINE: &str = "too many rows to examine";

/// Returns the reason that a cause or its sources give for an error of the store; empty if there is none.
pub fn reason_of(cause: Option<&(dyn Error + 'static)>) -> &'static str {
    let mut next = cause;
    while let Some(cause) = next {
        match cause.downcast_ref::<StoreError>().map(StoreError::kind) {
            Some(StoreErrorKind::Overloaded) => return "store overloaded",
            Some(StoreErrorKind::Unavailable) => return "store unavailable",
            Some(StoreErrorKind::Conflict) => return "store conflict",
            Some(StoreErrorKind::Contention) => return "store contention",
            Some(StoreErrorKind::TooMuchWork) => return TOO_MUCH_TO_EXAMINE,
            _ => next = cause.source(),
        }
    }
    ""
}

impl From<ApiError> for Failure {
    fn from(refusal: ApiError) -> Self {
        Self {
            refusal,
            reason: "",
            cause: None,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let refusal = match error.kind() {
            StoreErrorKind::TooMuchWork => ApiError::too_much_work(),
            _ => ApiError::storage_failure(error.is_retryable()),
        };
        Self::caused(refusal, error)
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Store(error) => error.into(),
            refusal => ApiError::from(refusal).into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refusal.fmt(f)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &dyn Error)
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.refusal.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status_code());
        for (name, value) in self.refusal.headers() {
            answer.insert_header((*name, value.as_str()));
        }
        answer
            .content_type("application/json")
            .body(self.refusal.sent_body().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exceeded_work_limit_returns_503_with_a_remedy() {
        let failure = Failure::from(StoreError::new(StoreErrorKind::TooMuchWork, "list alerts"));
        assert_eq!(failure.status_code(), StatusCode::SERVICE_UNAVAILABLE);
        let retry = failure.error_response();
        assert!(retry.headers().contains_key("retry-after"));
        let text = failure.refusal.body().to_string();
        assert!(text.contains("Add a filter"), "{text}");
    }

    #[test]
    fn the_reason_is_found_among_the_causes() {
        let of = |kind| Failure::from(StoreError::new(kind, "insert alert")).reason();
        assert_eq!(of(StoreErrorKind::Overloaded), "store overloaded");
        assert_eq!(of(StoreErrorKind::Unavailable), "store unavailable");
        assert_eq!(of(StoreErrorKind::Internal), "");
        assert_eq!(Failure::from(ApiError::unauthorized()).reason(), "");
        let given = Failure::from(ApiError::unavailable(1)).because("queue full");
        assert_eq!(given.reason(), "queue full");
        let within = StoreError::new(StoreErrorKind::Overloaded, "commit");
        let outer = StoreError::new(StoreErrorKind::Internal, "write").with_source(within);
        assert_eq!(reason_of(Some(&outer)), "store overloaded");
    }

    #[test]
    fn the_client_is_reported_the_status_and_the_log_the_causes() {
        let error = StoreError::new(StoreErrorKind::Internal, "insert alert")
            .with_source(std::io::Error::other("disk on fire"));
        let failure = Failure::from(error);
        assert_eq!(failure.status_code(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!failure.refusal.body().to_string().contains("disk"));
        assert_eq!(
            failure.causes(),
            "the store failed (insert alert): disk on fire"
        );
    }
}
