//! Responses sent before the request body has ended: the client receives them, and the connection is closed.

use serde_json::json;

use crate::support::TestServer;
use crate::support::wire::Wire;

const CONFIGURATION: &str = "[server]\nbody_timeout_seconds = 1\n[intake]\nmax_body_bytes = 4096\n";

/// A chunk of 1024 bytes.
fn chunk() -> String {
    format!("400\r\n{}\r\n", "x".repeat(0x400))
}

/// A connection on which a chunked body has begun.
fn begin_request(server: &TestServer, first_line: &str, credential: (&str, &str)) -> Wire {
    let mut wire = Wire::open(server);
    let headers = [
        credential,
        ("Content-Type", "application/json"),
        ("Transfer-Encoding", "chunked"),
    ];
    wire.send_head(first_line, &headers);
    wire.send(chunk().as_bytes());
    wire
}

/// ALRT-06.
#[test]
fn a_sender_without_a_key_does_not_keep_its_connection() {
    let server = TestServer::start();
    for path in [server.generic(), server.metrics()] {
        let wire = begin_request(
            &server,
            &format!("POST {path}"),
            ("Authorization", "Bearer wrong"),
        );
        let answer = wire.final_response().unwrap();
        answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
        assert_eq!(answer.header("connection"), Some("close"));
    }
}

/// ALRT-07.
#[test]
fn a_body_in_chunks_that_does_not_end_in_time_is_given_up() {
    let server = TestServer::start_configured(CONFIGURATION);
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let first_line = format!("POST {}", server.generic());
    let answer = begin_request(&server, &first_line, ("Authorization", &key)).final_response();
    let text = "408 Request Timeout";
    answer.unwrap().assert_is(408, &json!({ "message": text }));
}

/// The same for all other paths: without a token, with one, and where no route exists.
#[test]
fn no_path_of_the_api_keeps_a_connection_whose_body_does_not_end() {
    let server = TestServer::start_configured(CONFIGURATION);
    let alert = format!("PUT {}/1", server.alerts());
    let token = server.text("/developer/token");
    for (first_line, token, status) in [
        (alert.as_str(), "wrong", 401),
        (alert.as_str(), token, 408),
        ("POST /api/v4/nothing", token, 404),
        ("GET /api/v4/version", token, 200),
        ("OPTIONS /api/v4/version", token, 204),
    ] {
        let wire = begin_request(&server, first_line, ("PRIVATE-TOKEN", token));
        let answer = wire.final_response().unwrap();
        assert_eq!(answer.status, status, "{first_line}: {}", answer.text());
    }
}

/// ALRT-07. A client that sends everything before it reads has a second to finish.
#[test]
fn a_client_that_is_still_sending_comes_to_read_the_answer() {
    let server = TestServer::start_configured(CONFIGURATION);
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let first_line = format!("POST {}", server.generic());
    let mut wire = begin_request(&server, &first_line, ("Authorization", &key));
    wire.send(chunk().repeat(4096).as_bytes());
    let text = "413 Request Entity Too Large - the limit is 4096 bytes";
    let answer = wire.final_response().unwrap();
    answer.assert_is(413, &json!({ "message": text }));
}

/// A chunked body that is read to its end leaves the connection open for the next request.
#[test]
fn a_connection_whose_body_ended_is_used_again() {
    let server = TestServer::start();
    let mut wire = Wire::open(&server);
    let key = server.text("/alerts/key");
    let body = json!({ "title": "In chunks" }).to_string();
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {key}\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.generic()
    );
    let request = format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for _ in 0..2 {
        wire.send(request.as_bytes());
        let answer = wire.read_response();
        answer.assert_ok();
        assert_eq!(answer.header("connection"), None);
    }
}
