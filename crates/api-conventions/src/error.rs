//! The error bodies of the API: the one place where a refusal becomes a status and a JSON body.
//!
//! Two families exist, because existing clients read both: `{"message": …}` for refusals of an endpoint, and
//! `{"error": …}` for refusals of the framework (routes, parameters, content types).

mod sent;
mod validation;

use std::fmt;

use serde_json::{Value, json};

use crate::ids::SpamLogId;

pub use self::validation::ValidationFailures;

/// A refusal as the client sees it. It never carries a source: our own faults are logged, not told.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    status: u16,
    body: Value,
    headers: Vec<(&'static str, String)>,
}

impl ApiError {
    /// A refusal with a status and a body of the host's own, for cases that this crate does not know.
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

    /// The same refusal with one more header.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The HTTP status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The JSON body.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// What the body says, in a sentence, for endpoints that speak another protocol than the API's.
    pub fn sentence(&self) -> String {
        let body = self
            .body
            .get("error_description")
            .or(self.body.get("message"));
        let text = body.or(self.body.get("error"));
        text.and_then(Value::as_str)
            .map_or_else(|| self.body.to_string(), str::to_owned)
    }

    /// Headers that belong to the refusal, such as `Allow` or `Retry-After`.
    pub fn headers(&self) -> &[(&'static str, String)] {
        &self.headers
    }

    /// 400: a required attribute was not sent (`API-11`).
    pub fn missing_attribute(name: &str) -> Self {
        Self::message(400, format!("400 (Bad request) \"{name}\" not given"))
    }

    /// 400: the request as a whole makes no sense; `reason` says what to do.
    pub fn bad_request(reason: &str) -> Self {
        Self::message(400, format!("400 Bad request - {reason}"))
    }

    /// Seconds after which a list that is too long now is worth another request.
    const TOO_MUCH_RETRY: u32 = 60;

    /// 503: the list could be told only by examining more rows than one request may. It is a limit of this server and no mistake
    /// of the client, so it is never a 400, which would say that the request is wrong.
    pub fn too_much_work() -> Self {
        let body = Self::message(
            503,
            "503 Service Unavailable - this server would have to examine too many rows for this list. Narrow the list by a \
             filter, search for a longer text, leave out order_by, or try again when it is shorter.",
        );
        body.with_header("Retry-After", Self::TOO_MUCH_RETRY.to_string())
    }

    /// 400: parameters were sent with wrong values, each told as `<name> <problem>`.
    pub fn invalid_parameters(problems: &[String]) -> Self {
        Self::error(400, problems.join(", "))
    }

    /// 400: the body is not what its content type says.
    pub fn malformed_body(reason: &str) -> Self {
        Self::error(400, reason)
    }

    /// 400: what came is no request of HTTP; `reason` says what is wrong with it.
    pub fn malformed_request(reason: &str) -> Self {
        Self::error(400, format!("400 Bad Request - {reason}"))
    }

    /// 400: a record failed validation (`API-12`).
    pub fn validation(failures: &ValidationFailures) -> Self {
        Self::message(400, failures.to_value())
    }

    /// 400: what was sent looks like spam, and nothing lets it through (`SPAM-01`); `reason` says what to do.
    pub fn looks_like_spam(reason: &str) -> Self {
        Self::message(400, json!({ "error": reason }))
    }

    /// 409: what was sent looks like spam, and goes through when a person has solved the CAPTCHA that is shown with `site_key`, and it
    /// is sent again with the two headers (`SPAM-01`).
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

    /// 401: no or invalid credentials (`API-10`).
    pub fn unauthorized() -> Self {
        Self::message(401, "401 Unauthorized")
    }

    /// 401: the sender of an alert showed no valid key. It says that Basic credentials are taken, because many clients
    /// send a password only when they are asked for one (RFC 9110, section 11.6.1).
    pub fn key_required() -> Self {
        Self::unauthorized().with_header(
            "WWW-Authenticate",
            "Basic realm=\"alerts\", charset=\"UTF-8\"",
        )
    }

    /// 401: the report of a program came with no key that can be read; `reason` says what is wrong with it.
    pub fn client_key_required(reason: &str) -> Self {
        Self::message(401, format!("401 Unauthorized - {reason}"))
            .with_header("WWW-Authenticate", "Sentry realm=\"errors\"")
    }

    /// 403: visible, but not allowed.
    pub fn forbidden() -> Self {
        Self::message(403, "403 Forbidden")
    }

    /// 403 with the reason.
    pub fn forbidden_because(reason: &str) -> Self {
        Self::message(403, format!("403 Forbidden - {reason}"))
    }

    /// 403: the token lacks a scope (RFC 6750, section 3.1). `needed` is told, separated by spaces.
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

    /// 401: the access token of an application works no longer (RFC 6750, section 3.1); `reason` says why, and what
    /// the client can do.
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

    /// 400: an access token came in two places (RFC 6750, section 2).
    pub fn two_access_tokens() -> Self {
        Self::invalid_token_request("Both Authorization header and payload includes access token.")
    }

    /// 400: an access token was sent in a way that cannot be understood (RFC 6750, section 3.1).
    pub fn invalid_token_request(reason: &str) -> Self {
        Self {
            status: 400,
            body: json!({ "error": "invalid_request", "error_description": reason }),
            headers: Vec::new(),
        }
    }

    /// 404: the thing does not exist, or the caller may not know that it does (`API-16`).
    pub fn not_found(what: &str) -> Self {
        Self::message(404, format!("404 {what} Not Found"))
    }

    /// 404: no route has this path (`API-09`).
    pub fn unknown_route() -> Self {
        Self::error(404, "404 Not Found")
    }

    /// 405: the path exists, the method does not (`API-09`). `allowed` is the `Allow` header's value.
    pub fn method_not_allowed(allowed: &str) -> Self {
        Self::error(405, "405 Not Allowed").with_header("Allow", allowed)
    }

    /// 301: what the path names is elsewhere now, at `location`. Nobody keeps the answer, because the old path can be taken anew.
    pub fn moved(location: &str) -> Self {
        let text = format!("This resource has been moved permanently to {location}");
        Self::message(301, text)
            .with_header("Location", location)
            .with_header("Cache-Control", "no-store")
    }

    /// 405: the path is one that a `thing` left. Only reading follows it; what changes something names it by its new path.
    pub fn moved_for_readers(thing: &str) -> Self {
        let text = format!("Non GET methods are not allowed for moved {thing}s");
        Self::message(405, text).with_header("Allow", "GET, HEAD")
    }

    /// 405: this list, or this order of it, cannot be paged in the way that was asked for. A 405 tells the methods that
    /// there are (RFC 9110, section 15.5.6), and those of a list are known.
    pub fn paging_not_allowed(reason: &str) -> Self {
        Self::error(405, reason).with_header("Allow", "OPTIONS, GET, HEAD")
    }

    /// 408: the request did not arrive whole in time.
    pub fn request_timeout() -> Self {
        Self::message(408, "408 Request Timeout")
    }

    /// 409: a conflicting resource exists.
    pub fn conflict(reason: &str) -> Self {
        Self::message(409, format!("409 Conflict: {reason}"))
    }

    /// 409: a `thing` has the name that another one was to get.
    pub fn already_exists(thing: &str) -> Self {
        Self::message(409, format!("{thing} already exists"))
    }

    /// 412: the thing changed after the time that `If-Unmodified-Since` names (RFC 9110, section 13.1.4).
    pub fn precondition_failed() -> Self {
        Self::message(412, "412 Precondition Failed")
    }

    /// 413: what came is too large, or would be when it is unpacked; `reason` says which.
    pub fn content_too_large(reason: &str) -> Self {
        Self::message(413, format!("413 Request Entity Too Large - {reason}"))
    }

    /// 415: the encoding of the body is not read; `reason` says which are.
    pub fn content_encoding_refused(reason: &str) -> Self {
        Self::error(415, reason)
    }

    /// 413: the body is larger than `limit_bytes`, after decompression.
    pub fn body_too_large(limit_bytes: usize) -> Self {
        Self::message(
            413,
            format!("413 Request Entity Too Large - the limit is {limit_bytes} bytes"),
        )
    }

    /// 413: the body holds more alerts than are taken at once.
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
        let advice = "send the parameters in a body";
        Self::error(
            414,
            format!("414 URI Too Long - the limit is {limit_bytes} bytes, {advice}"),
        )
    }

    /// 415: a body of this content type is not read here (`API-07`).
    pub fn unsupported_content_type(content_type: &str) -> Self {
        Self::error(
            415,
            format!("The provided content-type '{content_type}' is not supported."),
        )
    }

    /// 415: this endpoint reads JSON and nothing else (`API-07`).
    pub fn content_type_is_not_json(content_type: &str) -> Self {
        Self::error(
            415,
            format!(
                "The provided content-type '{content_type}' is not supported: send application/json."
            ),
        )
    }

    /// 415: a body in this encoding is not read here (RFC 9110 section 8.4).
    pub fn unsupported_content_encoding(encoding: &str) -> Self {
        Self::error(
            415,
            format!(
                "The provided content-encoding '{encoding}' is not supported: send gzip, deflate, or none."
            ),
        )
    }

    /// 422: understood, but it cannot be processed.
    pub fn unprocessable(reason: &str) -> Self {
        Self::message(422, format!("422 Unprocessable Entity - {reason}"))
    }

    /// 429: too many of these; the next is listened to after so many seconds.
    pub fn too_many_requests(retry_after_seconds: i64) -> Self {
        Self::message(429, "429 Too Many Requests")
            .with_header("Retry-After", retry_after_seconds.to_string())
    }

    /// 431: the headers are too many, or one is too long (RFC 6585, section 5).
    pub fn head_too_large() -> Self {
        Self::error(
            431,
            "431 Request Header Fields Too Large - send fewer and shorter headers",
        )
    }

    /// 500: our fault. The request id in the headers leads to the log, which has the rest.
    pub fn internal() -> Self {
        Self::message(500, "500 Internal Server Error")
    }

    /// 502: a server that was to be asked gave no answer that can be used, for this reason.
    pub fn bad_gateway(reason: &str) -> Self {
        Self::message(502, format!("502 Bad Gateway - {reason}"))
    }

    /// 504: a server that was to be asked did not answer in time.
    pub fn gateway_timeout(reason: &str) -> Self {
        Self::message(504, format!("504 Gateway Timeout - {reason}"))
    }

    /// 503: passing trouble; nothing was stored and the same request may succeed after `retry_after_seconds`.
    pub fn unavailable(retry_after_seconds: u32) -> Self {
        Self::message(503, "503 Service Unavailable")
            .with_header("Retry-After", retry_after_seconds.to_string())
    }

    /// The answer to a failure of storage: 503 when the same request may succeed later, else 500.
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
