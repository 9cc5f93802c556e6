//! The paths that monitoring systems send alerts to: `…/alerts/notify.json` and
//! `…/prometheus/alerts/notify.json`.

mod across_projects;
mod alertmanager;
mod concurrent_settings;
mod content_types;
mod credentials;
mod early_response;
mod generic;
mod heartbeats;
mod held_bodies;
mod idempotency;
mod integrations;
mod life_model;
mod limits;
mod mending;
mod metrics;
mod metrics_delivery;
mod newest;
mod paging;
mod refusals;
mod refused_receipts;
mod repeats;
mod retention;
mod senders;
mod volume;

use serde_json::{Value, json};

use crate::support::TestServer;

/// Alertmanager's webhook body for these alerts.
pub(crate) fn webhook(alerts: &[Value]) -> Value {
    json!({
        "version": "4", "status": "firing", "receiver": "gatehouse", "groupKey": "{}:{}",
        "truncatedAlerts": 0, "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {},
        "externalURL": "http://alertmanager.example.com", "alerts": alerts,
    })
}

/// A firing item of such a body.
pub(crate) fn item(name: &str) -> Value {
    json!({
        "status": "firing", "labels": { "alertname": name }, "annotations": {},
        "startsAt": "2024-05-01T10:00:00.123456789Z", "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "", "fingerprint": "0123456789abcdef",
    })
}

/// Sends items to the metrics endpoint, and returns the alerts of the response as their project shows them.
#[track_caller]
fn raise_metrics(server: &TestServer, items: &[Value]) -> Vec<Value> {
    let answer = server.sender().post(&server.metrics(), &webhook(items));
    let answer = answer.expect(200);
    let response = answer.as_array().unwrap();
    response
        .iter()
        .map(|alert| server.alert(&alert["iid"]))
        .collect()
}

/// Everything that a delivery could change: the alerts, the receipts of stored deliveries, and the feed of the demo's
/// project. Receipts of refusals are in [`refusals`].
fn stored(server: &TestServer) -> [Value; 3] {
    let read = |path: String| server.developer().get(&path).expect(200);
    let receipts = receipts(server).into_iter();
    let of_stored = receipts.filter(|receipt| receipt["refusal"].is_null());
    [
        read(server.alerts()),
        of_stored.collect(),
        read(server.below_project("/events")),
    ]
}

/// Up to a hundred receipts of the demo's project, the newest first.
fn receipts(server: &TestServer) -> Vec<Value> {
    let path = server.below_project("/alert_receipts?per_page=100");
    server.developer().get(&path).list()
}

/// The receipts of refused deliveries, the newest first.
fn refusals(server: &TestServer) -> Vec<Value> {
    let receipts = receipts(server).into_iter();
    receipts
        .filter(|receipt| !receipt["refusal"].is_null())
        .collect()
}

/// The latest receipt of the demo's project.
fn receipt(server: &TestServer) -> Value {
    let path = server.below_project("/alert_receipts?per_page=1");
    server.developer().get(&path).list()[0].clone()
}
