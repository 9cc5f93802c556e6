//! Which answers pages of other origins may read (`OAUTH-10`; the Fetch standard, "CORS protocol").
//!
//! The table is closed: a path that is not in it, such as `/oauth/authorize` and every page, answers no other
//! origin. Nothing here allows cookies: an origin that is not ours is never let in with the user's session.

use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN,
};
use actix_web::{HttpRequest, HttpResponse};

/// How long a browser may remember the answer to a preflight, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// What a client of the API may read besides the body.
const EXPOSED_BY_API: &str = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, \
                              X-Prev-Page, X-Request-Id, Retry-After";

/// Headers that need no permission (the Fetch standard, "CORS-safelisted request-header").
const SIMPLE_HEADERS: [&str; 5] = [
    "accept",
    "accept-language",
    "content-language",
    "content-type",
    "range",
];

/// What is allowed at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorsPolicy {
    methods: &'static str,
    /// Headers beyond the simple ones; `None` for any.
    headers: Option<&'static [&'static str]>,
    exposed: &'static str,
}

const AUTHORIZATION_ONLY: Option<&[&str]> = Some(&["authorization"]);

/// What is allowed at `path`; `None` where other origins get nothing.
fn policy(path: &str) -> Option<CorsPolicy> {
    let (methods, headers, exposed) = match path.trim_end_matches('/') {
        "/oauth/token" | "/oauth/revoke" | "/oauth/introspect" => {
            ("POST, OPTIONS", AUTHORIZATION_ONLY, "WWW-Authenticate")
        }
        "/oauth/userinfo" => (
            "GET, HEAD, POST, OPTIONS",
            AUTHORIZATION_ONLY,
            "WWW-Authenticate",
        ),
        "/oauth/token/info" => ("GET, HEAD, OPTIONS", AUTHORIZATION_ONLY, "WWW-Authenticate"),
        "/oauth/discovery/keys"
        | "/.well-known/openid-configuration"
        | "/.well-known/oauth-authorization-server"
        | "/.well-known/webfinger" => ("GET, HEAD", Some(&[][..]), "ETag"),
        path if path.starts_with("/api/") => (
            "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            None,
            EXPOSED_BY_API,
        ),
        _ => return None,
    };
    Some(CorsPolicy {
        methods,
        headers,
        exposed,
    })
}

/// The answer to a preflight; `None` for any other request. One that asks for too much is answered without /// policy at all, which the browser takes for a no.
pub fn preflight(request: &ServiceRequest) -> Option<HttpResponse> {
    let asked = || request.headers().get(ACCESS_CONTROL_REQUEST_METHOD);
    let is_preflight = *request.method() == Method::OPTIONS
        && request.headers().contains_key(ORIGIN)
        && asked().is_some();
    is_preflight.then(|| answer(request.headers(), policy(request.path())))
}

/// What the origin that a request came from may do with the answer.
pub fn policy_of(request: &HttpRequest) -> Option<CorsPolicy> {
    let is_foreign = request.headers().contains_key(ORIGIN);
    is_foreign.then(|| policy(request.path())).flatten()
}

impl CorsPolicy {
    /// Says so in the headers of the answer.
    pub fn add_to(self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(self.exposed),
        );
    }
}

fn answer(headers: &HeaderMap, policy: Option<CorsPolicy>) -> HttpResponse {
    let mut answer = HttpResponse::NoContent().finish();
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let method = text(ACCESS_CONTROL_REQUEST_METHOD).unwrap_or_default();
    let asked = text(ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
    if let Some(policy) = policy.filter(|policy| allows(*policy, method, asked)) {
        let response_headers = answer.headers_mut();
        policy.add_to(response_headers);
        response_headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(policy.methods),
        );
        response_headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        if !asked.is_empty()
            && let Ok(asked) = HeaderValue::from_str(asked)
        {
            response_headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked);
        }
    }
    answer
}

fn allows(policy: CorsPolicy, method: &str, asked: &str) -> bool {
    let mut asked = asked
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase());
    let known = |name: &str| {
        name.is_empty()
            || SIMPLE_HEADERS.contains(&name)
            || policy.headers.is_none_or(|headers| headers.contains(&name))
    };
    policy.methods.split(", ").any(|allowed| allowed == method) && asked.all(|name| known(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(path: &str, method: &str, headers: &str) -> bool {
        policy(path).is_some_and(|policy| allows(policy, method, headers))
    }

    #[test]
    fn other_origins_get_nothing_from_pages() {
        for path in [
            "/oauth/authorize",
            "/oauth/authorize/",
            "/users/sign_in",
            "/",
            "/oauth/applications",
        ] {
            assert_eq!(policy(path), None, "{path}");
        }
    }

    #[test]
    fn only_simple_headers_and_authorization_reach_the_token_endpoint() {
        for path in [
            "/oauth/token",
            "/oauth/revoke",
            "/oauth/userinfo",
            "/oauth/token/",
        ] {
            for good in ["", "Authorization", "content-type, AUTHORIZATION", "accept"] {
                assert!(allowed(path, "POST", good), "{path} {good}");
            }
            for bad in ["X-Requested-With", "authorization, x-csrf-token", "*"] {
                assert!(!allowed(path, "POST", bad), "{path} {bad}");
            }
            assert!(!allowed(path, "DELETE", ""), "{path}");
        }
        assert!(!allowed("/oauth/discovery/keys", "GET", "authorization"));
    }

    #[test]
    fn the_api_takes_any_header() {
        assert!(allowed(
            "/api/v4/projects",
            "DELETE",
            "private-token, x-anything"
        ));
        assert!(!allowed("/api/v4/projects", "TRACE", ""));
    }
}
