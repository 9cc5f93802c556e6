//! A real Alertmanager delivers alerts once, whatever happens in between.

use api_conventions::time::Clock as _;
use gatehouse_core::clock::SystemClock;
use serde_json::Value;

use crate::alertmanager_process::{AlertGrouping, Alertmanager};
use crate::support::{TestCaller, TestServer, eventually};

fn alerts(server: &TestServer) -> Vec<Value> {
    let path = format!(
        "/api/v4/projects/{}/alert_management_alerts",
        server.project()
    );
    every_page(
        &server.developer(),
        &format!("{path}?per_page=100&search=host-"),
    )
}

fn every_page(caller: &TestCaller, first: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut next = Some(first.to_owned());
    while let Some(url) = next {
        let answer = caller.get(&url);
        assert_eq!(answer.status, 200, "{answer:?}");
        rows.extend(answer.list());
        next = answer.link("next");
    }
    rows
}

fn feed(server: &TestServer, title: &str) -> Vec<String> {
    let path = format!(
        "/api/v4/projects/{}/events?per_page=100&target_type=alert",
        server.project()
    );
    let entries = every_page(&server.developer(), &path);
    let about = entries
        .iter()
        .filter(|entry| entry["target_title"] == title);
    about
        .map(|entry| entry["action_name"].as_str().unwrap().to_owned())
        .collect()
}

/// Titles and states of the incidents.
fn incidents(server: &TestServer) -> Vec<(Value, Value)> {
    let path = format!(
        "/api/v4/projects/{}/issues?issue_type=incident",
        server.project()
    );
    let listed = server.developer().get(&path).list().into_iter();
    listed
        .map(|issue| (issue["title"].clone(), issue["state"].clone()))
        .collect()
}

/// ALRT-10. The incident opens and closes in the transactions of the alert.
#[test]
fn an_alert_appears_in_the_list_and_the_feed_and_is_resolved() {
    let server = TestServer::start();
    let settings = format!(
        "/api/v4/projects/{}/incident_management_settings",
        server.project()
    );
    let on = serde_json::json!({ "create_incidents": true });
    server.admin().put(&settings, &on).expect(200);
    let Some(alertmanager) = Alertmanager::start(&server, AlertGrouping::ByName) else {
        return;
    };
    let labels = ["alertname=Latency", "severity=s2", "instance=host-1"];
    let title = "host-1 answers slowly";
    let annotation = format!("--annotation=title={title}");

    alertmanager.amtool(&[&labels[..], &[&annotation]].concat());
    let fired = eventually("the alert fires", || alerts(&server).pop());
    assert_eq!(fired["title"], title);
    assert_eq!(fired["severity"], "high");
    assert_eq!(fired["status"], "triggered");
    assert_eq!(fired["monitoring_tool"], "Prometheus");
    assert_eq!(feed(&server, title), ["opened"]);
    assert_eq!(incidents(&server), [(title.into(), "opened".into())]);

    let now = SystemClock.now();
    let (start, end) = (
        format!("--start={}", now.plus_seconds(-60)),
        format!("--end={now}"),
    );
    alertmanager.amtool(&[&labels[..], &[&annotation, &start, &end]].concat());
    let resolved = eventually("the alert is resolved", || {
        alerts(&server)
            .pop()
            .filter(|alert| alert["status"] == "resolved")
    });
    assert_eq!(resolved["iid"], fired["iid"]);
    assert_eq!(resolved["event_count"], 1);
    assert_eq!(feed(&server, title), ["closed", "opened"]);
    assert_eq!(incidents(&server), [(title.into(), "closed".into())]);
}

#[test]
fn a_group_of_alerts_comes_in_one_post_and_each_is_stored() {
    let server = TestServer::start();
    let Some(alertmanager) = Alertmanager::start(&server, AlertGrouping::ByName) else {
        return;
    };
    alertmanager.raise(0..200);
    eventually("all alerts are there", || {
        (alerts(&server).len() == 200).then_some(())
    });
    let receipts = format!("/api/v4/projects/{}/alert_receipts", server.project());
    let largest = server
        .developer()
        .get(&receipts)
        .list()
        .into_iter()
        .map(|receipt| receipt["created"].clone());
    assert!(
        largest
            .into_iter()
            .any(|created| created.as_i64() > Some(1)),
        "no POST held several alerts"
    );
}
