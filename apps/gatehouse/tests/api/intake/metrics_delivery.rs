//! The metrics endpoint: bodies as a whole.

use serde_json::{Value, json};

use super::{item, raise_metrics, receipt, stored, webhook};
use crate::support::TestServer;

/// ALRT-04.
#[test]
fn a_body_that_lacks_an_attribute_is_refused_by_its_name() {
    let server = TestServer::start();
    let before = stored(&server);
    for name in [
        "alerts",
        "commonAnnotations",
        "commonLabels",
        "externalURL",
        "groupKey",
        "groupLabels",
        "receiver",
        "status",
        "version",
    ] {
        let mut body = webhook(&[item("Fire")]);
        body.as_object_mut().unwrap().remove(name);
        let answer = server.sender().post(&server.metrics(), &body);
        let text = format!("422 Unprocessable Entity - the attribute \"{name}\" is missing");
        answer.assert_is(422, &json!({ "message": text }));
    }
    assert_eq!(stored(&server), before);
}

/// ALRT-04. An attribute only has to be present: real senders leave some empty.
#[test]
fn empty_attributes_are_attributes() {
    let server = TestServer::start();
    let mut body = webhook(&[item("Fire")]);
    for name in [
        "commonAnnotations",
        "commonLabels",
        "externalURL",
        "groupKey",
        "groupLabels",
    ] {
        body[name] = Value::Null;
    }
    body["unheardOf"] = json!({ "from": "a newer release" });
    let answer = server.sender().post(&server.metrics(), &body);
    answer.assert_is(200, &json!([{ "iid": 4, "title": "Fire" }]));
}

/// ALRT-04.
#[test]
fn another_version_is_refused() {
    let server = TestServer::start();
    let before = stored(&server);
    for version in [json!("3"), json!("5"), json!(4), json!(""), Value::Null] {
        let mut body = webhook(&[item("Fire")]);
        body["version"] = version.clone();
        let answer = server.sender().post(&server.metrics(), &body);
        let text = "422 Unprocessable Entity - the version is not \"4\"";
        answer.assert_is(422, &json!({ "message": text }));
    }
    assert_eq!(stored(&server), before);
}

#[test]
fn a_body_without_alerts_is_accepted_and_leaves_a_receipt() {
    let server = TestServer::start();
    for alerts in [json!([]), Value::Null] {
        let mut body = webhook(&[]);
        body["alerts"] = alerts;
        server
            .sender()
            .post(&server.metrics(), &body)
            .assert_is(200, &json!([]));
        assert_eq!(receipt(&server)["alerts"], 0);
    }
}

/// Group information and truncation by the sender can be read from the receipt.
#[test]
fn the_receipt_records_the_group_key_and_truncated_alerts() {
    let server = TestServer::start();
    let mut body = webhook(&[item("Fire")]);
    body["groupKey"] = json!("{}/{severity=\"page\"}:{alertname=\"Fire\"}");
    body["truncatedAlerts"] = json!(3);
    let sender = server.sender().with("User-Agent", "Alertmanager/0.25.0");
    sender.post(&server.metrics(), &body).assert_ok();
    let receipt = receipt(&server);
    assert_eq!(receipt["group_key"], body["groupKey"]);
    assert_eq!(receipt["truncated_alerts"], 3);
    assert_eq!(receipt["user_agent"], "Alertmanager/0.25.0");
    assert_eq!(receipt["bytes"], body.to_string().len());
}

/// ALRT-08. The whole label set is the identity: two hosts that fail at the same time are two alerts.
#[test]
fn other_labels_are_another_alert() {
    let server = TestServer::start();
    let on = |host: &str| {
        let mut item = item("Down");
        item["labels"]["instance"] = json!(host);
        item
    };
    let alerts = raise_metrics(&server, &[on("web-1"), on("web-2"), on("web-1")]);
    assert_eq!(alerts.len(), 2);
    assert_ne!(alerts[0]["iid"], alerts[1]["iid"]);
    let receipt = receipt(&server);
    assert_eq!(
        (&receipt["created"], &receipt["repeated"]),
        (&json!(2), &json!(1))
    );
}

/// A resolved member arrives in the same body as firing ones.
#[test]
fn the_members_of_a_group_go_their_own_ways() {
    let server = TestServer::start();
    let first = raise_metrics(&server, &[item("One"), item("Two"), item("Three")]);
    let mut over = item("Two");
    over["status"] = json!("resolved");
    over["endsAt"] = json!("2024-05-01T11:00:00Z");
    let second = raise_metrics(&server, &[item("One"), over, item("Three")]);
    let statuses: Vec<&Value> = second.iter().map(|alert| &alert["status"]).collect();
    assert_eq!(statuses, ["triggered", "resolved", "triggered"]);
    for (before, after) in first.iter().zip(&second) {
        assert_eq!(before["iid"], after["iid"]);
        assert_eq!(after["event_count"], 1);
    }
    let receipt = receipt(&server);
    assert_eq!(
        (&receipt["resolved"], &receipt["repeated"]),
        (&json!(1), &json!(2))
    );
}
