//! Bodies of well-known senders over HTTP (`crates/alert-intake/tests/data/senders`).

use serde_json::{Value, json};

use super::{receipt, stored};
use crate::support::TestServer;

macro_rules! sender {
    ($name:literal) => {
        include_str!(concat!(
            "../../../../../crates/alert-intake/tests/data/senders/",
            $name
        ))
        .trim_ascii_end()
    };
}

/// Sends a body and returns the response and the newest receipt.
fn send(server: &TestServer, path: &str, content_type: &str, body: &str) -> (Value, Value) {
    let sender = server.sender().with("Content-Type", content_type);
    let answer = sender.send("POST", path, body.as_bytes()).expect(200);
    (answer, receipt(server))
}

/// ALRT-03, ALRT-08. The alert names its sender, and the receipt says how the body was read.
#[test]
fn bodies_of_senders_open_and_resolve_alerts_at_either_endpoint() {
    let server = TestServer::start();
    let json = "application/json";
    let form = "application/x-www-form-urlencoded";
    for (path, content_type, fires, recovers, title, tool) in [
        (
            server.metrics(),
            json,
            sender!("grafana.firing.json"),
            sender!("grafana.recovery.json"),
            "CPU above 90% on web-1",
            "Grafana",
        ),
        (
            server.metrics(),
            json,
            sender!("pagerduty-v2.firing.json"),
            sender!("pagerduty-v2.recovery.json"),
            "HTTP down on srv01",
            "PagerDuty",
        ),
        (
            server.generic(),
            form,
            sender!("nagios-form.firing.txt"),
            sender!("nagios-form.recovery.txt"),
            "db1 disk",
            "Nagios",
        ),
        (
            server.generic(),
            "text/plain; charset=UTF-8",
            sender!("sns-cloudwatch.firing.txt"),
            sender!("sns-cloudwatch.recovery.txt"),
            "cpu-high",
            "Amazon CloudWatch",
        ),
    ] {
        let (opened, receipt) = send(&server, &path, content_type, fires);
        assert_eq!(opened[0]["title"], title);
        let note = format!("recognised as a body of {tool}");
        assert_eq!(receipt["notes"], json!([note]));
        let (resolved, _) = send(&server, &path, content_type, recovers);
        assert_eq!(resolved, opened, "{title}");
        let alert = server.alert(&opened[0]["iid"]);
        let found = [
            &alert["monitoring_tool"],
            &alert["status"],
            &alert["event_count"],
        ];
        assert_eq!(
            found,
            [&json!(tool), &json!("resolved"), &json!(1)],
            "{title}"
        );
    }
}

/// The receipt shows the link that confirms a subscription, and why a recovery stored nothing.
#[test]
fn what_opens_no_alert_is_explained_by_its_receipt() {
    let server = TestServer::start();
    let alerts = stored(&server)[0].clone();
    let subscription = sender!("sns-subscription.firing.txt");
    let (answer, receipt) = send(&server, &server.generic(), "text/plain", subscription);
    assert_eq!(answer, json!([]));
    let note = receipt["notes"][0].as_str().unwrap();
    assert!(
        note.ends_with("https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription"),
        "{note}"
    );
    let body = r#"{"name":"backup","state":"recovered"}"#;
    let (answer, receipt) = send(&server, &server.generic(), "application/json", body);
    assert_eq!((answer, &receipt["repeated"]), (json!([]), &json!(1)));
    let reason = "1 ignored: it reports an end, and no alert with its identity is open";
    assert_eq!(receipt["notes"][1], reason);
    assert_eq!(stored(&server)[0], alerts);
}
