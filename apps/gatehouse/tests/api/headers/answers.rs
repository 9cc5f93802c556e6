//! Headers of every kind of response: media types, caching, and protections for browsers.

use std::collections::HashSet;

use serde_json::json;

use self::ExpectedValue::{Absent, Is, Like};
use super::PasswordApplication;
use crate::support::{TestCaller, TestResponse, TestServer};

/// Expected value of a header.
#[derive(Debug, Clone, Copy)]
enum ExpectedValue {
    /// Exactly this value.
    Is(&'static str),
    /// A value that meets the condition.
    Like(fn(&str) -> bool),
    /// No such header.
    Absent,
}

type ExpectedHeaders = &'static [(&'static str, ExpectedValue)];

/// Headers of every response. Headers for TLS are sent only when the configuration says that the server is reached over
/// TLS.
const EVERY: ExpectedHeaders = &[
    ("x-request-id", Like(is_request_id)),
    ("x-runtime", Like(is_runtime)),
    ("x-content-type-options", Is("nosniff")),
    ("vary", Is("Origin")),
    ("strict-transport-security", Absent),
];

/// Headers of responses that are not pages.
const MACHINE: ExpectedHeaders = &[
    ("x-frame-options", Is("SAMEORIGIN")),
    ("content-security-policy", Absent),
];

/// API-01. Clients that expect one exact content type accept it only without parameters.
const JSON: ExpectedHeaders = &[("content-type", Is("application/json"))];

/// Responses that only the caller may cache and must revalidate each time (API-14, D29).
const PRIVATE: ExpectedHeaders = &[
    ("cache-control", Is("max-age=0, private, must-revalidate")),
    ("etag", Like(is_tag)),
];

/// Responses that are the same for everyone (API-15).
const PUBLIC: ExpectedHeaders = &[
    ("cache-control", Is("public, max-age=300")),
    ("etag", Like(is_tag)),
];

/// D25. No response of the provider about tokens may be stored, right or wrong (RFC 6749, section 5.1).
const UNSTORED: ExpectedHeaders = &[
    ("cache-control", Is("no-store")),
    ("pragma", Is("no-cache")),
    ("content-type", Is("application/json; charset=utf-8")),
    ("etag", Absent),
];

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
const POLICY_WITH_SCRIPT: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

const PAGE: ExpectedHeaders = &[
    ("content-type", Is("text/html; charset=utf-8")),
    ("x-frame-options", Is("DENY")),
    ("referrer-policy", Is("same-origin")),
    ("cache-control", Is("no-store")),
];
const ALONE: ExpectedHeaders = &[
    ("cross-origin-opener-policy", Is("same-origin")),
    ("content-security-policy", Is(POLICY_WITH_SCRIPT)),
];
/// A page that an application may have opened in a popup keeps its opener. No script is allowed.
const POPUP: ExpectedHeaders = &[
    ("cross-origin-opener-policy", Is("unsafe-none")),
    ("content-security-policy", Is(POLICY)),
];

fn is_request_id(value: &str) -> bool {
    value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Seconds with microseconds.
fn is_runtime(value: &str) -> bool {
    value.split_once('.').is_some_and(|(seconds, micros)| {
        seconds.parse::<u32>().is_ok() && micros.len() == 6 && micros.parse::<u32>().is_ok()
    })
}

/// A weak entity tag of 128 bits.
fn is_tag(value: &str) -> bool {
    let tag = value
        .strip_prefix("W/\"")
        .and_then(|rest| rest.strip_suffix('"'));
    tag.is_some_and(is_request_id)
}

/// A line of the table: a short description of the request, its response, its status, and the expected headers.
type HeaderCase = (String, TestResponse, u16, Vec<ExpectedHeaders>);

fn case(name: &str, answer: TestResponse, status: u16, headers: &[ExpectedHeaders]) -> HeaderCase {
    (name.to_owned(), answer, status, headers.to_vec())
}

/// Successful responses of the API, refusals of all its layers, and responses without a body.
fn api_cases(server: &TestServer) -> Vec<HeaderCase> {
    let dev = server.developer();
    let long = format!("/api/v4/user?x={}", "x".repeat(20_000));
    let in_query = format!(
        "/api/v4/projects?private_token={}",
        server.text("/developer/token")
    );
    let read: &[ExpectedHeaders] = &[MACHINE, JSON, PRIVATE];
    let refused: &[ExpectedHeaders] = &[MACHINE, JSON];
    let sender = server.sender();
    let unknown = server.anonymous();
    vec![
        case("a read", dev.get("/api/v4/user"), 200, read),
        case("a list", dev.get(&server.alerts()), 200, read),
        case("a token in the query", unknown.get(&in_query), 200, read),
        case("HEAD", dev.send("HEAD", "/api/v4/user", b""), 200, read),
        case(
            "OPTIONS",
            dev.send("OPTIONS", "/api/v4/user", b""),
            204,
            &[MACHINE],
        ),
        case(
            "a method that is not there",
            dev.send("PATCH", "/api/v4/user", b""),
            405,
            refused,
        ),
        case("no path", dev.get("/nowhere"), 404, refused),
        case(
            "no project",
            dev.get("/api/v4/projects/nothing"),
            404,
            refused,
        ),
        case(
            "a wrong parameter",
            dev.get("/api/v4/projects?page=x"),
            400,
            refused,
        ),
        case("a query without end", dev.get(&long), 414, refused),
        case("no credentials", unknown.get("/api/v4/user"), 401, refused),
        case("health", unknown.get("/-/health"), 200, &[MACHINE]),
        case(
            "a broken alert",
            sender.post_bytes(&server.generic(), b"{"),
            400,
            refused,
        ),
        case(
            "an alert",
            sender.post(&server.generic(), &json!({})),
            200,
            refused,
        ),
    ]
}

/// Responses of the provider with an application's token, without one, and about itself.
fn provider_cases(server: &TestServer) -> Vec<HeaderCase> {
    let application = PasswordApplication::of(server);
    let anonymous = server.anonymous();
    let issued = application.token(&anonymous, server.text("/developer/password"));
    let token = issued.expect(200)["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let caller = TestCaller::bearer(server.base_url(), &token);
    let unstored: &[ExpectedHeaders] = &[MACHINE, UNSTORED];
    let mut cases = vec![
        case("tokens", issued, 200, unstored),
        case(
            "a wrong password",
            application.token(&anonymous, "wrong"),
            400,
            unstored,
        ),
        case(
            "no path below /oauth",
            anonymous.get("/oauth/nowhere"),
            404,
            unstored,
        ),
    ];
    for (method, path, with_token, without) in [
        ("GET", "/oauth/token/info", 200, 401),
        ("GET", "/oauth/userinfo", 200, 401),
        ("POST", "/oauth/userinfo", 200, 401),
        ("POST", "/oauth/token", 400, 400),
        ("POST", "/oauth/revoke", 200, 200),
        ("POST", "/oauth/introspect", 401, 401),
        ("DELETE", "/oauth/token", 405, 405),
    ] {
        let name = format!("{method} {path}");
        cases.push(case(
            &name,
            caller.send(method, path, b""),
            with_token,
            unstored,
        ));
        cases.push(case(
            &name,
            anonymous.send(method, path, b""),
            without,
            unstored,
        ));
    }
    for path in [
        "/oauth/discovery/keys",
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server",
        "/.well-known/webfinger?resource=acct:x@y",
    ] {
        cases.push(case(
            path,
            anonymous.get(path),
            200,
            &[MACHINE, JSON, PUBLIC],
        ));
    }
    cases.push(case(
        "no account",
        anonymous.get("/.well-known/webfinger"),
        400,
        unstored,
    ));
    cases
}

fn page_cases(server: &TestServer) -> Vec<HeaderCase> {
    let alone: &[ExpectedHeaders] = &[PAGE, ALONE];
    let popup: &[ExpectedHeaders] = &[PAGE, POPUP];
    let mut browser = server.browser();
    let mut cases = vec![
        case("sign-in", browser.open("/users/sign_in"), 200, popup),
        case(
            "a wrong password",
            browser.try_sign_in("dev", "wrong password"),
            422,
            popup,
        ),
        case("no page", browser.open("/nowhere"), 404, alone),
        case(
            "a form without our token",
            browser.post("/users/sign_in", &[]),
            403,
            popup,
        ),
        case(
            "no authorization request",
            browser.open("/oauth/authorize"),
            400,
            popup,
        ),
        case(
            "a form without our token",
            browser.post("/users/sign_out", &[]),
            403,
            alone,
        ),
    ];
    let html = server.anonymous().with("Accept", "text/html");
    let no_form = html.post("/users/sign_in", &json!({}));
    cases.push(case("no form", no_form, 415, popup));
    let mut member = server.signed_in("admin");
    for path in [
        "/",
        "/dashboard/projects",
        "/acme/web-shop",
        "/acme/web-shop/-/alert_management",
        "/acme/web-shop/-/alert_management/1/details",
        "/profile",
        "/profile/two_factor",
        "/help/api",
        "/admin/applications",
        "/admin/users",
        "/admin/users/dev",
        "/admin/users/dev/tokens",
        "/admin/audit_events",
        "/admin/limits",
        "/admin/server",
        "/admin/notifications",
        "/acme/web-shop/-/audit_events",
    ] {
        cases.push(case(path, member.open(path), 200, alone));
    }
    cases
}

/// API-01, API-14, API-15, D25, D29.
#[test]
fn every_answer_has_the_headers_of_its_kind() {
    let server = TestServer::start();
    let cases = [
        api_cases(&server),
        provider_cases(&server),
        page_cases(&server),
    ]
    .concat();
    let mut wrong = Vec::new();
    for (name, answer, status, kinds) in &cases {
        if answer.status != *status {
            wrong.push(format!("{name}: {} instead of {status}", answer.status));
        }
        let expected = kinds.iter().chain([&EVERY]).copied().flatten();
        for (header, expected) in expected {
            let found = answer.header(header);
            let is_right = match expected {
                Is(value) => found == Some(*value),
                Like(rule) => found.is_some_and(rule),
                Absent => found.is_none(),
            };
            if !is_right {
                wrong.push(format!(
                    "{name} ({status}): {header} is {found:?}, not {expected:?}"
                ));
            }
        }
        if answer.header("content-type") == Some("application/json") && !answer.body.is_empty() {
            answer.json();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ids = cases
        .iter()
        .filter_map(|(_, answer, ..)| answer.header("x-request-id"));
    assert_eq!(
        ids.collect::<HashSet<_>>().len(),
        cases.len(),
        "one id was given twice"
    );
}
