//! Silences: over Alertmanager's API and on pages, and what channels hear of while they last.

use serde_json::{Value, json};

use super::{create, messages, send, server, wait_for_messages, webhook};
use crate::support::alertmanager::{AlertmanagerEndpoint, minutes};
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually;
use crate::support::{TestServer, rows};

const PAGE: &str = "/acme/web-shop/-/alert_management/silences";

/// Moves the end of all silences to the past, as if the time had come.
fn end_all(server: &TestServer) {
    let past = "UPDATE alert_silences SET ends_at = starts_at + 1, due_at = starts_at + 1";
    rows::change(server, past);
}

#[test]
fn a_silenced_alert_is_stored_and_announced_only_when_the_silence_ends() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    webhook(&server, &receiver);
    let tools = AlertmanagerEndpoint::of(&server);
    let id = tools.silence(&json!([{ "name": "service", "value": "billing", "isRegex": false }]));
    send(&server, "a", &json!({ "service": "billing" }));
    send(&server, "b", &json!({ "service": "checkout" }));
    wait_for_messages(&server, &[("alert.opened", "sent")]);
    let alerts = tools.get("/api/v2/alerts").list();
    let states: Vec<(&Value, &Value)> = alerts
        .iter()
        .map(|alert| (&alert["labels"]["alertname"], &alert["status"]["state"]))
        .collect();
    assert!(
        states.contains(&(&json!("Disk a"), &json!("suppressed"))),
        "{states:?}"
    );
    assert!(
        states.contains(&(&json!("Disk b"), &json!("active"))),
        "{states:?}"
    );
    let hidden = alerts
        .iter()
        .find(|one| one["status"]["state"] == "suppressed");
    assert_eq!(hidden.unwrap()["status"]["silencedBy"], json!([id]));
    end_all(&server);
    let sent = wait_for_messages(
        &server,
        &[("alert.opened", "sent"), ("alert.opened", "sent")],
    );
    assert_eq!(sent[1]["title"], "Disk a");
    // Nothing is announced twice.
    let again = tools.silence(&json!([{ "name": "service", "value": "billing" }]));
    tools
        .delete(&format!("/api/v2/silence/{again}"))
        .expect_text(200);
    send(
        &server,
        "a",
        &json!({ "service": "billing", "end_time": "2100-01-02T00:00:00Z" }),
    );
    wait_for_messages(
        &server,
        &[
            ("alert.opened", "sent"),
            ("alert.opened", "sent"),
            ("alert.resolved", "sent"),
        ],
    );
}

#[test]
fn a_silence_cancels_what_waits_and_its_end_announces_it() {
    let server = server();
    let url = "http://127.0.0.1:9/hook";
    create(
        &server,
        &json!({ "kind": "webhook", "name": "Hook", "url": url, "delay_minutes": 60 }),
    );
    let tools = AlertmanagerEndpoint::of(&server);
    send(&server, "a", &json!({}));
    assert_eq!(messages(&server)[0]["state"], "queued");
    let id = tools.silence(&json!([{ "name": "alertname", "value": "Disk .", "isRegex": true }]));
    assert_eq!(messages(&server)[0]["state"], "cancelled");
    tools
        .delete(&format!("/api/v2/silence/{id}"))
        .expect_text(200);
    wait_for_messages(
        &server,
        &[("alert.opened", "cancelled"), ("alert.opened", "queued")],
    );
}

#[test]
fn an_incident_whose_alerts_are_all_silenced_is_announced_when_one_is_not_any_more() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let url = format!("{}/hook", receiver.url());
    create(
        &server,
        &json!({ "kind": "webhook", "name": "Hook", "url": url, "incident_events": true }),
    );
    let settings = server.below_project("/incident_management_settings");
    server
        .admin()
        .put(&settings, &json!({ "create_incidents": true }))
        .expect(200);
    let tools = AlertmanagerEndpoint::of(&server);
    let id = tools.silence(&json!([{ "name": "alertname", "value": "Disk a" }]));
    send(&server, "a", &json!({}));
    let incidents = || {
        let path = server.below_project("/issues?issue_type=incident");
        server.developer().get(&path).list().len()
    };
    assert_eq!(incidents(), 1);
    assert_eq!(messages(&server), Vec::<Value>::new());
    tools
        .delete(&format!("/api/v2/silence/{id}"))
        .expect_text(200);
    let expected = [("alert.opened", "sent"), ("incident.opened", "sent")];
    wait_for_messages(&server, &expected);
}

#[test]
fn a_developer_silences_an_alert_on_its_page_and_ends_the_silence() {
    let server = server();
    send(
        &server,
        "<i>",
        &json!({ "service": "billing", "hosts": "web-1" }),
    );
    let mut dev = server.signed_in("developer");
    assert!(dev.open(PAGE).expect_text(200).contains("No silences"));
    let alert = "/acme/web-shop/-/alert_management/4/details";
    assert!(
        dev.open(alert)
            .expect_text(200)
            .contains("silences?alert=4#create")
    );
    let form = dev.open(&format!("{PAGE}?alert=4")).expect_text(200);
    assert!(
        form.contains("alertname=&#34;Disk &#60;i&#62;&#34;"),
        "{form}"
    );
    let with = |matchers: &'static str, seconds: &'static str| {
        [
            ("event", "save"),
            ("matchers", matchers),
            ("seconds", seconds),
            ("comment", "<b>"),
        ]
    };
    for (fields, problem) in [
        (with("service", "3600"), "is not a matcher"),
        (
            with("service=~.*", "3600"),
            "must not match the empty string",
        ),
        (with("service=billing", "7"), "Choose how long"),
    ] {
        let refused = dev.submit(PAGE, PAGE, &fields);
        assert_eq!(refused.status, 422);
        assert!(
            refused.text().contains(problem),
            "{problem}: {}",
            refused.text()
        );
    }
    let saved = dev.submit(
        PAGE,
        PAGE,
        &with("service=\"billing\"\ninstance=~web-.*", "3600"),
    );
    assert_eq!(saved.header("location"), Some(PAGE));
    let shown = dev.open(PAGE).expect_text(200);
    for part in [
        "Silence saved",
        "Hides 1 open alert",
        "instance=~&#34;web-.*&#34;",
        "&#60;b&#62;",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let page = dev.open(alert).expect_text(200);
    assert!(
        page.contains("Silenced by") && !page.contains("<b>:"),
        "{page}"
    );
    let list = dev
        .open("/acme/web-shop/-/alert_management")
        .expect_text(200);
    assert!(list.contains("Silenced"), "{list}");
    let changed = [
        ("event", "save"),
        ("silence", "1"),
        ("matchers", "instance=~\"web-.*\"\nservice=billing"),
        ("seconds", "86400"),
    ];
    dev.submit(PAGE, PAGE, &changed);
    let silences = AlertmanagerEndpoint::of(&server)
        .get("/api/v2/silences")
        .list();
    assert_eq!(silences.len(), 1, "it was changed in place: {silences:?}");
    dev.submit(PAGE, PAGE, &[("event", "end"), ("silence", "1")]);
    let shown = dev.open(PAGE).expect_text(200);
    assert!(
        shown.contains("Silence ended") && shown.contains("Expired"),
        "{shown}"
    );
    let mut reporter = server.signed_in("reporter");
    assert_eq!(reporter.open(PAGE).status, 404);
    let gone = dev.submit(PAGE, PAGE, &[("event", "end"), ("silence", "99")]);
    assert_eq!(gone.status, 404);
}

#[test]
fn a_silence_that_begins_later_cancels_what_waits_then() {
    let server = server();
    let url = "http://127.0.0.1:9/hook";
    create(
        &server,
        &json!({ "kind": "webhook", "name": "Hook", "url": url, "delay_minutes": 60 }),
    );
    let tools = AlertmanagerEndpoint::of(&server);
    send(&server, "a", &json!({}));
    let body = json!({
        "matchers": [{ "name": "alertname", "value": "Disk a" }],
        "startsAt": "2100-01-01T00:00:00Z",
        "endsAt": "2100-01-02T00:00:00Z",
        "createdBy": "erin",
        "comment": "",
    });
    // More than ten years ahead.
    tools.post("/api/v2/silences", &body).expect_text(400);
    let mut soon = body;
    soon["startsAt"] = json!(minutes(2 * 24 * 60));
    soon["endsAt"] = json!(minutes(3 * 24 * 60));
    tools.post("/api/v2/silences", &soon).expect(200);
    let listed = tools.get("/api/v2/silences").list();
    assert_eq!(listed[0]["status"]["state"], "pending");
    assert_eq!(messages(&server)[0]["state"], "queued");
    let begun = "UPDATE alert_silences SET starts_at = updated_at, due_at = updated_at";
    rows::change(&server, begun);
    eventually("what waits is cancelled", || {
        (messages(&server)[0]["state"] == "cancelled").then_some(())
    });
}
