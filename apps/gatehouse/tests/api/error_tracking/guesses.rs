//! Many wrong keys: only a few are looked up, and clients with a valid key are not affected.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::json;

use super::{below, error, event};
use crate::support::{TestResponse, TestServer, eventually};

/// Wrong keys, and the number of connections that send them.
const GUESSES: usize = 20_000;
const GUESSERS: usize = 8;
/// Keys looked up per address in a burst, and then in each second.
const BURST: usize = 100;

/// Sends an event with a key.
fn send(server: &TestServer, key: &str) -> TestResponse {
    server.tracker().with_key(key).store(&event("Guessed"))
}

#[test]
fn wrong_keys_are_rate_limited_without_blocking_a_valid_key() {
    let server = TestServer::start();
    server.tracker().store(&event("Good")).expect(200);
    let (looked_up, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let started = Instant::now();
    thread::scope(|scope| {
        let guessers: Vec<_> = (0..GUESSERS)
            .map(|guesser| {
                let (server, looked_up) = (&server, &looked_up);
                scope.spawn(move || {
                    let tracker = server.tracker();
                    for number in 0..GUESSES / GUESSERS {
                        let query = format!("/store/?sentry_key={guesser:016x}{number:016x}");
                        let answer = tracker.bare(&query, b"{}", &[]);
                        if answer.status == 403 {
                            looked_up.fetch_add(1, Ordering::Relaxed);
                        } else {
                            let wait = answer.header("Retry-After");
                            assert_eq!((answer.status, wait), (429, Some("1")));
                        }
                    }
                })
            })
            .collect();
        let good = scope.spawn(|| {
            let tracker = server.tracker();
            let mut sent = 1;
            while !ended.load(Ordering::Relaxed) {
                tracker.store(&event("Good")).expect(200);
                sent += 1;
            }
            sent
        });
        for guesser in guessers {
            guesser.join().unwrap();
        }
        ended.store(true, Ordering::Relaxed);
        let sent: i64 = good.join().unwrap();
        assert_eq!(error(&server, "Good")["count"], json!(sent));
    });
    let seconds = usize::try_from(started.elapsed().as_secs()).unwrap();
    let looked_up = looked_up.into_inner();
    assert!(
        (BURST..=BURST + seconds + 1).contains(&looked_up),
        "{looked_up}"
    );
}

/// A program whose key was revoked repeats the same key, which is not guessing.
#[test]
fn the_same_wrong_key_is_looked_up_once() {
    let server = TestServer::start();
    for _ in 0..3 * BURST {
        assert_eq!(send(&server, &"ab".repeat(16)).status, 403);
    }
    server.tracker().store(&event("Good")).expect(200);
}

/// A key that is new to the server waits behind the guesses from the same address, and is accepted.
#[test]
fn a_new_key_is_let_in_beside_guesses() {
    let server = TestServer::start();
    for number in 0..2 * BURST {
        send(&server, &format!("{number:032x}"));
    }
    let key = server
        .admin()
        .post(&below(&server, "/client_keys"), &json!({}));
    let key = key.expect(201)["public_key"].as_str().unwrap().to_owned();
    eventually("the new key is let in", || {
        (send(&server, &key).status == 200).then_some(())
    });
}

/// A refusal is cached, and dropped as soon as the key is enabled.
#[test]
fn a_reenabled_client_key_is_accepted_at_once() {
    let server = TestServer::start();
    let admin = server.admin().with("Content-Type", "application/json");
    let path = below(&server, "/client_keys/1");
    let tracker = server.tracker();
    for _ in 0..3 {
        for (active, status) in [(false, 403), (true, 200)] {
            let change = json!({ "active": active }).to_string();
            admin.send("PATCH", &path, change.as_bytes()).assert_ok();
            for _ in 0..2 {
                assert_eq!(tracker.store(&event("Again")).status, status);
            }
        }
    }
}
