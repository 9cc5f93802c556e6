//! Clients of paging services, unmodified, below the URL of an endpoint: those of Alertmanager, and the packages for
//! Python.

use std::process::Command;

use serde_json::{Value, json};

use crate::alertmanager_process::{AlertGrouping, Alertmanager};
use crate::support::{TestServer, eventually, outside};

/// Below the URL of the server, where the generic endpoint answers these clients.
const APIS: &str = "/acme/web-shop/alerts/notify/any/legacy";

/// Titles and statuses of the alerts of a monitoring tool, by title.
fn alerts_of(server: &TestServer, tool: &str) -> Vec<(String, String)> {
    let listed = server.developer().get(&server.alerts()).list();
    let found = listed
        .into_iter()
        .filter(|alert| alert["monitoring_tool"] == tool);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<_> = found
        .map(|alert| (text(&alert["title"]), text(&alert["status"])))
        .collect();
    found.sort();
    found
}

#[test]
fn packages_of_pagerduty_and_opsgenie_open_acknowledge_and_close() {
    let server = TestServer::start();
    let Some(python) = outside::find("GATEHOUSE_TEST_PYTHON", &[]) else {
        return;
    };
    let base = format!("{}{APIS}", server.base_url());
    for (step, status) in [
        ("open", "triggered"),
        ("acknowledge", "acknowledged"),
        ("close", "resolved"),
    ] {
        let output = Command::new(&python)
            .arg(outside::script("clients/paging.py"))
            .args([&base, server.text("/alerts/key"), step])
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{step}: {complaint}");
        for (tool, title) in [("PagerDuty", "Events fire"), ("Opsgenie", "Requests fire")] {
            let expected = (title.to_owned(), status.to_owned());
            assert_eq!(alerts_of(&server, tool), [expected], "{step}");
        }
    }
}

#[test]
fn alertmanager_pages_through_pagerduty_and_opsgenie() {
    let server = TestServer::start();
    let Some(alertmanager) = Alertmanager::start(&server, AlertGrouping::Paging) else {
        return;
    };
    let labels = ["alertname=Latency", "severity=warning", "instance=host-1"];
    let states = |server: &TestServer| {
        ["PagerDuty", "Opsgenie"].map(|tool| {
            alerts_of(server, tool)
                .into_iter()
                .map(|(_, status)| status)
                .collect::<Vec<_>>()
        })
    };
    alertmanager.amtool(&labels);
    eventually("both clients open an alert", || {
        (states(&server) == [["triggered"], ["triggered"]]).then_some(())
    });
    let ended = "--end=2024-01-01T00:00:00Z";
    alertmanager.amtool(&[&labels[..], &["--start=2023-01-01T00:00:00Z", ended]].concat());
    eventually("both clients close their alert", || {
        (states(&server) == [["resolved"], ["resolved"]]).then_some(())
    });
    let receipts = server
        .developer()
        .get(&server.below_project("/alert_receipts"))
        .list();
    let refused = receipts
        .iter()
        .filter(|receipt| receipt["refusal"] != json!(null));
    assert_eq!(refused.count(), 0, "{receipts:?}");
}
