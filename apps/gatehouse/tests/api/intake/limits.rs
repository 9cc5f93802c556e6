//! Size limits of a body.

use serde_json::json;

use super::stored;
use crate::support::packed::gzip;
use crate::support::wire::Wire;
use crate::support::{TestResponse, TestServer};

const LIMIT: usize = 4096;

fn server() -> TestServer {
    TestServer::start_configured(&format!("[intake]\nmax_body_bytes = {LIMIT}\n"))
}

/// A body of exactly this many bytes.
fn body_of(bytes: usize) -> Vec<u8> {
    let frame = json!({ "title": "Large", "x": "" }).to_string().len();
    let body = json!({ "title": "Large", "x": "x".repeat(bytes - frame) });
    body.to_string().into_bytes()
}

#[track_caller]
fn check(answer: &TestResponse) {
    let text = format!("413 Request Entity Too Large - the limit is {LIMIT} bytes");
    answer.assert_is(413, &json!({ "message": text }));
}

/// ALRT-07.
#[test]
fn a_body_at_the_limit_is_accepted_and_a_larger_one_returns_413() {
    let server = server();
    let accepted = server
        .sender()
        .post_bytes(&server.generic(), &body_of(LIMIT));
    accepted.assert_is(200, &json!([{ "iid": 4, "title": "Large" }]));
    let before = stored(&server);
    for path in [server.generic(), server.metrics()] {
        check(&server.sender().post_bytes(&path, &body_of(LIMIT + 1)));
    }
    assert_eq!(stored(&server), before);
}

/// ALRT-07. The limit applies to the unpacked bytes.
#[test]
fn a_small_body_that_unpacks_to_a_large_one_is_refused() {
    let server = server();
    let before = stored(&server);
    let packed = server.sender().with("Content-Encoding", "gzip");
    let bomb = vec![b' '; 2_000_000];
    for body in [gzip(&body_of(LIMIT + 1)), gzip(&bomb)] {
        assert!(body.len() < LIMIT);
        check(&packed.post_bytes(&server.generic(), &body));
    }
    assert_eq!(stored(&server), before);
    let fits = packed.post_bytes(&server.generic(), &gzip(&body_of(LIMIT)));
    fits.assert_ok();
}

/// ALRT-07. Under the default limit: 50 MB of one byte, which pack to less than 100 kB.
#[test]
fn a_bomb_does_no_harm() {
    let server = TestServer::start();
    let before = stored(&server);
    let bomb = gzip(&vec![b' '; 50_000_000]);
    let packed = server.sender().with("Content-Encoding", "gzip");
    let answer = packed.post_bytes(&server.generic(), &bomb);
    let text = "413 Request Entity Too Large - the limit is 16777216 bytes";
    answer.assert_is(413, &json!({ "message": text }));
    assert_eq!(stored(&server), before);
}

/// ALRT-07. A body with too large a declared length is refused before it is sent.
#[test]
fn an_announced_length_is_believed() {
    let server = server();
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let mut wire = Wire::open(&server);
    let headers = [
        ("Authorization", key.as_str()),
        ("Content-Length", "1000000000"),
    ];
    wire.send_head(&format!("POST {}", server.generic()), &headers);
    check(&wire.final_response().unwrap());
}

/// ALRT-07. A body without a declared length is cut off at the limit.
#[test]
fn a_body_in_chunks_is_cut_off_at_the_limit() {
    let server = server();
    let before = stored(&server);
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let mut wire = Wire::open(&server);
    let headers = [
        ("Authorization", key.as_str()),
        ("Transfer-Encoding", "chunked"),
    ];
    wire.send_head(&format!("POST {}", server.generic()), &headers);
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400));
    wire.send(chunk.repeat(8).as_bytes());
    check(&wire.final_response().unwrap());
    assert_eq!(stored(&server), before);
}

/// ALRT-06, ALRT-07. Without a key the server does not read the body.
#[test]
fn without_a_key_the_body_is_not_awaited() {
    let server = server();
    let mut wire = Wire::open(&server);
    let headers = [
        ("Authorization", "Bearer wrong"),
        ("Content-Length", "4000"),
    ];
    wire.send_head(&format!("POST {}", server.generic()), &headers);
    let answer = wire.final_response().unwrap();
    answer.assert_is(401, &json!({ "message": "401 Unauthorized" }));
}
