//! Error bodies of the API: the one place where a refusal becomes a status and a JSON body.
//!
//! There are two families, because existing clients read both: `{"message": …}` for refusals of an endpoint, and
//! `{"error": …}` for refusals of the framework (routes, parameters, content types).

mod sent;
mod validation;

use std::fmt;

use serde_json::{Value, json};

use crate::ids::SpamLogId;

pub use self::validation::ValidationFailures;

/// Error response as the client sees it. Never carries a source: server faults are logged and not disclosed.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    status: u16,
    body: Value,
    headers: Vec<(&'static str, String)>,
}

impl ApiError {
    /// Creates a response with the host's own status and body, for cases that this crate does not cover.
    pub fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            body,
            headers: Vec::new(),
        }
    }

    fn message(status: u16, message: impl Into<Value>) -> Self {
        Self::new(status, json!({ "message": message.into() }))
    }

    fn error(status: u16, error: impl Into<Value>) -> Self {
        Self::new(status, json!({ "error": error.into() }))
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// HTTP status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// JSON body.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// Returns the body's message as one sentence, for endpoints with another protocol than the API's.
    pub fn sentence(&self) -> String {
        let body = self
            .body
            .get("error_description")
            .or(self.body.get("message"));
        let text = body.or(self.body.get("error"));
        text.and_then(Value::as_str)
            .map_or_else(|| self.body.to_string(), str::to_owned)
    }

    /// Headers of the response, such as `Allow` or `Retry-After`.
    pub fn headers(&self) -> &[(&'static str, String)] {
        &self.headers
    }

    /// 400: a required attribute is missing (`API-11`).
    pub fn missing_attribute(name: &str) -> Self {
        Self::message(400, format!("400 (Bad request) \"{name}\" not given"))
    }

    /// 400: the request as a whole is invalid; `reason` says what to do.
    pub fn bad_request(reason: &str) -> Self {
        Self::message(400, format!("400 Bad request - {reason}"))
    }

    /// Seconds after which to retry a list that is too long now.
    const TOO_MUCH_RETRY: u32 = 60;

    /// 503: the list would require examining more rows than one request may. This is a limit of the server and no error
    /// of the client, so it is never a 400, which would mean that the request is wrong.
    pub fn too_much_work() -> Self {
        let body = Self::message(
            503,
            "503 Service Unavailable - this list has too many rows to examine. Add a filter, search for a longer text, \
             omit order_by, or try again when the list is shorter.",
        );
        body.with_header("Retry-After", Self::TOO_MUCH_RETRY.to_string())
    }

    /// 400: parameters have invalid values, each listed as `<name> <problem>`.
    pub fn invalid_parameters(problems: &[String]) -> Self {
        Self::error(400, problems.join(", "))
    }

    /// 400: the body does not match its content type.
    pub fn malformed_body(reason: &str) -> Self {
        Self::error(400, reason)
    }

    /// 400: not a valid HTTP request; `reason` says what is wrong.
    pub fn malformed_request(reason: &str) -> Self {
        Self::error(400, format!("400 Bad Request - {reason}"))
    }

    /// 400: a record failed validation (`API-12`).
    pub fn validation(failures: &ValidationFailures) -> Self {
        Self::message(400, failures.to_value())
    }

    /// 400: the content looks like spam and cannot be accepted (`SPAM-01`); `reason` says what to do.
    pub fn looks_like_spam(reason: &str) -> Self {
        Self::message(400, json!({ "error": reason }))
    }

    /// 409: the content looks like spam. It is accepted after a person solves the CAPTCHA for `site_key` and the
    /// request is sent again with the two headers (`SPAM-01`).
    pub fn captcha_needed(reason: &str, spam_log_id: SpamLogId, site_key: &str) -> Self {
        Self {
            status: 409,
            body: json!({
                "needs_captcha_response": true,
                "spam_log_id": spam_log_id,
                "captcha_site_key": site_key,
                "message": { "error": reason },
            }),
            headers: Vec::new(),
        }
    }

    /// 401: missing or invalid credentials (`API-10`).
    pub fn unauthorized() -> Self {
        Self::message(401, "401 Unauthorized")
    }

    /// 401 with the reason.
    pub fn unauthorized_because(reason: &str) -> Self {
        Self::message(401, format!("401 Unauthorized - {reason}"))
    }

    /// 401: the sender of an alert has no valid key. The response announces Basic authentication, because many clients
    /// send a password only after such a challenge (RFC 9110, section 11.6.1).
    pub fn key_required() -> Self {
        Self::unauthorized().with_header(
            "WWW-Authenticate",
            "Basic realm=\"alerts\", charset=\"UTF-8\"",
        )
    }

    /// 401: an error report has no readable client key; `reason` says what is wrong.
    pub fn client_key_required(reason: &str) -> Self {
        Self::message(401, format!("401 Unauthorized - {reason}"))
            .with_header("WWW-Authenticate", "Sentry realm=\"errors\"")
    }

    /// 403: visible, but not allowed.
    pub fn forbidden() -> Self {
        Self::message(403, "403 Forbidden")
    }

    /// 403 with a reason.
    pub fn forbidden_because(reason: &str) -> Self {
        Self::message(403, format!("403 Forbidden - {reason}"))
    }

    /// 403: the token lacks a scope (RFC 6750, section 3.1). `needed` lists the required scopes, separated by spaces.
    pub fn insufficient_scope(needed: &str) -> Self {
        let text = "The request requires higher privileges than provided by the access token.";
        let body =
            json!({ "error": "insufficient_scope", "error_description": text, "scope": needed });
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"");
        Self {
            status: 403,
            body,
            headers: Vec::new(),
        }
        .with_header("WWW-Authenticate", challenge)
    }

    /// 401: an application's access token is no longer valid (RFC 6750, section 3.1); `reason` says why, and what the
    /// client can do.
    pub fn invalid_token(reason: &str) -> Self {
        let challenge = format!(
            "Bearer realm=\"api\", error=\"invalid_token\", error_description=\"{reason}\""
        );
        Self {
            status: 401,
            body: json!({ "error": "invalid_token", "error_description": reason }),
            headers: Vec::new(),
        }
        .with_header("WWW-Authenticate", challenge)
    }

    /// 400: an access token was sent in two places (RFC 6750, section 2).
    pub fn two_access_tokens() -> Self {
        Self::invalid_token_request("Both Authorization header and payload includes access token.")
    }

    /// 400: an access token was sent in an invalid way (RFC 6750, section 3.1).
    pub fn invalid_token_request(reason: &str) -> Self {
        Self {
            status: 400,
            body: json!({ "error": "invalid_request", "error_description": reason }),
            headers: Vec::new(),
        }
    }

    /// 404: the resource does not exist, or the caller may not know that it does (`API-16`).
    pub fn not_found(what: &str) -> Self {
        Self::message(404, format!("404 {what} Not Found"))
    }

    /// 404: no route has this path (`API-09`).
    pub fn unknown_route() -> Self {
        Self::error(404, "404 Not Found")
    }

    /// 405: the path exists, but not the method (`API-09`). `allowed` is the value of the `Allow` header.
    pub fn method_not_allowed(allowed: &str) -> Self {
        Self::error(405, "405 Not Allowed").with_header("Allow", allowed)
    }

    /// 301: the resource moved to `location`. Not cacheable, because another resource may take over the old path.
    pub fn moved(location: &str) -> Self {
        let text = format!("This resource has been moved permanently to {location}");
        Self::message(301, text)
            .with_header("Location", location)
            .with_header("Cache-Control", "no-store")
    }

    /// 405: a `thing` moved away from this path. Only reads are redirected; writes must use the new path.
    pub fn moved_for_readers(thing: &str) -> Self {
        let text = format!("Non GET methods are not allowed for moved {thing}s");
        Self::message(405, text).with_header("Allow", "GET, HEAD")
    }

    /// 405: this list, or this sort order, does not support the requested kind of paging. A 405 must list the allowed
    /// methods (RFC 9110, section 15.5.6), and those of a list are known.
    pub fn paging_not_allowed(reason: &str) -> Self {
        Self::error(405, reason).with_header("Allow", "OPTIONS, GET, HEAD")
    }

    /// 408: the request did not arrive completely in time.
    pub fn request_timeout() -> Self {
        Self::message(408, "408 Request Timeout")
    }

    /// 409: a conflicting resource exists.
    pub fn conflict(reason: &str) -> Self {
        Self::message(409, format!("409 Conflict: {reason}"))
    }

    /// 409: another resource has this value of `attribute`, such as `Email`.
    pub fn already_taken(attribute: &str) -> Self {
        Self::message(409, format!("{attribute} has already been taken"))
    }

    /// 409: the requested name is already taken by another `thing`.
    pub fn already_exists(thing: &str) -> Self {
        Self::message(409, format!("{thing} already exists"))
    }

    /// 412: the resource changed after the time in `If-Unmodified-Since` (RFC 9110, section 13.1.4).
    pub fn precondition_failed() -> Self {
        Self::message(412, "412 Precondition Failed")
    }

    /// 413: the content is too large, or would be after decompression; `reason` says which.
    pub fn content_too_large(reason: &str) -> Self {
        Self::message(413, format!("413 Request Entity Too Large - {reason}"))
    }

    /// 415: the encoding of the body is not supported; `reason` lists the supported ones.
    pub fn content_encoding_refused(reason: &str) -> Self {
        Self::error(415, reason)
    }

    /// 413: the body is larger than `limit_bytes` after decompression.
    pub fn body_too_large(limit_bytes: usize) -> Self {
        Self::message(
            413,
            format!("413 Request Entity Too Large - the limit is {limit_bytes} bytes"),
        )
    }

    /// 413: the body has more alerts than one request may send.
    pub fn too_many_alerts(limit: usize) -> Self {
        Self::message(
            413,
            format!(
                "413 Request Entity Too Large - the limit is {limit} alerts in one request, send fewer at a time"
            ),
        )
    }

    /// 414: the query string is longer than `limit_bytes` (`API-08`).
    pub fn query_too_long(limit_bytes: usize) -> Self {
        let advice = "send the parameters in the body";
        Self::error(
            414,
            format!("414 URI Too Long - the limit is {limit_bytes} bytes, {advice}"),
        )
    }

    /// 415: this content type is not supported (`API-07`).
    pub fn unsupported_content_type(content_type: &str) -> Self {
        Self::error(
            415,
            format!("The provided content-type '{content_type}' is not supported."),
        )
    }

    /// 415: this endpoint accepts only JSON (`API-07`).
    pub fn content_type_is_not_json(content_type: &str) -> Self {
        Self::error(
            415,
            format!(
                "The provided content-type '{content_type}' is not supported: send application/json."
            ),
        )
    }

    /// 415: this content encoding is not supported (RFC 9110 section 8.4).
    pub fn unsupported_content_encoding(encoding: &str) -> Self {
        Self::error(
            415,
            format!(
                "The provided content-encoding '{encoding}' is not supported: send gzip, deflate, or none."
            ),
        )
    }

    /// 422: the request is well-formed but cannot be processed.
    pub fn unprocessable(reason: &str) -> Self {
        Self::message(422, format!("422 Unprocessable Entity - {reason}"))
    }

    /// 429: too many requests; retry after `retry_after_seconds`.
    pub fn too_many_requests(retry_after_seconds: i64) -> Self {
        Self::message(429, "429 Too Many Requests")
            .with_header("Retry-After", retry_after_seconds.to_string())
    }

    /// 431: there are too many headers, or one is too long (RFC 6585, section 5).
    pub fn head_too_large() -> Self {
        Self::error(
            431,
            "431 Request Header Fields Too Large - send fewer and shorter headers",
        )
    }

    /// 500: a server fault. The log has the details, under the request id in the headers.
    pub fn internal() -> Self {
        Self::message(500, "500 Internal Server Error")
    }

    /// 502: an upstream server gave no usable response; `reason` says why.
    pub fn bad_gateway(reason: &str) -> Self {
        Self::message(502, format!("502 Bad Gateway - {reason}"))
    }

    /// 504: an upstream server did not respond in time.
    pub fn gateway_timeout(reason: &str) -> Self {
        Self::message(504, format!("504 Gateway Timeout - {reason}"))
    }

    /// 503: a temporary failure; nothing was stored, and the same request may succeed after `retry_after_seconds`.
    pub fn unavailable(retry_after_seconds: u32) -> Self {
        Self::message(503, "503 Service Unavailable")
            .with_header("Retry-After", retry_after_seconds.to_string())
    }

    /// Returns the response to a storage failure: 503 if a retry may succeed, otherwise 500.
    pub fn storage_failure(is_retryable: bool) -> Self {
        if is_retryable {
            Self::unavailable(1)
        } else {
            Self::internal()
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, self.body)
    }
}

impl std::error::Error for ApiError {}

#[cfg(test)]
mod tests;
