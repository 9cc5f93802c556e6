//! Size limits of a body, and limits of requests to an endpoint.

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

/// Counts in windows of a minute: after `limit` requests at most, and before twice as many, one is refused.
fn refused(limit: usize, mut send: impl FnMut() -> TestResponse) -> (usize, TestResponse) {
    let mut taken = 0;
    loop {
        let answer = send();
        if answer.status == 429 {
            return (taken, answer);
        }
        answer.assert_ok();
        taken += 1;
        assert!(taken <= 2 * limit, "no request was refused");
    }
}

#[test]
fn an_endpoint_takes_no_more_requests_in_a_minute_than_it_is_allowed() {
    const LIMIT: usize = 5;
    let server = TestServer::start();
    let owner = server.admin();
    let all = server.below_project("/alert_management/integrations");
    let generic = &owner.get(&all).list()[0];
    assert_eq!(generic["requests_per_minute"], json!(null));
    let one = format!("{all}/{}", generic["id"]);
    for wrong in [json!(-1), json!(1_000_001), json!("many")] {
        let wrong = json!({ "requests_per_minute": wrong });
        assert_eq!(owner.put(&one, &wrong).status, 400, "{wrong}");
    }
    let rule = json!({ "requests_per_minute": LIMIT });
    let changed = owner.put(&one, &rule).expect(200);
    assert_eq!(changed["requests_per_minute"], json!(LIMIT));
    let alert = json!({ "title": "Often" });
    let (sent, answer) = refused(LIMIT, || server.sender().post(&server.generic(), &alert));
    assert!((LIMIT..=2 * LIMIT).contains(&sent), "{sent}");
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let listed = server.developer().get(&server.alerts()).list();
    let counted = (&listed[0]["title"], &listed[0]["event_count"]);
    assert_eq!(
        counted,
        (&json!("Often"), &json!(sent)),
        "nothing of a refused request is stored"
    );
    // Other endpoints and wrong keys are not affected, and the limit can be taken away.
    let other = server.sender().post(&server.metrics(), &json!({}));
    assert_eq!(other.status, 422, "it is read");
    let event = json!({ "routing_key": server.text("/alerts/key"), "event_action": "trigger",
        "payload": { "summary": "x", "source": "y", "severity": "info" } });
    let paging = server
        .generic()
        .replace("notify.json", "notify/any/legacy/v2/enqueue");
    let (_, answer) = refused(LIMIT, || server.anonymous().post(&paging, &event));
    assert!(answer.header("retry-after").is_some());
    let off = json!({ "requests_per_minute": 0 });
    owner.put(&one, &off).expect(200);
    server.sender().post(&server.generic(), &alert).assert_ok();
}
