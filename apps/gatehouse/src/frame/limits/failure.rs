//! Responses to requests over a rate limit.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, HttpDate, RETRY_AFTER,
};
use actix_web::{HttpResponse, ResponseError};
use api_conventions::error::ApiError;
use serde_json::json;
use web_conventions::operations::Access;

use crate::config::RequestLimit;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::limits::ExceededLimit;

/// Message about a limit of similar operations.
const TOO_OFTEN: &str = "This endpoint has been requested too many times. Try again later.";

/// Seconds to which `RateLimit-Limit` is scaled.
const SCALE: u64 = 60;

/// Refusal of a request over a limit.
#[derive(Debug)]
pub struct LimitFailure {
    exceeded: ExceededLimit,
    access: Access,
}

impl LimitFailure {
    /// Creates the refusal for an operation with this access.
    pub fn new(exceeded: ExceededLimit, access: Access) -> Self {
        Self { exceeded, access }
    }

    /// Reason of the refusal: the name of the limit.
    pub fn reason(&self) -> &'static str {
        self.exceeded.limit.name()
    }

    /// Body in the format of the operation's callers.
    fn body(&self) -> HttpResponse {
        let mut response = HttpResponse::TooManyRequests();
        match (self.exceeded.limit, self.access) {
            (RequestLimit::TokenEndpoint, _) => {
                let refusal = ApiError::too_many_requests(self.exceeded.seconds_left());
                OAuthFailure::from(refusal).error_response()
            }
            (limit, _) if limit.is_of_all() => response
                .content_type("text/plain; charset=utf-8")
                .body("Retry later\n"),
            (_, Access::Api { .. }) => response.json(json!({"message": {"error": TOO_OFTEN}})),
            _ => response
                .content_type("text/plain; charset=utf-8")
                .body(format!("{TOO_OFTEN}\n")),
        }
    }
}

/// Adds the headers: `Retry-After` (RFC 9110, section 10.2.3), those that clients of the API read, and those of the
/// standard's draft (draft-ietf-httpapi-ratelimit-headers), whose names differ.
fn add_headers(headers: &mut HeaderMap, exceeded: &ExceededLimit) {
    let name = exceeded.limit.name();
    let quota = exceeded.quota;
    let seconds = u64::from(quota.seconds.max(1));
    let scaled = (u64::from(quota.requests) * SCALE).div_ceil(seconds);
    let left = exceeded.seconds_left();
    let ends = Duration::from_secs(u64::try_from(exceeded.window.ends_at).unwrap_or_default());
    let fields = [
        ("ratelimit-name", format!("throttle_{name}")),
        ("ratelimit-limit", scaled.to_string()),
        ("ratelimit-observed", exceeded.window.observed.to_string()),
        ("ratelimit-remaining", "0".to_owned()),
        ("ratelimit-reset", ends.as_secs().to_string()),
        (
            "ratelimit-resettime",
            HttpDate::from(UNIX_EPOCH + ends).to_string(),
        ),
        (
            "ratelimit-policy",
            format!("\"{name}\";q={};w={}", quota.requests, quota.seconds),
        ),
        ("ratelimit", format!("\"{name}\";r=0;t={left}")),
    ];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    headers.insert(RETRY_AFTER, HeaderValue::from(left));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}

impl fmt::Display for LimitFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rate limit {} exceeded", self.reason())
    }
}

impl ResponseError for LimitFailure {
    fn status_code(&self) -> StatusCode {
        StatusCode::TOO_MANY_REQUESTS
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = self.body();
        add_headers(response.headers_mut(), &self.exceeded);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RequestQuota;
    use crate::state::limits::WindowCount;

    #[test]
    fn the_headers_name_the_limit_scaled_to_a_minute_and_the_end_of_the_window() {
        for (requests, seconds, scaled) in [(10, 60, "10"), (400, 600, "40"), (1, 7, "9")] {
            let exceeded = ExceededLimit {
                limit: RequestLimit::Search,
                quota: RequestQuota { requests, seconds },
                window: WindowCount {
                    observed: requests + 5,
                    ends_at: 1_609_844_400,
                },
                now: 1_609_844_371,
            };
            let mut headers = HeaderMap::new();
            add_headers(&mut headers, &exceeded);
            let observed = (requests + 5).to_string();
            let policy = format!("\"search\";q={requests};w={seconds}");
            for (name, expected) in [
                ("RateLimit-Name", "throttle_search"),
                ("RateLimit-Limit", scaled),
                ("RateLimit-Observed", observed.as_str()),
                ("RateLimit-Remaining", "0"),
                ("RateLimit-Reset", "1609844400"),
                ("RateLimit-ResetTime", "Tue, 05 Jan 2021 11:00:00 GMT"),
                ("RateLimit-Policy", policy.as_str()),
                ("RateLimit", "\"search\";r=0;t=29"),
                ("Retry-After", "29"),
                ("Cache-Control", "no-store"),
            ] {
                assert_eq!(headers.get(name).unwrap(), expected, "{name}");
            }
        }
    }
}
