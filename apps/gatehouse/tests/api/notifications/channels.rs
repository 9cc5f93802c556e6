//! Settings of channels over the API.

use serde_json::{Value, json};

use super::{channels, create, server, wait_for_messages};
use crate::oauth_races::on_each_database_with;
use crate::support::fake_service::FakeService;

#[test]
fn a_channel_is_created_changed_and_deleted() {
    let server = server();
    let url = "https://hooks.example.com/x";
    let new = json!({ "kind": "webhook", "name": " On call ", "url": url });
    let created = create(&server, &new);
    assert_eq!(created["name"], "On call");
    assert_eq!(created["minimum_severity"], "unknown");
    assert_eq!(created["hourly_limit"], 60);
    assert_eq!(
        (&created["alert_events"], &created["incident_events"]),
        (&json!(true), &json!(false))
    );
    assert!(created["secret"].as_str().unwrap().starts_with("whsec_"));
    let one = format!("{}/{}", channels(&server), created["id"]);
    let shown = server.admin().get(&one).expect(200);
    assert_eq!(shown.get("secret"), None);
    assert_eq!(shown["has_secret"], true);

    let edit = json!({ "minimum_severity": "high", "active": false, "hourly_limit": 1000 });
    let changed = server.admin().put(&one, &edit).expect(200);
    assert_eq!(changed["minimum_severity"], "high");
    assert_eq!(changed["active"], false);
    assert_eq!(changed["name"], "On call");
    let test = format!("{one}/test");
    let refused = server.admin().post(&test, &json!({})).expect(400);
    assert_eq!(
        refused["message"],
        "400 Bad request - the channel is not active; turn it on first"
    );

    let rotated = format!("{one}/rotate");
    let rotated = server.admin().post(&rotated, &json!({})).expect(200);
    assert_ne!(rotated["secret"], created["secret"]);
    server.admin().delete(&one).expect(204);
    server.admin().get(&one).expect(404);
}

#[test]
fn quiet_hours_are_set_kept_and_removed() {
    let server = server();
    let new = json!({ "kind": "webhook", "name": "Night", "url": "https://hooks.example.com/x",
        "quiet_from": "22:00", "quiet_until": "07:00", "quiet_time_zone": "Europe/Berlin" });
    let created = create(&server, &new);
    let one = format!("{}/{}", channels(&server), created["id"]);
    let quiet = |channel: &Value| {
        ["from", "until", "time_zone", "severity"]
            .map(|name| channel[format!("quiet_{name}")].clone())
    };
    let expected = ["22:00", "07:00", "Europe/Berlin", "critical"].map(Value::from);
    assert_eq!(quiet(&created), expected);
    let kept = server
        .admin()
        .put(&one, &json!({ "hourly_limit": 5 }))
        .expect(200);
    assert_eq!(quiet(&kept), expected);
    let edit = json!({ "quiet_from": "00:30", "quiet_until": "06:00", "quiet_time_zone": "UTC", "quiet_severity": "high" });
    let changed = server.admin().put(&one, &edit).expect(200);
    assert_eq!(
        quiet(&changed),
        ["00:30", "06:00", "UTC", "high"].map(Value::from)
    );
    let removed = server
        .admin()
        .put(&one, &json!({ "quiet_from": null }))
        .expect(200);
    assert_eq!(
        quiet(&removed),
        [Value::Null, Value::Null, Value::Null, Value::Null]
    );
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let server = server();
    let taken = json!({ "kind": "ntfy", "name": "Taken", "url": "https://ntfy.example.com", "recipient": "a" });
    create(&server, &taken);
    server.admin().post(&channels(&server), &taken).expect(409);
    let url = "https://example.com/";
    let cases: &[(Value, &str)] = &[
        (json!({ "kind": "webhook", "name": "x" }), "url must be"),
        (
            json!({ "kind": "webhook", "name": "x", "url": "ftp://example.com" }),
            "url must be",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "recipient": "y" }),
            "recipient is not used",
        ),
        (
            json!({ "kind": "slack", "name": "x", "url": "hooks" }),
            "url must be",
        ),
        (json!({ "kind": "email", "name": "x" }), "recipient must be"),
        (
            json!({ "kind": "email", "name": "x", "recipient": "a@b.example\nBcc: c@d.example" }),
            "recipient must be",
        ),
        (
            json!({ "kind": "matrix", "name": "x", "url": url, "recipient": "#a:b" }),
            "recipient must be",
        ),
        (
            json!({ "kind": "ntfy", "name": "x", "url": url, "recipient": "a/b" }),
            "recipient must be",
        ),
        (json!({ "kind": "pigeon", "name": "x" }), "kind"),
        (json!({ "kind": "webhook", "url": url }), "name"),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "hourly_limit": 0 }),
            "hourly_limit",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "repeat_minutes": 4 }),
            "repeat_minutes must be",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "delay_minutes": 1441 }),
            "delay_minutes",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "minimum_severity": "bad" }),
            "minimum_severity",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "quiet_from": "22:00" }),
            "quiet_from needs quiet_until and quiet_time_zone",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "quiet_from": "25:00", "quiet_until": "07:00",
                "quiet_time_zone": "UTC" }),
            "quiet_from must be a local time such as 22:00",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "quiet_from": "22:00", "quiet_until": "07:00",
                "quiet_time_zone": "Berlin" }),
            "quiet_time_zone must be a time zone of the IANA database",
        ),
        (
            json!({ "kind": "webhook", "name": "x", "url": url, "quiet_from": "07:00", "quiet_until": "07:00",
                "quiet_time_zone": "UTC" }),
            "quiet_from and quiet_until must be different times",
        ),
    ];
    for (channel, expected) in cases {
        let refused = server.admin().post(&channels(&server), channel).expect(400);
        assert!(
            refused.to_string().contains(expected),
            "{channel}: {refused}"
        );
    }
}

#[test]
fn a_secret_url_and_a_token_are_not_shown() {
    let server = server();
    let receiver = FakeService::start();
    let url = format!("{}/services/T0/SECRET", receiver.url());
    let slack = create(
        &server,
        &json!({ "kind": "slack", "name": "Chat", "url": url }),
    );
    assert_eq!(slack["url"], receiver.url());
    let matrix = json!({
        "kind": "matrix", "name": "Room", "url": receiver.url(), "recipient": "!room:example.com",
        "token": "syt_SECRET",
    });
    let matrix = create(&server, &matrix);
    assert!(!format!("{slack}{matrix}").contains("SECRET"));

    receiver.queue_response(200, "", b"ok");
    receiver.queue_response(200, "", b"{\"event_id\": \"$1\"}");
    for channel in [&slack, &matrix] {
        let test = format!("{}/{}/test", channels(&server), channel["id"]);
        server.admin().post(&test, &json!({})).expect(201);
    }
    wait_for_messages(&server, &[("test", "sent"), ("test", "sent")]);
    let requests = receiver.requests().concat();
    assert!(requests.contains("POST /services/T0/SECRET HTTP/1.1\r\n"));
    assert!(requests.contains(
        "PUT /_matrix/client/v3/rooms/%21room%3Aexample%2Ecom/send/m.room.message/msg%5F"
    ));
    assert!(
        requests
            .to_lowercase()
            .contains("authorization: bearer syt_secret\r\n")
    );
}

/// Channels and on-call schedules beyond the limit of 20 would be on no list.
#[test]
fn concurrent_requests_do_not_exceed_the_limits_of_a_project() {
    on_each_database_with("", |server| {
        let user = server.admin().get("/api/v4/user").expect(200)["id"].clone();
        let schedule = json!({
            "name": "S", "time_zone": "UTC", "first_handoff": "2026-11-30", "handoff_time": "09:00",
            "participant_ids": [user],
        });
        let channel = json!({ "kind": "webhook", "name": "C", "url": "http://127.0.0.1:1/" });
        for (list, new) in [
            ("/notification_channels", channel),
            ("/on_call_schedules", schedule),
        ] {
            let path = server.below_project(list);
            let caller = server.admin();
            let post = &|number: usize| {
                let mut new = new.clone();
                new["name"] = json!(format!("Number {number}"));
                caller.post(&path, &new).status
            };
            for number in 0..15 {
                assert_eq!(post(number), 201, "{list}");
            }
            let created = std::thread::scope(|scope| {
                let threads: Vec<_> = (20..36)
                    .map(|number| scope.spawn(move || post(number)))
                    .collect();
                let statuses = threads.into_iter().map(|thread| thread.join().unwrap());
                statuses.filter(|status| *status == 201).count()
            });
            assert_eq!(created, 5, "{list}");
        }
    });
}
