//! Responses of the provider that pages of other origins may read (`OAUTH-10`).

use super::PasswordApplication;
use crate::support::alertmanager::AlertmanagerEndpoint;
use crate::support::{TestCaller, TestResponse, TestServer};

const ORIGIN: &str = "https://app.example";

fn preflight(server: &TestServer, path: &str, method: &str, headers: &str) -> TestResponse {
    let caller = server
        .anonymous()
        .with("Origin", ORIGIN)
        .with("Access-Control-Request-Method", method);
    let caller = if headers.is_empty() {
        caller
    } else {
        caller.with("Access-Control-Request-Headers", headers)
    };
    caller.send("OPTIONS", path, b"")
}

/// True if a browser continues after the preflight (the Fetch standard, "CORS-preflight fetch").
fn may(server: &TestServer, path: &str, method: &str, headers: &str) -> bool {
    let answer = preflight(server, path, method, headers);
    assert_eq!(answer.status, 204);
    let lists = |name: &str, expected: &str| {
        let response = answer.header(name).unwrap_or_default().split(',');
        let mut response = response.map(|one| one.trim().to_ascii_lowercase());
        response.any(|one| one == expected.trim().to_ascii_lowercase())
    };
    let mut expected = headers.split(',').filter(|name| !name.is_empty());
    let shared = is_shared(&answer);
    let response = answer.headers.iter().map(|(name, _)| name);
    let response = response.filter(|name| name.starts_with("access-control-"));
    assert_eq!(
        shared,
        response.count() > 0,
        "a refusal says nothing: {answer:?}"
    );
    shared
        && lists("access-control-allow-methods", method)
        && expected.all(|name| lists("access-control-allow-headers", name))
}

/// True if a script of any origin may read the response, without the cookies of its user.
fn is_shared(answer: &TestResponse) -> bool {
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    answer.header("access-control-allow-origin") == Some("*")
}

/// Preflight requests: paths and methods, and the headers to request with each.
struct Preflights {
    requests: &'static [(&'static str, &'static str)],
    headers: &'static [&'static str],
    allowed: bool,
}

/// Endpoints that take a token or the credentials of an application.
const ENDPOINTS: &[(&str, &str)] = &[
    ("/oauth/token", "POST"),
    ("/oauth/revoke", "POST"),
    ("/oauth/introspect", "POST"),
    ("/oauth/userinfo", "GET"),
    ("/oauth/userinfo", "POST"),
    ("/oauth/token/info", "GET"),
];

/// Public documents.
const DOCUMENTS: &[(&str, &str)] = &[
    ("/oauth/discovery/keys", "GET"),
    ("/.well-known/openid-configuration", "GET"),
    ("/.well-known/oauth-authorization-server", "GET"),
    ("/.well-known/webfinger?resource=acct:x@y", "GET"),
];

/// Simple headers and `Authorization` are allowed; a preflight for other headers is refused without a message. Public
/// documents are read without custom headers.
const TABLE: [Preflights; 6] = [
    Preflights {
        requests: ENDPOINTS,
        headers: &[
            "",
            "authorization",
            "Content-Type, Authorization",
            "accept,accept-language",
        ],
        allowed: true,
    },
    Preflights {
        requests: ENDPOINTS,
        headers: &[
            "X-Requested-With",
            "authorization, x-requested-with",
            "x-csrf-token",
            "private-token",
            "cookie",
            "*",
        ],
        allowed: false,
    },
    Preflights {
        requests: &[
            ("/oauth/token", "DELETE"),
            ("/oauth/token", "PUT"),
            ("/oauth/token", "PATCH"),
            ("/oauth/token", "TRACE"),
            ("/oauth/revoke", "DELETE"),
            ("/oauth/revoke", "PUT"),
            ("/oauth/revoke", "PATCH"),
            ("/oauth/revoke", "TRACE"),
            ("/oauth/introspect", "DELETE"),
            ("/oauth/introspect", "PUT"),
            ("/oauth/introspect", "PATCH"),
            ("/oauth/introspect", "TRACE"),
            ("/oauth/userinfo", "DELETE"),
            ("/oauth/userinfo", "PUT"),
            ("/oauth/userinfo", "PATCH"),
            ("/oauth/userinfo", "TRACE"),
            ("/oauth/token/info", "DELETE"),
            ("/oauth/token/info", "PUT"),
            ("/oauth/token/info", "PATCH"),
            ("/oauth/token/info", "TRACE"),
        ],
        headers: &[""],
        allowed: false,
    },
    Preflights {
        requests: DOCUMENTS,
        headers: &[""],
        allowed: true,
    },
    Preflights {
        requests: DOCUMENTS,
        headers: &["authorization"],
        allowed: false,
    },
    Preflights {
        requests: &[
            ("/oauth/discovery/keys", "POST"),
            ("/.well-known/openid-configuration", "POST"),
            ("/.well-known/oauth-authorization-server", "POST"),
            ("/.well-known/webfinger?resource=acct:x@y", "POST"),
        ],
        headers: &[""],
        allowed: false,
    },
];

/// OAUTH-10, D33.
#[test]
fn preflights_allow_only_the_methods_and_headers_in_the_table() {
    let server = TestServer::start();
    for line in &TABLE {
        for (path, method) in line.requests {
            for headers in line.headers {
                let name = format!("{method} {path} with {headers:?}");
                assert_eq!(may(&server, path, method, headers), line.allowed, "{name}");
                if line.allowed && line.requests == ENDPOINTS {
                    let answer = preflight(&server, path, method, headers);
                    assert_eq!(
                        answer.header("access-control-max-age"),
                        Some("7200"),
                        "{name}"
                    );
                    let echoed = answer.header("access-control-allow-headers");
                    assert_eq!(echoed.unwrap_or_default(), *headers, "{name}");
                }
            }
        }
    }
}

/// Clients of Alertmanager run in browsers, too.
#[test]
fn the_alertmanager_of_an_endpoint_is_usable_from_every_origin() {
    let server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    for (path, method) in [
        ("/api/v2/silences", "POST"),
        ("/api/v2/alerts/groups", "GET"),
        ("/api/v2/silence/1", "DELETE"),
    ] {
        let path = format!("{}{path}", endpoint.below);
        assert!(
            may(&server, &path, method, "authorization,content-type"),
            "{path}"
        );
    }
    let token = server.token("dev", "api");
    let caller = TestCaller::bearer(server.base_url(), &token).with("Origin", ORIGIN);
    let silences = caller.get(&format!("{}/api/v2/silences", endpoint.below));
    assert!(
        silences.status == 200 && is_shared(&silences),
        "{silences:?}"
    );
}

/// OAUTH-10, D33.
#[test]
fn public_documents_are_readable_from_every_origin() {
    let server = TestServer::start();
    for (path, _) in DOCUMENTS {
        let answer = server.anonymous().with("Origin", ORIGIN).get(path);
        answer.assert_ok();
        assert!(is_shared(&answer), "{path}");
    }
}

/// D33. Pages are for users: no script of another origin can read one, or send one of its forms.
#[test]
fn pages_are_not_shared_with_other_origins() {
    let server = TestServer::start();
    let path = server.relying_party("Shop").authorize_path(&[]);
    for path in [
        path.as_str(),
        "/oauth/authorize",
        "/oauth/authorize/",
        "/oauth/authorize/native?code=x",
        "/users/sign_in",
        "/profile",
        "/oauth/applications",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            assert!(!is_shared(&preflight(&server, path, method, "")), "{path}");
        }
    }
    let browser = server.signed_in("developer");
    let answer = browser.with("Origin", ORIGIN).open(&path);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

/// OAUTH-10. Scripts may also read refusals, with the challenge; and caches keep responses by origin.
#[test]
fn an_answer_and_a_refusal_say_the_same_of_origins() {
    let server = TestServer::start();
    let application = PasswordApplication::of(&server);
    let caller = server.anonymous().with("Origin", ORIGIN);
    let right = server.text("/developer/password");
    for (password, status) in [(right, 200), ("wrong", 400)] {
        let answer = application.token(&caller, password);
        assert_eq!(answer.status, status);
        assert!(is_shared(&answer));
        assert_eq!(answer.header("vary"), Some("Origin"));
        let exposed = answer.header("access-control-expose-headers");
        assert_eq!(exposed, Some("WWW-Authenticate"));
    }
    let answer = application.token(&server.anonymous(), right);
    let allowed = answer.header("access-control-allow-origin");
    assert_eq!(allowed, None, "nobody asked");
}
