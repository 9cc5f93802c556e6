//! Heartbeats of endpoints: signs of life, missing ones, and restarts of the server.

use serde_json::{Value, json};

use crate::support::polling::eventually_ok;
use crate::support::{TestCaller, TestServer, rows};

/// Endpoint that expects a heartbeat.
struct Expected {
    sender: TestCaller,
    /// Path of the endpoint over the API.
    one: String,
    /// Path below which its senders call.
    below: String,
    /// Path for deliveries.
    url: String,
}

impl Expected {
    fn create(server: &TestServer, rules: &Value) -> Self {
        let all = server.below_project("/alert_management/integrations");
        let mut endpoint = rules.clone();
        endpoint["name"] = json!("Nightly backup");
        let created = server.admin().post(&all, &endpoint).expect(201);
        let url = url::Url::parse(created["url"].as_str().unwrap()).unwrap();
        Self {
            sender: TestCaller::bearer(server.base_url(), created["token"].as_str().unwrap()),
            one: format!("{all}/{}", created["id"]),
            below: url.path().trim_end_matches(".json").to_owned(),
            url: url.path().to_owned(),
        }
    }

    fn heartbeat(&self, server: &TestServer) -> Value {
        let path = format!("{}/heartbeat", self.one);
        server.developer().get(&path).expect(200)
    }

    fn ping(&self) -> Value {
        self.sender.get(&format!("{}/ping", self.below)).expect(200)
    }
}

/// Alerts about heartbeats, newest first.
fn alerts(server: &TestServer) -> Vec<Value> {
    let listed = server.developer().get(&server.alerts()).list();
    let tool = |alert: &Value| alert["monitoring_tool"] == "Heartbeat";
    listed.into_iter().filter(tool).collect()
}

/// Waits until there are alerts about heartbeats with these statuses, newest first.
fn wait_for(server: &TestServer, expected: &[&str]) -> Vec<Value> {
    eventually_ok("alerts follow heartbeats", || {
        let alerts = alerts(server);
        let statuses: Vec<&Value> = alerts.iter().map(|alert| &alert["status"]).collect();
        let error = format!("{statuses:?}");
        if statuses == expected {
            Ok(alerts)
        } else {
            Err(error)
        }
    })
}

#[test]
fn a_missing_heartbeat_opens_one_alert_and_the_next_one_ends_it() {
    let server = TestServer::start();
    let settings = server.below_project("/incident_management_settings");
    let on = json!({ "create_incidents": true });
    server.admin().put(&settings, &on).expect(200);
    let rules = json!({ "heartbeat_interval": 1, "heartbeat_grace": 0 });
    let expected = Expected::create(&server, &rules);
    let new =
        json!({ "status": "new", "interval": 1, "grace": 0, "last_at": null, "due_at": null });
    assert_eq!(expected.heartbeat(&server), new);
    let pinged = expected.ping();
    assert_eq!(pinged["status"], "alive");
    let opened = wait_for(&server, &["triggered"]);
    assert_eq!(opened[0]["title"], "No heartbeat: Nightly backup");
    assert_eq!(opened[0]["severity"], "critical");
    let known = expected.heartbeat(&server);
    assert_eq!(
        (&known["status"], &known["due_at"]),
        (&json!("missing"), &Value::Null)
    );
    assert_eq!(known["last_at"], pinged["last_at"]);
    // A longer interval counts from the next sign of life on, which resolves the alert and closes its incident.
    let calm = json!({ "heartbeat_interval": 3600 });
    server.admin().put(&expected.one, &calm).expect(200);
    expected.ping();
    let ended = wait_for(&server, &["resolved"]);
    assert_eq!(ended[0]["event_count"], 1, "it was reported once");
    assert_eq!(expected.heartbeat(&server)["status"], "alive");
    let incidents =
        server.below_project("/issues?issue_type=incident&state=closed&search=heartbeat");
    assert_eq!(server.developer().get(&incidents).list().len(), 1);
}

#[test]
fn every_request_to_the_endpoint_is_a_sign_of_life() {
    let server = TestServer::start();
    let expected = Expected::create(&server, &json!({ "heartbeat_interval": 60 }));
    assert_eq!(
        expected.heartbeat(&server)["grace"],
        60,
        "as long as the interval"
    );
    let post = |path: &str, body: &Value| expected.sender.post(path, body);
    // Each of them moves the time, so each is stored.
    let mut last = Value::Null;
    let mut check = |what: &str| {
        let heartbeat = expected.heartbeat(&server);
        assert_eq!(heartbeat["status"], "alive", "{what}");
        assert_ne!(heartbeat["last_at"], last, "{what}");
        last = heartbeat["last_at"].clone();
    };
    let watchdog = json!({ "version": "4", "status": "firing", "title": "Watchdog" });
    assert_eq!(post(&expected.url, &watchdog).expect(200), json!([]));
    check("a delivery");
    expected.ping();
    check("GET");
    post(&format!("{}/ping", expected.below), &json!({})).expect(200);
    check("POST");
    let opsgenie = format!("{}/v2/heartbeats/any/ping", expected.below);
    for method in ["POST", "PUT", "PATCH"] {
        expected.sender.send(method, &opsgenie, b"{}").expect(200);
        check(method);
    }
    let pong = expected.sender.get(&opsgenie).expect(200);
    assert_eq!(pong["result"], "PONG - Heartbeat received");
    assert!(
        pong["took"].is_f64() && pong["requestId"].is_string(),
        "{pong}"
    );
    check("Opsgenie");
    // An alert that should always fire and is over is no sign of life, and neither is a dry run.
    let last = expected.heartbeat(&server)["last_at"].clone();
    let over = json!({ "title": "Watchdog", "end_time": "2026-01-01T00:00:00Z" });
    assert_eq!(post(&expected.url, &over).expect(200), json!([]));
    let dry = expected.sender.clone().with("Dry-Run", "true");
    let effect = dry.post(&expected.url, &watchdog).expect(200);
    assert_eq!(effect["created"], 0, "{effect}");
    assert_eq!(expected.heartbeat(&server)["last_at"], last);
    assert!(alerts(&server).is_empty());
    // Only the key of the endpoint counts, and only where a heartbeat is expected.
    let path = format!("{}/ping", expected.below);
    assert_eq!(server.anonymous().get(&path).status, 401);
    assert_eq!(server.sender().get(&path).status, 401);
    let generic = server
        .generic()
        .replace("notify.json", "notify/any/legacy/ping");
    assert_eq!(server.sender().get(&generic).status, 422);
    let off = json!({ "heartbeat_interval": 0 });
    let changed = server.admin().put(&expected.one, &off).expect(200);
    assert_eq!(changed["heartbeat_interval"], Value::Null);
    assert_eq!(rows::count(&server, "alert_heartbeats"), 0);
    assert_eq!(expected.sender.get(&path).status, 422);
    let gone = format!("{}/heartbeat", expected.one);
    assert_eq!(server.developer().get(&gone).status, 404);
    for wrong in [
        json!({ "heartbeat_interval": -1 }),
        json!({ "heartbeat_interval": 2_678_401 }),
    ] {
        assert_eq!(
            server.admin().put(&expected.one, &wrong).status,
            400,
            "{wrong}"
        );
    }
    let alone = json!({ "name": "Grace", "heartbeat_grace": 5 });
    assert_eq!(server.admin().put(&expected.one, &alone).status, 400);
    let all = server.below_project("/alert_management/integrations");
    assert_eq!(server.admin().post(&all, &alone).status, 400);
    // A client of Opsgenie reads each body as an object with these fields.
    let refused = expected.sender.get(&opsgenie);
    assert_eq!(
        (refused.status, refused.json()["took"].is_f64()),
        (422, true)
    );
    server.admin().delete(&expected.one).assert_ok();
}

#[test]
fn a_server_that_was_down_gives_each_heartbeat_its_whole_time_again() {
    let mut server = TestServer::start();
    let rules = json!({ "heartbeat_interval": 3, "heartbeat_grace": 1 });
    let silent = Expected::create(&server, &rules);
    let calm = Expected::create(&server, &json!({ "heartbeat_interval": 3600 }));
    let off = Expected::create(&server, &rules);
    for one in [&silent, &calm, &off] {
        one.ping();
    }
    server
        .admin()
        .put(&off.one, &json!({ "active": false }))
        .expect(200);
    server.kill();
    // As if it had been down for a day.
    rows::change(
        &server,
        "UPDATE alert_heartbeats SET last_at = last_at - 86400000000, due_at = due_at - 86400000000",
    );
    let before = "SELECT CAST(strftime('%s', 'now') AS INTEGER)";
    let start = rows::number(&server, before);
    server.restart();
    let opened = wait_for(&server, &["triggered"]);
    assert_eq!(opened[0]["title"], "No heartbeat: Nightly backup");
    assert!(
        rows::number(&server, before) >= start + 4,
        "not before the whole time is over"
    );
    assert_eq!(silent.heartbeat(&server)["status"], "missing");
    assert_eq!(calm.heartbeat(&server)["status"], "alive");
    assert_eq!(
        alerts(&server).len(),
        1,
        "an endpoint that is off has no alert"
    );
}
