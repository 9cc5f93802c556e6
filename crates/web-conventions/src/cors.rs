//! Cross-origin access to responses (the Fetch standard, "CORS protocol").
//!
//! The host decides which paths have a policy. Cookies are never allowed: another origin never gets access with a
//! user's session.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN,
};

/// Time for which a browser may cache a preflight response, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// Headers that need no permission (the Fetch standard, "CORS-safelisted request-header").
const SIMPLE_HEADERS: [&str; 5] = [
    "accept",
    "accept-language",
    "content-language",
    "content-type",
    "range",
];

/// Cross-origin policy of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorsPolicy {
    methods: &'static str,
    /// Allowed request headers beyond the simple ones; `None` for any.
    headers: Option<&'static [&'static str]>,
    exposed: &'static str,
}

impl CorsPolicy {
    /// Creates a policy that allows other origins `methods`, separated by commas and spaces, and the request headers
    /// `headers` besides the simple ones (`None` for any), and lets them read the response headers `exposed`, separated
    /// in the same way, besides the body.
    pub const fn new(
        methods: &'static str,
        headers: Option<&'static [&'static str]>,
        exposed: &'static str,
    ) -> Self {
        Self {
            methods,
            headers,
            exposed,
        }
    }

    /// Returns the same policy for requests that need no preflight: others are refused.
    #[must_use]
    pub const fn without_preflight(self) -> Self {
        Self {
            methods: "",
            headers: Some(&[]),
            ..self
        }
    }

    /// True if a request with this method, and with these headers besides the simple ones, is allowed.
    pub fn allows(self, method: &str, headers: &str) -> bool {
        let mut names = headers
            .split(',')
            .map(|name| name.trim().to_ascii_lowercase());
        let is_allowed = |name: &str| {
            name.is_empty()
                || SIMPLE_HEADERS.contains(&name)
                || self.headers.is_none_or(|headers| headers.contains(&name))
        };
        self.methods.split(", ").any(|allowed| allowed == method)
            && names.all(|name| is_allowed(&name))
    }

    /// Adds the response headers that let other origins read the response.
    pub fn add_to(self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(self.exposed),
        );
    }
}

/// True if a request is a CORS preflight.
pub fn is_preflight(request: &ServiceRequest) -> bool {
    let headers = request.headers();
    *request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Returns the preflight response for the policy of a path. A request that exceeds the policy, or for a path without
/// one, gets a response that allows nothing, which the browser treats as a refusal.
pub fn preflight_response(headers: &HeaderMap, policy: Option<CorsPolicy>) -> HttpResponse {
    let mut answer = HttpResponse::NoContent().finish();
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let method = text(ACCESS_CONTROL_REQUEST_METHOD).unwrap_or_default();
    let requested = text(ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
    if let Some(policy) = policy.filter(|policy| policy.allows(method, requested)) {
        let response_headers = answer.headers_mut();
        policy.add_to(response_headers);
        response_headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(policy.methods),
        );
        response_headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        if !requested.is_empty()
            && let Ok(requested) = HeaderValue::from_str(requested)
        {
            response_headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, requested);
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_headers_and_those_of_the_policy_are_allowed() {
        let policy = CorsPolicy::new("POST, OPTIONS", Some(&["authorization"]), "ETag");
        for good in ["", "Authorization", "content-type, AUTHORIZATION", "accept"] {
            assert!(policy.allows("POST", good), "{good}");
        }
        for bad in ["X-Requested-With", "authorization, x-csrf-token", "*"] {
            assert!(!policy.allows("POST", bad), "{bad}");
        }
        assert!(!policy.allows("DELETE", ""));
        let open = CorsPolicy::new("GET", None, "");
        assert!(open.allows("GET", "private-token, x-anything"));
    }
}
