//! Secrets in every part of an event.

use serde_json::json;

use super::*;
use crate::event::testing::report;

fn secretive() -> Value {
    json!({
        "message": "hunter2 stays in the message",
        "logentry": {"message": "a %s", "params": {"password": "hunter2"}},
        "exception": {"type": "E", "value": "no hunter3", "stacktrace": {"frames": [
            {"function": "f", "vars": {"password": "hunter2", "user": {"api_key": "hunter2"}, "n": 1}},
        ]}},
        "threads": [{"stacktrace": {"frames": [{"function": "g", "vars": {"secret": ["hunter2"]}}]}}],
        "request": {
            "url": "https://x.example/?token=hunter2", "headers": {"Authorization": "Bearer hunter2hunter2", "Host": "x"},
            "cookies": {"theme": "hunter2"}, "query_string": "a=1&access_token=hunter2",
            "data": "{\"card\": {\"cvv\": \"hunter2\"}, \"n\": 4111111111111111}", "env": {"DB_PASSWORD": "hunter2"},
        },
        "breadcrumbs": [{"message": "GET /?secret=hunter2", "data": {"args": [["token", "hunter2"]]}}],
        "extra": {"environ": {"AWS_SECRET_ACCESS_KEY": "hunter2", "HOME": "/root"}, "is_secret": true, "secret": null},
        "contexts": {"app": {"private_key": "hunter2"}},
        "user": {"id": "7", "ip_address": "192.0.2.7", "data": {"jwt": "hunter2"}},
        "tags": {"auth": "hunter2", "a": "b"},
    })
}

#[test]
fn no_secret_of_any_part_is_left() {
    let mut report = report(secretive());
    report.message = None;
    scrub(&mut report, &ScrubSettings::default());
    let written = serde_json::to_string(&report).unwrap();
    assert!(!written.contains("hunter2"), "{written}");
    for kept in [
        "hunter3",
        "/root",
        "\"is_secret\":true",
        "192.0.2.7",
        "\"n\":1",
    ] {
        assert!(written.contains(kept), "{kept}: {written}");
    }
}

#[test]
fn filtered_values_are_noted_with_their_rule() {
    let mut report = report(secretive());
    scrub(&mut report, &ScrubSettings::default());
    let notes: Vec<(String, String)> = report
        .notes
        .into_iter()
        .map(|note| (note.field, note.text))
        .collect();
    for (field, text) in [
        (
            "request.headers.Authorization",
            "was filtered: the name contains \"authorization\"",
        ),
        (
            "request.cookies.theme",
            "was filtered: cookies are sensitive",
        ),
        ("request.data.n", "was filtered: looks like a card number"),
        (
            "vars.user.api_key",
            "was filtered: the name contains \"apikey\"",
        ),
        (
            "breadcrumbs.message",
            "was filtered: contains a secret parameter",
        ),
    ] {
        assert!(
            notes.contains(&(field.to_owned(), text.to_owned())),
            "{field}: {notes:#?}"
        );
    }
}

#[test]
fn scrubbing_twice_changes_nothing() {
    let mut once = report(secretive());
    scrub(&mut once, &ScrubSettings::default());
    let mut twice = once.clone();
    scrub(&mut twice, &ScrubSettings::default());
    twice.notes.clone_from(&once.notes);
    assert_eq!(twice, once);
}

#[test]
fn a_project_may_keep_all_and_hide_addresses() {
    let mut report = report(secretive());
    let settings = ScrubSettings {
        has_defaults: false,
        hides_addresses: true,
        sensitive: vec!["theme".to_owned()],
        ..ScrubSettings::default()
    };
    scrub(&mut report, &settings);
    let request = report.request.unwrap();
    assert_eq!(request.cookies, [("theme".to_owned(), FILTERED.to_owned())]);
    assert!(
        request
            .headers
            .iter()
            .any(|(_, value)| value.contains("hunter2"))
    );
    assert_eq!(report.user.unwrap().ip_address, None);
}
