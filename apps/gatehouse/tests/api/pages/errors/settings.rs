//! The settings page of error tracking (`ERR-01`, `ERR-02`).

use serde_json::json;

use super::{LIST, SETTINGS, submit_accepted, submit_refused, text};
use crate::support::TestServer;

#[test]
fn a_project_is_set_up_on_the_page_and_collects_at_once() {
    let server = TestServer::start();
    server.create_project("acme/other", "private", "root");
    let settings = "/acme/other/-/settings/error_tracking";
    let mut admin = server.signed_in("admin");
    let before = text(&mut admin, settings);
    assert!(
        before.contains("Error tracking is not set up yet."),
        "{before}"
    );
    assert!(!before.contains("Client keys"), "{before}");
    let list = text(&mut admin, "/acme/other/-/error_tracking");
    assert!(
        list.contains("No errors yet") && list.contains(settings),
        "{list}"
    );
    let page = submit_accepted(&mut admin, settings, &[("event", "switch_on")]);
    for words in [
        "sentry_sdk.init(",
        "Sentry.init({",
        "sentry::init((",
        "X-Sentry-Auth",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let off = submit_accepted(&mut admin, settings, &[("event", "switch_off")]);
    assert!(
        off.contains("Errors that programs report are rejected."),
        "{off}"
    );
}

#[test]
fn client_keys_are_created_rate_limited_disabled_and_deleted() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let event = json!({ "message": "hello" });
    server.tracker().store(&event).expect(200);
    submit_accepted(&mut admin, SETTINGS, &[("event", "key_off"), ("key", "1")]);
    server.tracker().store(&event).expect(403);
    let page = submit_accepted(&mut admin, SETTINGS, &[("event", "add_key")]);
    assert!(page.contains("Key created."), "{page}");
    submit_accepted(&mut admin, SETTINGS, &[("event", "key_on"), ("key", "1")]);
    server.tracker().store(&event).expect(200);
    let limit = |most| {
        [
            ("event", "key_limit"),
            ("key", "2"),
            ("events_per_minute", most),
        ]
    };
    let page = submit_accepted(&mut admin, SETTINGS, &limit("30"));
    assert!(page.contains("value=\"30\""), "{page}");
    let page = submit_refused(&mut admin, SETTINGS, &limit("0"));
    assert!(
        page.contains("Enter a whole number from 1 to 1,000,000"),
        "{page}"
    );
    submit_accepted(
        &mut admin,
        SETTINGS,
        &[("event", "key_delete"), ("key", "1")],
    );
    server.tracker().store(&event).expect(403);
    let missing = admin.submit(SETTINGS, SETTINGS, &[("event", "key_on"), ("key", "1")]);
    assert_eq!(missing.status, 404);
}

#[test]
fn options_are_saved_as_written_and_refused_at_their_fields() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let mut fields = vec![
        ("event", "save"),
        ("events_per_minute", "500"),
        ("events_per_day", ""),
        ("events_per_error", "50"),
        ("retention_days", "7"),
        ("scrub_defaults", "true"),
        ("opens_alerts", "true"),
        ("sensitive_fields", "pin\r\nvat_id"),
    ];
    let page = submit_accepted(&mut admin, SETTINGS, &fields);
    assert!(page.contains("Options saved."), "{page}");
    let path = server.below_project("/error_tracking/options");
    let options = server.admin().get(&path).expect(200);
    assert_eq!(options["sensitive_fields"], json!(["pin", "vat_id"]));
    assert_eq!(options["events_per_day"], json!(null));
    assert_eq!(
        (&options["opens_alerts"], &options["scrub_ip_addresses"]),
        (&json!(true), &json!(false))
    );
    fields[3].1 = "5";
    let page = submit_refused(&mut admin, SETTINGS, &fields);
    assert!(page.contains("It must be between 20 and 100000."), "{page}");
    fields[4].1 = "soon";
    let page = submit_refused(&mut admin, SETTINGS, &fields);
    assert!(
        page.contains("It must be a whole number.") && page.contains("value=\"soon\""),
        "{page}"
    );
    let after = server.admin().get(&path).expect(200);
    assert_eq!(after["events_per_error"], json!(50));
}

/// An archived project can be read but not changed.
#[test]
fn an_archived_project_offers_no_changes() {
    let server = TestServer::start();
    server
        .admin()
        .post(&server.below_project("/archive"), &json!({}))
        .expect(201);
    let mut admin = server.signed_in("admin");
    let page = text(&mut admin, &super::page_of(1));
    assert!(!page.contains("Mark as resolved"), "{page}");
    let sent = admin.submit(LIST, &super::page_of(1), &[("event", "resolve")]);
    assert_eq!(sent.status, 403);
}
