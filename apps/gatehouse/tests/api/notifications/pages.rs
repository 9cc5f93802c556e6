//! Pages of notification channels.

use serde_json::json;

use super::{create, messages, send, server, wait_for_messages};
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually;

const PAGE: &str = "/acme/web-shop/-/settings/notifications";

#[test]
fn a_maintainer_creates_tests_and_deletes_a_channel() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks <b>you</b>");
    let mut admin = server.signed_in("admin");
    assert!(admin.open(PAGE).expect_text(200).contains("No channels"));
    let url = format!("{}/hook", receiver.url());
    let wrong = [
        ("kind", "webhook"),
        ("name", "<i>On call</i>"),
        ("url", "hook"),
        ("hourly_limit", "60"),
    ];
    let refused = admin.submit(PAGE, PAGE, &wrong);
    assert_eq!(refused.status, 422);
    let text = refused.text();
    assert!(
        text.contains("Url must be an absolute http or https URL"),
        "{text}"
    );
    let fields = [
        ("kind", "webhook"),
        ("name", "<i>On call</i>"),
        ("url", url.as_str()),
        ("hourly_limit", "60"),
        ("alert_events", "1"),
        ("minimum_severity", "high"),
    ];
    let created = admin.submit(PAGE, PAGE, &fields);
    let one = created.header("location").unwrap().to_owned();
    let shown = admin.open(&one).expect_text(200);
    for part in [
        "Channel created",
        "whsec_",
        "&#60;i&#62;On call",
        "High and above",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let tested = admin.submit(&one, &one, &[("event", "test")]);
    assert_eq!(tested.header("location"), Some(one.as_str()));
    wait_for_messages(&server, &[("test", "sent")]);
    let shown = admin.open(&one).expect_text(200);
    assert!(shown.contains("accepted with status 200"), "{shown}");
    assert!(!shown.contains("<b>you"), "{shown}");
    for (event, notice) in [
        ("disable", "Channel turned off"),
        ("enable", "Channel turned on"),
        ("rotate", "New signing secret"),
    ] {
        admin.submit(&one, &one, &[("event", event)]);
        assert!(admin.open(&one).text().contains(notice), "{event}");
    }
    let quiet = |zone| {
        [
            ("event", "settings"),
            ("name", "Night"),
            ("url", url.as_str()),
            ("hourly_limit", "7"),
            ("quiet_from", "22:00"),
            ("quiet_until", "07:00"),
            ("quiet_time_zone", zone),
            ("quiet_severity", "high"),
        ]
    };
    let refused = admin.submit(&one, &one, &quiet("Berlin"));
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains("choose a time zone"));
    admin.submit(&one, &one, &quiet("Europe/Berlin"));
    let shown = admin.open(&one).expect_text(200);
    for part in [
        r#"value="22:00""#,
        r#"value="07:00""#,
        r#"value="Europe/Berlin""#,
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let saved = [
        ("event", "settings"),
        ("name", "Night"),
        ("url", url.as_str()),
        ("hourly_limit", "7"),
    ];
    admin.submit(&one, &one, &saved);
    let text = admin.open(PAGE).expect_text(200);
    assert!(
        text.contains("Channel updated") && text.contains("Night"),
        "{text}"
    );
    admin.submit(&one, &one, &[("event", "delete")]);
    let text = admin.open(PAGE).expect_text(200);
    assert!(
        text.contains("Deleted channel") && text.contains("Test message"),
        "{text}"
    );
    assert_eq!(admin.open(&one).status, 404);
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.open(PAGE).status, 404);
}

#[test]
fn an_administrator_sees_failing_channels_with_their_queue_and_turns_one_off() {
    const QUEUES: &str = "/admin/notifications";
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let mut admin = server.signed_in("admin");
    let empty = admin.open(QUEUES).expect_text(200);
    assert!(empty.contains("No messages wait"), "{empty}");
    // Nothing listens there.
    let broken =
        json!({ "kind": "webhook", "name": "<i>Broken</i>", "url": "http://127.0.0.1:1/" });
    create(&server, &broken);
    let later = format!("{}/hook", receiver.url());
    let later = json!({ "kind": "webhook", "name": "Later", "url": later, "delay_minutes": 60 });
    create(&server, &later);
    send(&server, "a", &json!({}));
    send(&server, "b", &json!({}));
    eventually("the first channel fails", || {
        let first = messages(&server).pop().unwrap();
        (!first["attempts"].as_array().unwrap().is_empty()).then_some(())
    });
    let shown = admin.open(QUEUES).expect_text(200);
    let place = |part: &str| {
        shown
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {shown}"))
    };
    assert!(place("&#60;i&#62;Broken") < place("Later"), "{shown}");
    assert!(place("Failing") < place("Later"), "{shown}");
    place("acme/web-shop");
    let one = "/acme/web-shop/-/settings/notifications/1";
    admin.submit(QUEUES, one, &[("event", "disable")]);
    let shown = admin.open(QUEUES).expect_text(200);
    assert!(
        !shown.contains("Broken") && shown.contains("Later"),
        "{shown}"
    );
    let of_broken = |message: &serde_json::Value| message["channel_id"] == 1;
    let left = messages(&server);
    let left = left.iter().filter(|message| of_broken(message));
    assert!(left.clone().count() == 2 && left.clone().all(|it| it["state"] == "cancelled"));
    assert_eq!(server.signed_in("developer").open(QUEUES).status, 403);
}
