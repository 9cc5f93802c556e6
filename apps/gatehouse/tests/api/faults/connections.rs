//! Clients that send many requests and read no responses, or never finish a request: a thousand of them hold little
//! memory, and not for long.

use serde_json::json;

use crate::support::rows::HeldWriter;
use crate::support::wire::Wire;
use crate::support::{TestServer, eventually};

/// Number of clients.
const CLIENTS: usize = 1_000;

/// Maximum memory per client, in bytes: the buffers of a connection and one request with its response.
const BYTES_PER_CLIENT: u64 = 64 * 1024;

const HEALTH: &str = "GET /-/health HTTP/1.1\r\nHost: x\r\n\r\n";

/// Raises the limit of open files for this process and the servers that it starts, as far as the machine permits.
fn permit_crowds() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

/// A thousand clients send a hundred requests each, of which the first has to wait. Only that one is held in memory.
#[test]
fn requests_that_wait_for_an_earlier_one_are_not_held() {
    permit_crowds();
    let server = TestServer::start();
    let before = server.vital("VmHWM");
    let token = server.text("/developer/token");
    let body = json!({ "status": "acknowledged" }).to_string();
    let first = format!(
        "PUT {}/1 HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.alerts(),
        body.len()
    );
    let last = HEALTH.replace("Host", "Connection: close\r\nHost");
    let requests = [first, HEALTH.repeat(98), last].concat();
    let writer = HeldWriter::at(&server);
    let crowd: Vec<Wire> = (0..CLIENTS)
        .map(|_| {
            let mut wire = Wire::open(&server);
            wire.send(requests.as_bytes());
            wire
        })
        .collect();
    drop(writer);
    for wire in crowd {
        let text = String::from_utf8(wire.remaining_bytes()).unwrap();
        assert_eq!(text.matches("HTTP/1.1 ").count(), 100);
        assert_eq!(text.matches("Gatehouse OK").count(), 99);
        assert!(text.ends_with("Gatehouse OK"));
    }
    let grown = server.vital("VmHWM") - before;
    assert!(grown < BYTES_PER_CLIENT * CLIENTS as u64, "{grown} bytes");
}

/// A client that reads no byte of a response is disconnected, and its queued requests are dropped.
#[test]
fn a_connection_whose_answers_nobody_reads_is_cut() {
    permit_crowds();
    let server = TestServer::start_configured("[server]\nwrite_timeout_seconds = 1\n");
    server.anonymous().get("/-/health").assert_ok();
    let before = server.vital("VmHWM");
    let page = "GET /users/sign_in HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n";
    let count = 20;
    let mut crowd: Vec<Wire> = (0..count)
        .map(|_| {
            let mut wire = Wire::open(&server);
            wire.send_as_far_as_it_goes(page.repeat(5_000).as_bytes());
            wire
        })
        .collect();
    eventually("all of them are cut", || {
        crowd.retain_mut(|wire| !wire.was_reset());
        crowd.is_empty().then_some(())
    });
    let grown = server.vital("VmHWM") - before;
    assert!(grown < 16 * BYTES_PER_CLIENT * count, "{grown} bytes");
    server.anonymous().get("/-/health").assert_ok();
}

/// A byte now and then does not keep a connection open, neither in the first request of a connection nor in a later
/// one.
#[test]
fn a_later_head_that_does_not_end_is_given_up() {
    permit_crowds();
    let server = TestServer::start_configured("[server]\nheader_timeout_seconds = 1\n");
    let mut crowd: Vec<(Wire, Vec<u8>)> = (0..CLIENTS)
        .map(|_| {
            let mut wire = Wire::open(&server);
            wire.send(HEALTH.as_bytes());
            wire.read_response().assert_ok();
            wire.send(b"GET /-/health?");
            (wire, Vec::new())
        })
        .collect();
    let mut ended = Vec::new();
    eventually("all of them are given up", || {
        crowd.retain_mut(|(wire, response)| {
            wire.send(b"x");
            let news = wire.available_bytes();
            response.extend(news.iter().flatten());
            if news.is_none() {
                ended.push(String::from_utf8_lossy(response).into_owned());
            }
            news.is_some()
        });
        crowd.is_empty().then_some(())
    });
    assert_eq!(ended.len(), CLIENTS);
    // A byte that arrives while the connection closes may cost a client the response.
    let response = ended.iter().filter(|text| !text.is_empty());
    for text in response.clone() {
        assert!(text.starts_with("HTTP/1.1 408 "), "{text}");
        assert!(
            text.ends_with(r#"{"message":"408 Request Timeout"}"#),
            "{text}"
        );
    }
    assert!(response.count() > CLIENTS / 2);
}

/// A connection without requests is closed without a response.
#[test]
fn an_idle_connection_ends() {
    let server = TestServer::start_configured("[server]\nkeep_alive_seconds = 1\n");
    let mut wire = Wire::open(&server);
    wire.send(HEALTH.as_bytes());
    wire.read_response().assert_ok();
    assert_eq!(wire.remaining_bytes(), b"");
}

/// Requests of all kinds on one connection, sent one byte at a time.
#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = TestServer::start();
    let key = server.text("/alerts/key");
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n",
        server.generic()
    );
    let (first, second) = (r#"{"title":"First"}"#, r#"{"title":"Second"}"#);
    let requests = [
        HEALTH.to_owned(),
        format!("{head}Content-Length: {}\r\n\r\n{first}", first.len()),
        format!(
            "{head}Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n{:x};x=y\r\n{}\r\n0\r\nX: y\r\n\r\n",
            &second[..5],
            second.len() - 5,
            &second[5..]
        ),
        format!("\r\n{HEALTH}"),
        "GET /nowhere?q=\"\u{fc}\" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_owned(),
    ]
    .concat();
    for size in [1, 7, requests.len()] {
        let mut wire = Wire::open(&server);
        for piece in requests.as_bytes().chunks(size) {
            wire.send(piece);
        }
        let text = String::from_utf8(wire.remaining_bytes()).unwrap();
        let response = [
            "Gatehouse OK",
            "\"First\"",
            "\"Second\"",
            "Gatehouse OK",
            "404 Not Found",
        ];
        let mut rest = text.as_str();
        for expected in response {
            let (_, after) = rest
                .split_once(expected)
                .unwrap_or_else(|| panic!("{expected}: {text}"));
            rest = after;
        }
        assert_eq!(text.matches("HTTP/1.1 ").count(), response.len(), "{text}");
    }
}
