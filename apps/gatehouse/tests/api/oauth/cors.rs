//! Which of the provider's answers pages of other origins may read (`OAUTH-10`).

use crate::oauth::support::Stage;
use crate::support::{Answer, Server};

const ORIGIN: &str = "https://app.example";

fn preflight(server: &Server, path: &str, method: &str, headers: &str) -> Answer {
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

/// Whether a browser that has asked goes on (the Fetch standard, "CORS-preflight fetch").
fn may(server: &Server, path: &str, method: &str, headers: &str) -> bool {
    let answer = preflight(server, path, method, headers);
    assert_eq!(answer.status, 204);
    let lists = |name: &str, wanted: &str| {
        let told = answer.header(name).unwrap_or_default().split(',');
        let mut told = told.map(|one| one.trim().to_ascii_lowercase());
        told.any(|one| one == wanted.trim().to_ascii_lowercase())
    };
    let mut wanted = headers.split(',').filter(|name| !name.is_empty());
    let shared = is_shared(&answer);
    let told = answer.headers.iter().map(|(name, _)| name);
    let told = told.filter(|name| name.starts_with("access-control-"));
    assert_eq!(
        shared,
        told.count() > 0,
        "a refusal says nothing: {answer:?}"
    );
    shared
        && lists("access-control-allow-methods", method)
        && wanted.all(|name| lists("access-control-allow-headers", name))
}

/// Whether a script of any origin may read an answer, without the cookies of its user.
fn is_shared(answer: &Answer) -> bool {
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    answer.header("access-control-allow-origin") == Some("*")
}

/// OAUTH-10, D33. Simple headers and `Authorization`; what a script adds besides is refused without a word.
#[test]
fn a_preflight_may_ask_for_simple_headers_and_authorization() {
    let server = Server::start();
    for (path, method) in [
        ("/oauth/token", "POST"),
        ("/oauth/revoke", "POST"),
        ("/oauth/introspect", "POST"),
        ("/oauth/userinfo", "GET"),
        ("/oauth/userinfo", "POST"),
        ("/oauth/token/info", "GET"),
    ] {
        for headers in [
            "",
            "authorization",
            "Content-Type, Authorization",
            "accept,accept-language",
        ] {
            assert!(may(&server, path, method, headers), "{path} {headers}");
            let answer = preflight(&server, path, method, headers);
            let methods = answer.header("access-control-allow-methods").unwrap();
            assert!(
                methods.split(", ").any(|one| one == method),
                "{path}: {methods}"
            );
            assert_eq!(answer.header("access-control-max-age"), Some("7200"));
            let echoed = answer
                .header("access-control-allow-headers")
                .unwrap_or_default();
            assert_eq!(echoed, headers);
        }
        for headers in [
            "X-Requested-With",
            "authorization, x-requested-with",
            "x-csrf-token",
            "private-token",
            "cookie",
            "*",
        ] {
            assert!(!may(&server, path, method, headers), "{path} {headers}");
        }
        for method in ["DELETE", "PUT", "PATCH", "TRACE"] {
            assert!(!may(&server, path, method, ""), "{path} {method}");
        }
    }
}

/// OAUTH-10, D33. What everybody may read anyway is read with no headers of one's own.
#[test]
fn what_is_public_may_be_read_from_everywhere() {
    let server = Server::start();
    for path in [
        "/oauth/discovery/keys",
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
        "/.well-known/webfinger?resource=acct:x@y",
    ] {
        let answer = server.anonymous().with("Origin", ORIGIN).get(path);
        answer.assert_ok();
        assert!(is_shared(&answer), "{path}");
        assert!(may(&server, path, "GET", ""), "{path}");
        assert!(!may(&server, path, "GET", "authorization"), "{path}");
        assert!(!may(&server, path, "POST", ""), "{path}");
    }
}

/// D33. Pages are for people: no script of another origin sees one, or sends one of its forms.
#[test]
fn nothing_of_a_page_is_for_other_origins() {
    let stage = Stage::web();
    let path = stage.client.asks().path();
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
            assert!(
                !is_shared(&preflight(&stage.server, path, method, "")),
                "{path}"
            );
        }
    }
    let answer = stage.browser.clone().with("Origin", ORIGIN).open(&path);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

/// OAUTH-10. Refusals are told to scripts, too, with the challenge; and what is kept is kept by origin.
#[test]
fn an_answer_and_a_refusal_say_the_same_of_origins() {
    let mut stage = Stage::tool();
    let code = stage.code();
    let caller = stage
        .server
        .anonymous()
        .with("Origin", ORIGIN)
        .with("Content-Type", "application/x-www-form-urlencoded");
    let body = stage.client.redeems(&code).encoded();
    for status in [200, 400] {
        let answer = caller.send("POST", "/oauth/token", body.as_bytes());
        assert_eq!(answer.status, status);
        assert!(is_shared(&answer));
        assert_eq!(answer.header("vary"), Some("Origin"));
        let exposed = answer.header("access-control-expose-headers");
        assert_eq!(exposed, Some("WWW-Authenticate"));
    }
    let answer = stage.client.redeems(&code).ask(&stage.server);
    assert_eq!(
        answer.header("access-control-allow-origin"),
        None,
        "nobody asked"
    );
}
