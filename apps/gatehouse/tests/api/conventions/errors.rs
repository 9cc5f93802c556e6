//! Requests that are refused before any route.

use serde_json::json;

use crate::support::wire::Wire;
use crate::support::{TestResponse, TestServer};

/// API-08. The limit applies only to the query and can be configured.
#[test]
fn a_query_at_the_limit_is_accepted_and_a_longer_one_returns_414() {
    let server = TestServer::start_configured("[server]\nmax_query_bytes = 300\n");
    let get = |length: usize| {
        let query = format!("x={}", "x".repeat(length - 2));
        server.developer().get(&format!("/api/v4/user?{query}"))
    };
    get(300).assert_ok();
    let text = "414 URI Too Long - the limit is 300 bytes, send the parameters in the body";
    get(301).assert_is(414, &json!({ "error": text }));
}

/// API-08. Above the highest limit that can be configured, the refusal can still be sent.
#[test]
fn the_highest_limit_is_reported_too() {
    let server = TestServer::start_configured("[server]\nmax_query_bytes = 60000\n");
    for (length, status) in [(60_000, 200), (60_001, 414), (65_000, 414)] {
        let query = format!("x={}", "x".repeat(length - 2));
        let answer = server.developer().get(&format!("/api/v4/user?{query}"));
        assert_eq!(answer.status, status, "{length}");
    }
}

/// API-08.
#[test]
fn long_queries_are_refused_on_every_path_by_default() {
    let server = TestServer::start();
    let query = "x".repeat(16_385);
    for path in ["/api/v4/user", "/nowhere", "/-/health", &server.generic()] {
        let answer = server.developer().get(&format!("{path}?{query}"));
        assert_eq!(answer.status, 414, "{path}");
    }
}

/// Checks that a refusal has the format of the API, although no endpoint received the request.
#[track_caller]
fn assert_reports(answer: &TestResponse, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.json()["error"].is_string(), "{}", answer.text());
    assert!(!answer.header("x-request-id").unwrap().is_empty());
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("connection"), Some("close"));
}

/// API-08, API-13. A request line of any length gets a response, in JSON.
#[test]
fn a_query_that_cannot_be_read_is_too_long_too() {
    let server = TestServer::start();
    for length in [
        16_385, 60_001, 65_534, 65_536, 100_000, 122_000, 131_072, 400_000,
    ] {
        let mut wire = Wire::open(&server);
        let first_line = format!("GET /api/v4/projects?q={}", "x".repeat(length));
        wire.send_head(&first_line, &[]);
        let answer = wire.final_response().unwrap();
        assert_reports(&answer, 414);
        let text = "414 URI Too Long - the limit is 16384 bytes, send the parameters in the body";
        assert_eq!(answer.json(), json!({ "error": text }), "{length}");
    }
}

/// API-03. Characters that shells and programs send without escaping are accepted as they are meant.
#[test]
fn unescaped_characters_in_a_query_are_accepted() {
    let server = TestServer::start();
    let title = "say \"<Grüße>\" `now`";
    server.raise(&json!({ "title": title }));
    let token = server.text("/developer/token").to_owned();
    for search in ["\"<Grüße>\"", "\"", "Grüße", "`now`", "<", ">"] {
        let mut wire = Wire::open(&server);
        let first_line = format!("GET {}?per_page=1&search={search}", server.alerts());
        wire.send_head(&first_line, &[("PRIVATE-TOKEN", &token)]);
        let answer = wire.final_response().unwrap();
        assert_eq!(answer.list().len(), 1, "{search}");
        assert_eq!(answer.list()[0]["title"], title, "{search}");
        assert!(answer.link("first").is_some_and(|link| link.is_ascii()));
    }
}

/// API-13. Bytes that are not HTTP get a response and the connection is closed; other connections are not affected.
#[test]
fn malformed_http_requests_return_400() {
    let server = TestServer::start();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"nonsense\r\n\r\n",
        b"GET /api/v4/user HTTP/9.9\r\n\r\n",
        b"GET /api/v4/user HTTP/1.1\r\nBad Header: x\r\n\r\n",
        b"GET /api/v4/user HTTP/1.1\r\nHost: x\r\nX: \x01\r\n\r\n",
        b"GET /api/v4/user HTTP/1.1\r\n\r\n",
        b"GET /api/v4/user?a=\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET user HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    ] {
        let mut wire = Wire::open(&server);
        wire.send(bytes);
        assert_reports(&wire.final_response().unwrap(), 400);
    }
    server.anonymous().get("/-/health").assert_ok();
}

/// API-13. A body with invalid chunks ends the request, which gets one response.
#[test]
fn a_body_that_is_not_in_chunks_is_refused_once() {
    let server = TestServer::start();
    let token = server.text("/developer/token").to_owned();
    let headers = [
        ("PRIVATE-TOKEN", token.as_str()),
        ("Content-Type", "application/json"),
        ("Transfer-Encoding", "chunked"),
    ];
    let mut wire = Wire::open(&server);
    wire.send_head(&format!("PUT {}/1", server.alerts()), &headers);
    wire.send(b"2\r\n{}\r\nnonsense\r\n");
    let response = String::from_utf8(wire.remaining_bytes()).unwrap();
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
    assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{response}");
    assert!(
        response.ends_with(r#""message":"the body ended before it was complete"}"#),
        "{response}"
    );
}

/// API-13.
#[test]
fn headers_without_end_are_refused() {
    let server = TestServer::start();
    let many = "X-Filler: 1\r\n".repeat(97);
    let long = format!("X-Filler: {}\r\n", "x".repeat(200_000));
    let name = format!("{}: 1\r\n", "X".repeat(70_000));
    for headers in [many, long, name] {
        let mut wire = Wire::open(&server);
        wire.send(b"GET /api/v4/user HTTP/1.1\r\nHost: x\r\n");
        wire.send(headers.as_bytes());
        wire.send(b"\r\n");
        assert_reports(&wire.final_response().unwrap(), 431);
    }
    server.anonymous().get("/-/health").assert_ok();
}

/// RFC 9110, section 9.3.2.
#[test]
fn the_refusal_of_a_head_request_has_no_body() {
    let server = TestServer::start();
    let mut wire = Wire::open(&server);
    wire.send(b"HEAD /api/v4/user HTTP/1.1\r\n\r\n");
    let answer = wire.final_response().unwrap();
    assert_eq!((answer.status, answer.body.len()), (400, 0));
    assert_ne!(answer.header("content-length"), Some("0"));
}

fn put(server: &TestServer, content_type: Option<&str>, body: &[u8]) -> TestResponse {
    let caller = match content_type {
        Some(name) => server.developer().with("Content-Type", name),
        None => server.developer(),
    };
    caller.send("PUT", &format!("{}/1", server.alerts()), body)
}

/// API-07.
#[test]
fn a_body_of_another_type_is_refused_by_its_name() {
    let server = TestServer::start();
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

/// API-07. Also where no parameter is expected: an ignored body may have been meant.
#[test]
fn a_body_of_another_type_is_refused_where_nothing_is_read_from_it() {
    let server = TestServer::start();
    let admin = || server.admin().with("Content-Type", "text/plain");
    let text = "The provided content-type 'text/plain' is not supported.";
    for (method, path) in [
        ("DELETE", "/api/v4/personal_access_tokens/self"),
        ("DELETE", "/api/v4/applications/1"),
        ("POST", "/api/v4/applications/1/renew-secret"),
    ] {
        let answer = admin().send(method, path, b"sudo=dev");
        answer.assert_is(415, &json!({ "error": text }));
    }
    assert_eq!(admin().get("/api/v4/applications").list().len(), 2);
}

/// A form in parts, as sent by clients that can also send files.
fn form_data(fields: &[(&str, &str)]) -> String {
    let parts = fields.iter().map(|(name, value)| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    });
    format!("{}--x--\r\n", parts.collect::<String>())
}

/// API-05, API-07. The same as in a URL-encoded form, except that nothing is escaped.
#[test]
fn the_fields_of_a_form_in_parts_are_read() {
    let server = TestServer::start();
    let kind = Some("multipart/form-data; boundary=x");
    let form = form_data(&[("status", "acknowledged"), ("per_page", "1")]);
    let answer = put(&server, kind, form.as_bytes());
    assert_eq!(answer.expect(200)["status"], "acknowledged");
    let quoted = Some("Multipart/Form-Data; boundary=\"x\"");
    let form = form_data(&[("page", &" ".repeat(200_000)), ("status", "resolved")]);
    let answer = put(&server, quoted, form.as_bytes());
    assert_eq!(answer.expect(200)["status"], "resolved");
    let form = form_data(&[("status", "acknowledged%20")]);
    let wrong = json!({ "error": "status does not have a valid value" });
    put(&server, kind, form.as_bytes()).assert_is(400, &wrong);
}

/// API-13.
#[test]
fn a_form_in_parts_that_cannot_be_read_is_refused() {
    let server = TestServer::start();
    let kind = Some("multipart/form-data; boundary=x");
    let file = "--x\r\nContent-Disposition: form-data; name=\"status\"; filename=\"a\"\r\n\r\n1\r\n--x--\r\n";
    let response = json!({ "error": "status is a file, but files are not accepted here" });
    put(&server, kind, file.as_bytes()).assert_is(400, &response);
    let good = form_data(&[("status", "resolved")]);
    let (no_name, cut) = (
        good.replace("; name=\"status\"", ""),
        &good[..good.len() - 12],
    );
    let nul = form_data(&[("status", "a\0")]);
    for (kind, body) in [
        (Some("multipart/form-data"), good.as_str()),
        (Some("multipart/form-data; boundary=y"), good.as_str()),
        (kind, no_name.as_str()),
        (kind, cut),
        (kind, nul.as_str()),
        (kind, "nonsense"),
    ] {
        let answer = put(&server, kind, body.as_bytes());
        assert_eq!(answer.status, 400, "{kind:?} {body:?} {}", answer.text());
    }
    let many = form_data(&vec![("a", ""); 10_001]);
    assert_eq!(put(&server, kind, many.as_bytes()).status, 400);
    let stored = server.developer().get(&format!("{}/1", server.alerts()));
    assert_eq!(stored.json()["status"], "triggered");
}

/// API-07.
#[test]
fn the_known_types_may_have_parameters_and_any_case() {
    let server = TestServer::start();
    let json = br#"{"status":"ignored"}"#;
    put(&server, Some("Application/JSON; charset=UTF-8"), json).assert_ok();
    let form = Some("application/x-www-form-urlencoded;charset=utf-8");
    let answer = put(&server, form, b"status=triggered");
    assert_eq!(answer.expect(200)["status"], "triggered");
}

/// API-13.
#[test]
fn json_that_is_broken_or_no_object_is_refused() {
    let server = TestServer::start();
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

/// API-13. The API has another limit than alert intake.
#[test]
fn a_body_that_is_too_large_is_refused() {
    let server = TestServer::start_configured("[server]\nmax_body_bytes = 1024\n");
    let body = json!({ "status": "resolved", "x": "x".repeat(1024) }).to_string();
    let answer = put(&server, Some("application/json"), body.as_bytes());
    let text = "413 Request Entity Too Large - the limit is 1024 bytes";
    answer.assert_is(413, &json!({ "message": text }));
    let accepted = json!({ "status": "resolved" }).to_string() + &" ".repeat(900);
    put(&server, Some("application/json"), accepted.as_bytes()).assert_ok();
}
