//! Requests that no route should have to deal with.

use serde_json::json;

use crate::support::wire::Wire;
use crate::support::{Answer, Server};

/// API-08. The limit is one of the query alone and can be configured.
#[test]
fn a_query_of_the_limit_is_taken_and_one_byte_more_is_too_long() {
    let server = Server::start_configured("[server]\nmax_query_bytes = 300\n");
    let get = |length: usize| {
        let query = format!("x={}", "x".repeat(length - 2));
        server.developer().get(&format!("/api/v4/user?{query}"))
    };
    get(300).assert_ok();
    let text = "414 URI Too Long - the limit is 300 bytes, send the parameters in a body";
    get(301).assert_is(414, &json!({ "error": text }));
}

/// API-08. Beyond the highest limit that can be configured there is room to say so.
#[test]
fn the_highest_limit_is_told_too() {
    let server = Server::start_configured("[server]\nmax_query_bytes = 60000\n");
    for (length, status) in [(60_000, 200), (60_001, 414), (65_000, 414)] {
        let query = format!("x={}", "x".repeat(length - 2));
        let answer = server.developer().get(&format!("/api/v4/user?{query}"));
        assert_eq!(answer.status, status, "{length}");
    }
}

/// API-08.
#[test]
fn long_queries_are_refused_on_every_path_by_default() {
    let server = Server::start();
    let query = "x".repeat(16_385);
    for path in ["/api/v4/user", "/nowhere", "/-/health", &server.generic()] {
        let answer = server.developer().get(&format!("{path}?{query}"));
        assert_eq!(answer.status, 414, "{path}");
    }
}

/// API-13. Bytes that are no request are answered and the connection is closed; other connections do not care.
#[test]
fn what_is_not_http_is_refused() {
    let server = Server::start();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"nonsense\r\n\r\n",
        b"GET /api/v4/user HTTP/9.9\r\n\r\n",
        b"GET /api/v4/user HTTP/1.1\r\nBad Header: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    ] {
        let mut wire = Wire::open(&server);
        wire.send(bytes);
        let status = wire.ending().map(|answer| answer.status);
        assert!(
            status.is_none_or(|status| status == 400),
            "{status:?} to {bytes:?}"
        );
    }
    server.anonymous().get("/-/health").assert_ok();
}

/// API-13.
#[test]
fn headers_without_end_are_refused() {
    let server = Server::start();
    let mut wire = Wire::open(&server);
    wire.send(b"GET /api/v4/user HTTP/1.1\r\nHost: x\r\n");
    for number in 0..3_000 {
        wire.send(format!("X-Filler-{number}: {}\r\n", "x".repeat(100)).as_bytes());
    }
    let status = wire.ending().map(|answer| answer.status);
    assert!(
        status.is_none_or(|status| (400..500).contains(&status)),
        "{status:?}"
    );
    server.anonymous().get("/-/health").assert_ok();
}

fn put(server: &Server, content_type: Option<&str>, body: &[u8]) -> Answer {
    let caller = match content_type {
        Some(name) => server.developer().with("Content-Type", name),
        None => server.developer(),
    };
    caller.send("PUT", &format!("{}/1", server.alerts()), body)
}

/// API-07.
#[test]
fn a_body_of_another_type_is_refused_by_its_name() {
    let server = Server::start();
    let body = br#"{"status":"resolved"}"#;
    for name in [
        "text/plain",
        "image/png",
        "application/xml",
        "json",
        "text/json",
    ] {
        let text = format!("The provided content-type '{name}' is not supported.");
        put(&server, Some(name), body).assert_is(415, &json!({ "error": text }));
    }
    let text = "The provided content-type '' is not supported.";
    put(&server, None, body).assert_is(415, &json!({ "error": text }));
    let stored = server.developer().get(&format!("{}/1", server.alerts()));
    assert_eq!(stored.json()["status"], "triggered");
}

/// API-07.
#[test]
fn the_known_types_may_have_parameters_and_any_case() {
    let server = Server::start();
    let json = br#"{"status":"ignored"}"#;
    put(&server, Some("Application/JSON; charset=UTF-8"), json).assert_ok();
    let form = Some("application/x-www-form-urlencoded;charset=utf-8");
    let answer = put(&server, form, b"status=triggered");
    assert_eq!(answer.expect(200)["status"], "triggered");
}

/// API-13.
#[test]
fn json_that_is_broken_or_no_object_is_refused() {
    let server = Server::start();
    let nested = format!("{{\"status\":{}{}}}", "[".repeat(40), "]".repeat(40));
    for body in [
        "{",
        "[1]",
        "\"resolved\"",
        "{\"status\":\"a\\u0000\"}",
        "{\"status\":\"\\ud800\"}",
        &nested,
    ] {
        let answer = put(&server, Some("application/json"), body.as_bytes());
        assert!(answer.expect(400)["error"].is_string(), "{body}");
    }
    let not_utf8 = put(&server, Some("application/json"), b"{\"status\":\"\xff\"}");
    assert_eq!(not_utf8.status, 400);
}

/// API-13. The limit of the API is not that of alert intake.
#[test]
fn a_body_that_is_too_large_is_refused() {
    let server = Server::start_configured("[server]\nmax_body_bytes = 1024\n");
    let body = json!({ "status": "resolved", "x": "x".repeat(1024) }).to_string();
    let answer = put(&server, Some("application/json"), body.as_bytes());
    let text = "413 Request Entity Too Large - the limit is 1024 bytes";
    answer.assert_is(413, &json!({ "message": text }));
    let taken = json!({ "status": "resolved", "x": "x".repeat(900) }).to_string();
    put(&server, Some("application/json"), taken.as_bytes()).assert_ok();
}
