//! Messages about alerts and incidents: which are sent, to whom, and what happens when a receiver fails.

use serde_json::{Value, json};

use super::{channels, create, send, server, wait_for_messages, webhook};
use crate::support::TestServer;
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually;
use crate::support::rows;

/// Returns the value of a header of a request.
pub(super) fn header(request: &str, name: &str) -> String {
    let line = request.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    });
    line.unwrap().to_owned()
}

/// Returns the body of a request.
pub(super) fn body(request: &str) -> Value {
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

#[test]
fn an_alert_and_its_end_are_sent_with_signatures() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let hook = webhook(&server, &receiver);
    let details = json!({ "severity": "high", "service": "checkout", "description": "95 %", "start_time": "2026-01-01T00:00:00Z" });
    send(&server, "a", &details);
    wait_for_messages(&server, &[("alert.opened", "sent")]);
    send(&server, "a", &json!({ "end_time": "2026-01-02T00:00:00Z" }));
    let sent = wait_for_messages(
        &server,
        &[("alert.opened", "sent"), ("alert.resolved", "sent")],
    );
    let requests = receiver.requests();
    assert_eq!(requests.len(), 2);
    for (request, message) in requests.iter().zip(&sent) {
        let key = header(request, "webhook-id");
        assert_eq!(message["key"], key.as_str());
        let seconds: i64 = header(request, "webhook-timestamp").parse().unwrap();
        let (_, text) = request.split_once("\r\n\r\n").unwrap();
        let secret = hook["secret"].as_str().unwrap();
        let signature = notifications::formats::sign(secret, &key, seconds, text.as_bytes());
        assert_eq!(header(request, "webhook-signature"), signature.unwrap());
        assert_eq!(message["attempts"][0]["status"], 200);
        assert_eq!(message["attempts"][0]["outcome"], "delivered");
    }
    let opened = body(&requests[0]);
    assert_eq!(opened["type"], "alert.opened");
    let alert = &opened["data"]["alert"];
    assert_eq!(
        (&alert["title"], &alert["status"]),
        (&json!("Disk a"), &json!("open"))
    );
    assert_eq!(
        (&alert["severity"], &alert["service"]),
        (&json!("high"), &json!("checkout"))
    );
    assert_eq!(alert["description"], "95 %");
    let page = alert["web_url"].as_str().unwrap();
    assert!(page.starts_with(server.base_url()) && page.contains("/-/alert_management/"));
    let resolved = body(&requests[1]);
    assert_eq!(resolved["type"], "alert.resolved");
    assert_eq!(
        resolved["data"]["alert"]["ended_at"],
        "2026-01-02T00:00:00.000Z"
    );
}

#[test]
fn a_failure_is_repeated_with_the_same_key_and_what_waits_behind_it_can_be_cancelled() {
    let (server, receiver) = (server(), FakeService::start());
    webhook(&server, &receiver);
    receiver.queue_response(503, "", b"busy");
    send(&server, "a", &json!({}));
    eventually("the first attempt ends", || {
        let messages = super::messages(&server);
        (messages[0]["attempts"][0]["detail"] == "busy").then_some(())
    });
    // While the channel waits, this message waits behind the first one.
    send(&server, "b", &json!({}));
    let alert = server.developer().get(&server.alerts()).list().remove(0);
    let one = format!("{}/{}", server.alerts(), alert["iid"]);
    server
        .developer()
        .put(&one, &json!({ "status": "acknowledged" }))
        .expect(200);
    receiver.always("/hook", "text/plain", "thanks");
    let sent = wait_for_messages(
        &server,
        &[("alert.opened", "sent"), ("alert.opened", "cancelled")],
    );
    let requests = receiver.requests();
    assert_eq!(requests.len(), 2);
    let keys = [0, 1].map(|place| header(&requests[place], "webhook-id"));
    assert_eq!(keys[0], keys[1]);
    let times = [0, 1].map(|place| header(&requests[place], "webhook-timestamp"));
    assert_ne!(times[0], times[1], "each attempt has its own time");
    let outcomes: Vec<&Value> = (0..2)
        .map(|place| &sent[0]["attempts"][place]["outcome"])
        .collect();
    assert_eq!(outcomes, ["failed", "delivered"]);
}

#[test]
fn a_message_under_way_is_sent_again_after_the_server_was_killed() {
    let (mut server, receiver) = (server(), FakeService::start());
    webhook(&server, &receiver);
    // The receiver gets the message and answers nothing.
    send(&server, "a", &json!({}));
    eventually("the message is under way", || {
        (receiver.requests().len() == 1).then_some(())
    });
    server.kill();
    receiver.always("/hook", "text/plain", "thanks");
    server.restart();
    let sent = wait_for_messages(&server, &[("alert.opened", "sent")]);
    let keys: Vec<String> = receiver
        .requests()
        .iter()
        .map(|request| header(request, "webhook-id"))
        .collect();
    assert!(
        keys.len() >= 2 && keys.iter().all(|key| sent[0]["key"] == key.as_str()),
        "{keys:?}"
    );
}

#[test]
fn channels_choose_their_severity_and_many_alerts_are_one_message() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let url = format!("{}/hook", receiver.url());
    let channel = json!({ "kind": "webhook", "name": "x", "url": url, "minimum_severity": "high" });
    create(&server, &channel);
    send(&server, "low", &json!({ "severity": "low" }));
    send(&server, "low", &json!({ "severity": "critical" }));
    let alerts: Vec<Value> = (0..11)
        .map(|number| {
            json!({ "status": "firing", "labels": { "alertname": format!("A{number}"), "severity": "high" },
                "annotations": {}, "startsAt": "2026-01-01T00:00:00Z" })
        })
        .collect();
    let delivery = json!({ "version": "4", "status": "firing", "receiver": "x", "groupKey": "{}", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://a.example", "alerts": alerts });
    server
        .sender()
        .post(&server.metrics(), &delivery)
        .expect(200);
    wait_for_messages(
        &server,
        &[("alert.opened", "sent"), ("alerts.opened", "sent")],
    );
    let requests = receiver.requests();
    assert_eq!(body(&requests[0])["data"]["alert"]["severity"], "critical");
    assert_eq!(body(&requests[1])["data"]["count"], 11);
}

#[test]
fn incidents_are_sent_to_channels_that_want_them_without_confidential_titles() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let url = format!("{}/hook", receiver.url());
    let channel = json!({ "kind": "webhook", "name": "x", "url": url, "alert_events": false, "incident_events": true });
    create(&server, &channel);
    let issues = server.below_project("/issues");
    let incident =
        json!({ "title": "Secret breach", "issue_type": "incident", "confidential": true });
    let incident = server.developer().post(&issues, &incident).expect(201);
    server
        .developer()
        .post(&issues, &json!({ "title": "Not an incident" }))
        .expect(201);
    wait_for_messages(&server, &[("incident.opened", "sent")]);
    let one = format!("{issues}/{}", incident["iid"]);
    server
        .developer()
        .put(&one, &json!({ "state_event": "close" }))
        .expect(200);
    wait_for_messages(
        &server,
        &[("incident.opened", "sent"), ("incident.closed", "sent")],
    );
    let requests = receiver.requests();
    assert!(!requests.concat().contains("breach"));
    assert_eq!(
        body(&requests[0])["data"]["incident"]["iid"],
        incident["iid"]
    );
}

#[test]
fn addresses_that_are_not_public_are_refused_unless_allowed() {
    let (server, receiver) = (TestServer::start(), FakeService::start());
    webhook(&server, &receiver);
    send(&server, "a", &json!({}));
    let sent = wait_for_messages(&server, &[("alert.opened", "failed")]);
    let detail = sent[0]["attempts"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("notifications.allowed_networks"),
        "{detail}"
    );
    assert_eq!(receiver.requests().len(), 0);
}

#[test]
fn a_receiver_that_is_gone_turns_its_channel_off() {
    let (server, receiver) = (server(), FakeService::start());
    let hook = webhook(&server, &receiver);
    receiver.queue_response(410, "", b"");
    send(&server, "a", &json!({}));
    wait_for_messages(&server, &[("alert.opened", "failed")]);
    let one = format!("{}/{}", channels(&server), hook["id"]);
    assert_eq!(server.admin().get(&one).expect(200)["active"], false);
    send(&server, "b", &json!({}));
    assert_eq!(super::messages(&server).len(), 1);
}

#[test]
fn new_errors_are_sent_to_channels_that_want_them() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let url = format!("{}/hook", receiver.url());
    let channel = json!({ "kind": "webhook", "name": "x", "url": url, "error_events": true });
    create(&server, &channel);
    let event = json!({ "message": "Out of cheese", "level": "fatal" });
    for _ in 0..2 {
        server.tracker().store(&event).assert_ok();
    }
    wait_for_messages(&server, &[("error.created", "sent")]);
    let error = &body(&receiver.requests()[0])["data"]["error"];
    assert_eq!(error["title"], "Out of cheese");
    assert_eq!(error["severity"], "critical");
}

#[test]
fn an_alert_is_sent_again_until_somebody_acknowledges_it() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let url = format!("{}/hook", receiver.url());
    let channel = json!({ "kind": "webhook", "name": "x", "url": url, "repeat_minutes": 5 });
    create(&server, &channel);
    send(&server, "a", &json!({}));
    wait_for_messages(
        &server,
        &[("alert.opened", "sent"), ("alert.reminder", "queued")],
    );
    // Five minutes pass.
    rows::change(
        &server,
        "UPDATE notification_messages SET send_at = send_at - 300000000 WHERE state = 0",
    );
    rows::change(&server, "UPDATE notification_channels SET due_at = 0");
    let reminded = [
        ("alert.opened", "sent"),
        ("alert.reminder", "sent"),
        ("alert.reminder", "queued"),
    ];
    wait_for_messages(&server, &reminded);
    let alert = server.developer().get(&server.alerts()).list().remove(0);
    let one = format!("{}/{}", server.alerts(), alert["iid"]);
    let acknowledged = json!({ "status": "acknowledged" });
    server.developer().put(&one, &acknowledged).expect(200);
    let cancelled = [
        ("alert.opened", "sent"),
        ("alert.reminder", "sent"),
        ("alert.reminder", "cancelled"),
    ];
    wait_for_messages(&server, &cancelled);
}
