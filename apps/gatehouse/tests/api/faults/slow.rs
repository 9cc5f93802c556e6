//! Clients that never finish a request.

use crate::support::wire::Wire;
use crate::support::{TestResponse, TestServer};

const CONFIGURATION: &str = "[server]\nheader_timeout_seconds = 1\nbody_timeout_seconds = 1\n";

/// A server with timeouts of a second.
fn server() -> TestServer {
    TestServer::start_configured(CONFIGURATION)
}

/// Asserts that a slow client was disconnected: with 408 or without a response.
#[track_caller]
fn assert_ended(ending: Option<&TestResponse>) {
    assert!(
        ending.is_none_or(|answer| answer.status == 408),
        "{ending:?}"
    );
}

#[test]
fn a_request_that_never_begins_is_ended() {
    let server = server();
    let ending = Wire::open(&server).final_response();
    assert_ended(ending.as_ref());
}

#[test]
fn half_a_head_is_ended() {
    let server = server();
    for part in [
        "G",
        "GET /api/v4/user HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nAuth",
    ] {
        let mut wire = Wire::open(&server);
        wire.send(part.as_bytes());
        assert_ended(wire.final_response().as_ref());
    }
}

/// Nothing of half an alert is stored.
#[test]
fn half_an_alert_is_answered_with_408_and_not_stored() {
    let server = server();
    let before = server.developer().get(&server.alerts()).expect(200);
    let key = format!("Bearer {}", server.text("/alerts/key"));
    for path in [server.generic(), server.metrics()] {
        let mut wire = Wire::open(&server);
        let headers = [("Authorization", key.as_str()), ("Content-Length", "100")];
        wire.send_head(&format!("POST {path}"), &headers);
        wire.send(br#"{"title":"Half"#);
        let answer = wire.read_response();
        assert_eq!(
            (answer.status, answer.json()["message"].as_str()),
            (408, Some("408 Request Timeout"))
        );
    }
    let after = server.developer().get(&server.alerts()).expect(200);
    assert_eq!(after, before);
}

/// The same for half an event, with the key in the headers or in the received part of the body.
#[test]
fn half_an_event_is_answered_with_408_and_not_stored() {
    let server = server();
    let path = server.below_project("/error_tracking/errors?status=all");
    let before = server.developer().get(&path).expect(200);
    let tracker = server.tracker();
    let auth = tracker.auth();
    let dsn = serde_json::json!({ "dsn": server.demo["tracker"]["dsn"] });
    for (endpoint, header, half) in [
        (
            "/store/",
            ("X-Sentry-Auth", auth.as_str()),
            r#"{"message":"Half"#.to_owned(),
        ),
        (
            "/envelope/",
            ("X-Sentry-Auth", auth.as_str()),
            "{}\n".to_owned(),
        ),
        (
            "/envelope/",
            ("Content-Type", "text/plain"),
            format!("{dsn}\n"),
        ),
    ] {
        let mut wire = Wire::open(&server);
        let headers = [header, ("Content-Length", "1000")];
        wire.send_head(&format!("POST {}{endpoint}", tracker.base), &headers);
        wire.send(half.as_bytes());
        let answer = wire.read_response();
        let detail = answer.header("X-Sentry-Error").map(str::to_owned);
        assert_eq!(
            (answer.status, answer.json()["detail"].as_str()),
            (408, detail.as_deref())
        );
    }
    assert_eq!(server.developer().get(&path).expect(200), before);
}

#[test]
fn half_a_body_of_the_api_is_answered_with_408() {
    let server = server();
    let token = server.text("/developer/token").to_owned();
    let mut wire = Wire::open(&server);
    let headers = [
        ("PRIVATE-TOKEN", token.as_str()),
        ("Content-Type", "application/json"),
        ("Content-Length", "100"),
    ];
    wire.send_head(&format!("PUT {}/1", server.alerts()), &headers);
    wire.send(br#"{"status":"#);
    assert_eq!(wire.read_response().status, 408);
    let stored = server.developer().get(&format!("{}/1", server.alerts()));
    assert_eq!(stored.json()["status"], "triggered");
}

/// A body that breaks off because its sender has disconnected is not stored.
#[test]
fn an_alert_that_breaks_off_is_not_stored() {
    let server = server();
    let before = server.developer().get(&server.alerts()).expect(200);
    let key = format!("Bearer {}", server.text("/alerts/key"));
    for _ in 0..20 {
        let mut wire = Wire::open(&server);
        let headers = [("Authorization", key.as_str()), ("Content-Length", "20")];
        wire.send_head(&format!("POST {}", server.generic()), &headers);
        wire.send(br#"{"title":"Gone"}"#);
        drop(wire);
    }
    let after = server.developer().get(&server.alerts()).expect(200);
    assert_eq!(after, before);
}

/// A hundred slow clients do not affect others, which would wait for an hour if they had to wait for them.
#[test]
fn slow_clients_do_not_hold_up_others() {
    let patient = "[server]\nheader_timeout_seconds = 3600\nbody_timeout_seconds = 3600\n";
    let server = TestServer::start_configured(patient);
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let waiting: Vec<Wire> = (0..100)
        .map(|number| {
            let mut wire = Wire::open(&server);
            if number % 2 == 0 {
                wire.send(b"GET /api/v4/user HTT");
            } else {
                let headers = [("Authorization", key.as_str()), ("Content-Length", "99")];
                wire.send_head(&format!("POST {}", server.generic()), &headers);
            }
            wire
        })
        .collect();
    for number in 0..20 {
        let title = format!("Quick {number}");
        server.raise(&serde_json::json!({ "title": title }));
    }
    assert_eq!(waiting.len(), 100);
}

/// A response that is never read does no harm.
#[test]
fn a_client_that_does_not_read_does_no_harm() {
    let server = TestServer::start();
    let token = server.text("/developer/token").to_owned();
    for _ in 0..20 {
        let mut wire = Wire::open(&server);
        let headers = [("PRIVATE-TOKEN", token.as_str())];
        wire.send_head(&format!("GET {}", server.alerts()), &headers);
        drop(wire);
    }
    server.developer().get(&server.alerts()).assert_ok();
}
