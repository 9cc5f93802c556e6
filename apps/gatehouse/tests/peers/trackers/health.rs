//! SDKs count the sessions of a program, and which of them crashed.

use serde_json::{Value, json};

use super::{RELEASE, TestedSdk, error, get_tracker, tag};
use crate::support::TestServer;
use crate::support::polling::eventually_ok;

/// Checks the health of the release: three of four sessions end normally, and one crashes; the crash is an unhandled
/// error.
fn check(server: &TestServer, crash: &str) {
    let path = format!("/releases?release={}", RELEASE.replace('@', "%40"));
    let health = eventually_ok("a crash and four sessions are counted", || {
        let all = get_tracker(server, &path);
        let is_whole = |only: &Value| only["sessions"] == 4 && only["crashed"] == 1;
        match &all.as_array().unwrap()[..] {
            [only] if is_whole(only) => Ok(only.clone()),
            _ => Err(all.to_string()),
        }
    });
    let expected = json!({
        "release": RELEASE, "environment": "staging", "sessions": 4, "errored": 0, "crashed": 1, "abnormal": 0,
        "crash_free_rate": 0.75,
    });
    assert_eq!(health, expected);
    let error = error(server, crash);
    assert_eq!(
        (&error["count"], &error["first_release"]),
        (&json!(1), &json!(RELEASE))
    );
    assert_eq!(tag(&error, "handled"), [("no".to_owned(), 1)]);
}

/// Plays all four sessions in one run of an SDK.
fn check_at_once(sdk: TestedSdk) {
    let server = TestServer::start();
    if let Some(last_line) = sdk.play("sessions", server.text("/tracker/dsn")) {
        assert_eq!(last_line, "four sessions, one crash");
        check(&server, "CheckoutFailed: order 9 was not paid");
    }
}

/// Plays one session each in four programs.
fn check_one_by_one(sdk: TestedSdk, crash: &str) {
    let server = TestServer::start();
    let dsn = server.text("/tracker/dsn");
    for _ in 0..3 {
        let Some(last_line) = sdk.play("visit", dsn) else {
            return;
        };
        assert_eq!(last_line, "one session");
    }
    let output = sdk.program("crash", dsn).unwrap().output().unwrap();
    assert!(!output.status.success(), "it crashes");
    check(&server, crash);
}

#[test]
fn requests_to_a_program_in_python_are_sessions() {
    check_at_once(TestedSdk::Python);
}

#[test]
fn visits_to_a_page_are_sessions_in_chromium() {
    check_at_once(TestedSdk::Browser);
}

#[test]
fn a_run_of_a_program_in_node_is_a_session() {
    check_one_by_one(TestedSdk::Node, "CheckoutFailed: order 9 was not paid");
}

#[test]
fn a_run_of_a_program_in_rust_is_a_session() {
    check_one_by_one(TestedSdk::Rust, "panic: the shop is on fire");
}
