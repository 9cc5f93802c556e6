//! Everything that SDKs report about an error is stored: its causes, its frames, its breadcrumbs, its user and its
//! tags.

use serde_json::{Value, json};

use super::{RELEASE, TestedSdk, error, latest_report, tag};
use crate::support::TestServer;

/// Expected values that differ between SDKs.
struct ExpectedReport {
    /// Name of the SDK in its reports.
    name: &'static str,
    /// Platform of the program in its reports.
    platform: &'static str,
    /// Suffix of the name of the function that failed.
    function: &'static str,
    /// Breadcrumbs that it records by itself before the second error.
    own_breadcrumbs: &'static [&'static str],
}

/// The frames of the exception that was thrown last, or of the thread if the exceptions have none.
fn frames(report: &Value) -> Vec<Value> {
    let of = |all: &Value| {
        let last = all.as_array().and_then(|all| all.last().cloned());
        last.and_then(|last| last["stacktrace"]["frames"].as_array().cloned())
    };
    let frames = of(&report["exceptions"]).or_else(|| of(&report["threads"]));
    frames.unwrap_or_else(|| panic!("no frames: {report}"))
}

/// Checks the second of two events of the same error.
fn check_report(report: &Value, expected: &ExpectedReport) {
    let exceptions = report["exceptions"].as_array().unwrap().iter();
    let exceptions: Vec<_> = exceptions
        .map(|one| (one["type"].clone(), one["value"].clone()))
        .collect();
    let cause = (json!("CardDeclined"), json!("the bank said no to order 2"));
    let consequence = (json!("CheckoutFailed"), json!("order 2 was not paid"));
    assert_eq!(exceptions, [cause, consequence], "the cause comes first");
    let is_where_it_failed = |frame: &Value| {
        let function = frame["function"].as_str().unwrap_or_default();
        function.ends_with(expected.function)
            && frame["in_app"] == true
            && frame["lineno"].as_i64() > Some(0)
    };
    let frames = frames(report);
    assert!(frames.iter().any(is_where_it_failed), "{frames:#?}");
    let breadcrumbs = report["breadcrumbs"].as_array().unwrap();
    let is_added = |one: &Value| {
        one["category"] == "cart"
            && one["message"] == "a book was added"
            && one["at"].as_i64() > Some(0)
    };
    assert!(breadcrumbs.iter().any(is_added), "{breadcrumbs:?}");
    for category in expected.own_breadcrumbs {
        let mut categories = breadcrumbs.iter().map(|one| &one["category"]);
        assert!(categories.any(|one| one == category), "{breadcrumbs:?}");
    }
    let user = json!({ "id": "7", "username": "ann", "email": "ann@example.com" });
    assert_eq!(report["user"], user);
    assert_eq!(report["contexts"]["order"]["books"], 3);
    assert_eq!(report["sdk"]["name"], expected.name);
    assert_eq!(report["notes"], Value::Null, "all of it is understood");
}

/// Runs a program that reports the same error twice and a message once, and checks the stored data.
fn check(sdk: TestedSdk, expected: &ExpectedReport) {
    let server = TestServer::start();
    let Some(last_line) = sdk.play("errors", server.text("/tracker/dsn")) else {
        return;
    };
    assert_eq!(last_line, "two errors, one message");
    let failed = error(&server, "CheckoutFailed: order 2 was not paid");
    assert_eq!(failed["count"], 2, "both are of the same error: {failed}");
    assert_eq!(failed["user_count"], 1);
    assert_eq!(failed["level"], "error");
    assert_eq!(failed["platform"], expected.platform);
    assert_eq!(
        (&failed["first_release"], &failed["last_release"]),
        (&json!(RELEASE), &json!(RELEASE))
    );
    let location = failed["location"].as_str().unwrap();
    assert!(location.ends_with(expected.function), "{location}");
    for (name, value) in [
        ("area", "checkout"),
        ("environment", "staging"),
        ("release", RELEASE),
    ] {
        assert_eq!(tag(&failed, name), [(value.to_owned(), 2)], "{name}");
    }
    check_report(&latest_report(&server, &failed), expected);
    let message = error(&server, "stock is low");
    assert_eq!(
        (&message["count"], &message["level"]),
        (&json!(1), &json!("warning"))
    );
    assert_eq!(tag(&message, "area"), [("checkout".to_owned(), 1)]);
}

#[test]
fn a_program_in_python_reports_errors() {
    let expected = ExpectedReport {
        name: "sentry.python",
        platform: "python",
        function: "check_out",
        own_breadcrumbs: &[],
    };
    check(TestedSdk::Python, &expected);
}

#[test]
fn a_program_in_node_reports_errors() {
    let expected = ExpectedReport {
        name: "sentry.javascript.node",
        platform: "node",
        function: "checkOut",
        own_breadcrumbs: &[],
    };
    check(TestedSdk::Node, &expected);
}

#[test]
fn a_page_of_another_origin_reports_errors_in_chromium() {
    let expected = ExpectedReport {
        name: "sentry.javascript.browser",
        platform: "javascript",
        function: "checkOut",
        own_breadcrumbs: &["ui.click", "sentry.event"],
    };
    check(TestedSdk::Browser, &expected);
}

#[test]
fn a_program_in_rust_reports_errors() {
    let expected = ExpectedReport {
        name: "sentry.rust",
        platform: "native",
        function: "tracker::check_out",
        own_breadcrumbs: &[],
    };
    check(TestedSdk::Rust, &expected);
}
