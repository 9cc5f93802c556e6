//! Hostile input: decompression bombs, floods of tags and endless bodies. Each is refused or cut within bounds, and the
//! next event of another client is accepted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{assert_refused, error, event};
use crate::support::TestServer;
use crate::support::packed::{brotli_bomb, deflate, gzip, zstd_bomb};
use crate::support::rows::number;
use crate::support::tracker::TrackerClient;
use crate::support::wire::Wire;

/// Unpacked size of a bomb, in bytes: several times the collector's limit.
const BOMB_BYTES: usize = 96 << 20;
/// Maximum memory for refusing, beyond the server's normal use, in bytes: a few bodies of maximum size.
const MAX_MEMORY_GROWTH: u64 = 160 << 20;

/// Asserts that memory has grown by no more than that, and that the next event is accepted.
#[track_caller]
fn assert_unharmed(server: &TestServer, before: u64, allowed: u64) {
    let grown = server.vital("VmHWM") - before;
    assert!(grown < allowed, "{grown} bytes");
    server.tracker().store(&event("After")).expect(200);
    assert_eq!(error(server, "After")["count"], json!(1));
}

#[test]
fn bombs_of_every_encoding_are_refused() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let before = server.vital("VmHWM");
    let zeros = vec![b'{'; BOMB_BYTES];
    let deflated = deflate(&zeros);
    for (encoding, bomb) in [
        ("gzip", gzip(&zeros)),
        ("gzip", gzip(&gzip(&zeros)).repeat(1000)),
        ("deflate", deflated.clone()),
        ("br", brotli_bomb(BOMB_BYTES >> 24)),
        ("zstd", zstd_bomb(BOMB_BYTES >> 17)),
    ] {
        for endpoint in ["/envelope/", "/store/"] {
            let headers = [("Content-Encoding", encoding)];
            let answer = tracker.post_with(endpoint, &bomb, &headers);
            assert!(
                matches!(answer.status, 400 | 413),
                "{encoding} {endpoint}: {}",
                answer.text()
            );
        }
    }
    let old = STANDARD.encode(&deflated);
    assert_refused(&tracker.post("/store/", old.as_bytes()), 413);
    let twice = [("Content-Encoding", "gzip")];
    assert_refused(
        &tracker.post_with("/store/", &gzip(old.as_bytes()), &twice),
        413,
    );
    assert_unharmed(&server, before, MAX_MEMORY_GROWTH);
}

/// The bombs of the test are valid compressed data: a small one is unpacked, and its text is parsed.
#[test]
fn highly_compressed_bodies_within_the_limit_are_decompressed() {
    let server = TestServer::start();
    for (encoding, packed) in [("br", brotli_bomb(1)), ("zstd", zstd_bomb(128))] {
        let headers = [("Content-Encoding", encoding)];
        let answer = server.tracker().post_with("/envelope/", &packed, &headers);
        let message = assert_refused(&answer, 400);
        assert!(message.contains("first line"), "{encoding}: {message}");
    }
}

/// Many bombs at once, each on its own connection: they wait for each other, so that together they hold no more than a
/// few. All at once would hold about 50 MB each.
#[test]
fn bombs_at_the_same_time_wait_for_each_other() {
    let server = TestServer::start();
    let before = server.vital("VmHWM");
    let bomb = gzip(&vec![b'{'; BOMB_BYTES]);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..2 {
                    let headers = [("Content-Encoding", "gzip")];
                    let answer = server.tracker().post_with("/envelope/", &bomb, &headers);
                    assert_eq!(answer.status, 413);
                }
            });
        }
        for _ in 0..20 {
            server.tracker().store(&event("Beside")).expect(200);
        }
    });
    assert_eq!(error(&server, "Beside")["count"], json!(20));
    assert_unharmed(&server, before, 2 * MAX_MEMORY_GROWTH);
}

#[test]
fn ten_thousand_tags_are_stored_in_at_most_forty_rows() {
    let server = TestServer::start();
    let many: serde_json::Map<String, Value> = (0..10_000)
        .map(|number| (format!("tag-{number}"), json!(format!("value {number}"))))
        .collect();
    let mut tagged = event("Tagged");
    tagged["tags"] = many.into();
    let rows = |server: &TestServer| number(server, "SELECT count(*) FROM error_tags");
    let before = rows(&server);
    for _ in 0..3 {
        server.tracker().store(&tagged).expect(200);
    }
    assert_eq!(error(&server, "Tagged")["count"], json!(3));
    let created = rows(&server) - before;
    assert!((1..=40).contains(&created), "{created} rows");
}

/// Bodies that unpack to just the limit, and consist of only brackets, keys or lines.
#[test]
fn a_body_as_large_as_it_may_be_costs_little() {
    let server = TestServer::start();
    let before = server.vital("VmHWM");
    let tracker = server.tracker();
    for body in [
        "[".repeat(20 << 20),
        "{\"a\":".repeat(3 << 20),
        "{}\n".repeat(5 << 20),
    ] {
        let answer = tracker.post_with(
            "/envelope/",
            &gzip(body.as_bytes()),
            &[("Content-Encoding", "gzip")],
        );
        assert!(matches!(answer.status, 400 | 413), "{}", answer.text());
        let answer = tracker.post("/store/", body.as_bytes());
        assert!(matches!(answer.status, 400 | 413), "{}", answer.text());
    }
    assert_unharmed(&server, before, MAX_MEMORY_GROWTH);
}

/// Begins a request whose body is not read if the request is refused in time.
fn begin(server: &TestServer, tracker: &TrackerClient, header: (&str, &str)) -> Wire {
    let mut wire = Wire::open(server);
    let auth = tracker.auth();
    let headers = [("X-Sentry-Auth", auth.as_str()), header];
    wire.send_head(&format!("POST {}/envelope/", tracker.base), &headers);
    wire
}

#[test]
fn a_body_of_a_hundred_megabytes_is_not_awaited() {
    let server = TestServer::start();
    let (tracker, before) = (server.tracker(), server.vital("VmHWM"));
    let wire = begin(&server, &tracker, ("Content-Length", "104857600"));
    assert_refused(&wire.final_response().unwrap(), 413);
    let mut wire = begin(&server, &tracker, ("Transfer-Encoding", "chunked"));
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    // One chunk more than the limit, and the body has not ended.
    for _ in 0..=(20 << 20) / 0x10000 {
        wire.send(chunk.as_bytes());
    }
    assert_refused(&wire.final_response().unwrap(), 413);
    assert_unharmed(&server, before, MAX_MEMORY_GROWTH);
}

/// If the key is in the body, only a smaller part of it is read.
#[test]
fn without_a_key_in_the_head_a_mebibyte_is_enough() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let body = vec![b'x'; (1 << 20) + 1];
    assert_refused(&tracker.bare("/envelope/", &body, &[]), 413);
    let packed = gzip(&vec![b'{'; BOMB_BYTES]);
    let headers = [("Content-Encoding", "gzip")];
    assert_refused(&tracker.bare("/envelope/", &packed, &headers), 413);
}
