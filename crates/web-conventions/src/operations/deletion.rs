//! Conditional deletions: a caller says when it last saw the resource that it deletes, and a resource that changed
//! later is kept (RFC 9110, section 13.1.4).
//!
//! [`delete`](super::delete) accepts only handlers that respond with a [`Deletion`]. A `Deletion` needs [`Unmodified`],
//! which only a [`Precondition`] returns, so a handler that does not compare its resource with the condition does not
//! compile.

use std::fmt;

use actix_web::body::BoxBody;
use actix_web::http::header::{HeaderMap, IF_UNMODIFIED_SINCE};
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError};
use api_conventions::conditional::http_date;
use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;

use super::declaration::ResponseSpec;
use super::parameter::{Parameter, ParameterKind};

/// Parameter of every deletion.
pub(super) const UNMODIFIED_SINCE: Parameter = Parameter::header(
    "If-Unmodified-Since",
    ParameterKind::ANY_TEXT,
    "HTTP date: the resource is not deleted if it changed in a later second. Other values are ignored.",
);

/// Refusal of every deletion.
pub(super) const MODIFIED: ResponseSpec = ResponseSpec::refusal(
    412,
    "The resource changed after the time in If-Unmodified-Since.",
);

/// Condition of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precondition(Option<Timestamp>);

impl Precondition {
    /// Parses the header `If-Unmodified-Since`. A value that is not an HTTP date sets no condition.
    pub fn of(headers: &HeaderMap) -> Self {
        let header = headers.get(IF_UNMODIFIED_SINCE);
        Self(header.and_then(|header| http_date(header.to_str().ok()?)))
    }

    /// Compares the time of the resource's last change, to the second. Within the transaction of the deletion, the
    /// check may follow the deletion, because an error rolls it back.
    ///
    /// # Errors
    /// 412 if the resource changed later.
    pub fn check(self, modified_at: Timestamp) -> Result<Unmodified, ApiError> {
        let seconds = modified_at.as_unix_seconds();
        if self
            .0
            .is_some_and(|since| seconds > since.as_unix_seconds())
        {
            return Err(ApiError::precondition_failed());
        }
        Ok(Unmodified(()))
    }

    /// Passes the condition to a flow that compares it under the lock of the resource.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn check_in<T, E>(
        self,
        flow: impl FnOnce(Option<Timestamp>) -> Result<T, E>,
    ) -> Result<Unmodified, E> {
        flow(self.0)?;
        Ok(Unmodified(()))
    }
}

/// Proof that a resource was compared with the condition of its deletion.
#[derive(Debug)]
#[must_use]
pub struct Unmodified(());

/// Response to a deletion whose condition held.
#[derive(Debug)]
pub struct Deletion(HttpResponse);

impl Deletion {
    /// Creates a 204 response: the resource is deleted.
    pub fn no_content(proof: Unmodified) -> Self {
        Self::with(proof, HttpResponse::NoContent().finish())
    }

    /// Creates a deletion with another response.
    pub fn with(_: Unmodified, response: HttpResponse) -> Self {
        Self(response)
    }
}

/// Output of the handler of a deletion.
pub trait Conditional {
    /// Returns the response.
    fn respond(self, request: &HttpRequest) -> HttpResponse<BoxBody>;
}

impl<E: ResponseError + fmt::Debug + 'static> Conditional for Result<Deletion, E> {
    fn respond(self, request: &HttpRequest) -> HttpResponse<BoxBody> {
        self.map(|deletion| deletion.0)
            .respond_to(request)
            .map_into_boxed_body()
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn condition(header: &'static str) -> Precondition {
        let mut headers = HeaderMap::new();
        headers.insert(IF_UNMODIFIED_SINCE, HeaderValue::from_static(header));
        Precondition::of(&headers)
    }

    #[test]
    fn a_change_in_a_later_second_fails_the_condition() {
        let date = condition("Thu, 29 Feb 2024 08:12:31 GMT");
        let seen = http_date("Thu, 29 Feb 2024 08:12:31 GMT").unwrap();
        let at = |micros: i64| Timestamp::from_micros(seen.as_micros() + micros).unwrap();
        // The header has seconds and the resource microseconds, so a change within the second counts as seen.
        for (modified, holds) in [(-1, true), (0, true), (999_999, true), (1_000_000, false)] {
            assert_eq!(date.check(at(modified)).is_ok(), holds, "{modified}");
        }
        let refused = date.check(at(1_000_000)).unwrap_err();
        assert_eq!(refused.status(), 412);
    }

    #[test]
    fn a_flow_gets_the_date_and_decides() {
        let date = condition("Thu, 29 Feb 2024 08:12:31 GMT");
        let mut seen = None;
        let proof = date.check_in(|since| {
            seen = since;
            Ok::<_, ApiError>(())
        });
        assert!(proof.is_ok());
        assert_eq!(seen, http_date("Thu, 29 Feb 2024 08:12:31 GMT"));
        assert_eq!(date.check_in(|_| Err::<(), _>(7)).unwrap_err(), 7);
    }

    #[test]
    fn invalid_dates_set_no_condition() {
        for vague in ["yesterday", "2024-02-29", ""] {
            assert!(condition(vague).check(Timestamp::MAX).is_ok(), "{vague}");
        }
        assert!(
            Precondition::of(&HeaderMap::new())
                .check(Timestamp::MAX)
                .is_ok()
        );
    }
}
