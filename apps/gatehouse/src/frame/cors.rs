//! Responses that pages of other origins may read (`OAUTH-10`; the Fetch standard, "CORS protocol").
//!
//! The list is closed: paths that are not in it, such as `/oauth/authorize` and all pages, are not readable from other
//! origins.

use web_conventions::cors::CorsPolicy;

use super::intake_urls::{is_below_alertmanager, is_below_collector};

/// Response headers that a client of the API may read.
const EXPOSED_BY_API: &str = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, \
                              X-Prev-Page, X-Request-Id, X-Gatehouse-Token-Expires, \
                              X-Gatehouse-Ignored-Refs, Retry-After";

/// Response headers for an SDK in a browser, which needs them to obey the rate limits.
const EXPOSED_BY_COLLECTOR: &str = "X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After";

const AUTHORIZATION_ONLY: Option<&[&str]> = Some(&["authorization"]);

/// CORS policy of `path`; `None` if other origins have no access.
pub fn policy(path: &str) -> Option<CorsPolicy> {
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
        path if is_below_collector(path) => ("POST, OPTIONS", None, EXPOSED_BY_COLLECTOR),
        // Clients in browsers, such as karma, list alerts and create silences.
        path if is_below_alertmanager(path) => ("GET, HEAD, POST, DELETE, OPTIONS", None, ""),
        path if path.starts_with("/api/") => (
            "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
            None,
            EXPOSED_BY_API,
        ),
        _ => return None,
    };
    Some(CorsPolicy::new(methods, headers, exposed))
}

/// True if `path` answers preflight requests only since release 15.1 (specification, OAuth 2.0 endpoints).
pub fn is_preflight_new(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    ["/oauth/revoke", "/oauth/token", "/oauth/userinfo"].contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(path: &str, method: &str, headers: &str) -> bool {
        policy(path).is_some_and(|policy| policy.allows(method, headers))
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
    fn only_the_alertmanager_of_an_endpoint_is_open_below_a_project() {
        let endpoint = "/acme/web-shop/alerts/notify/karma/0123abcd";
        let silences = format!("{endpoint}/api/v2/silences");
        assert!(allowed(&silences, "POST", "authorization, content-type"));
        assert!(!allowed(&silences, "PUT", ""));
        for path in [
            format!("{endpoint}.json"),
            format!("{endpoint}/metrics"),
            "/acme/alerts/notify/api/v2/silences".to_owned(),
            "/acme/api/v2/silences".to_owned(),
        ] {
            assert_eq!(policy(&path), None, "{path}");
        }
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
