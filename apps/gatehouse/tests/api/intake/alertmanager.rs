//! Alertmanager's API at an alert endpoint: alerts that Prometheus posts, and what its other clients read.

use serde_json::{Value, json};

use crate::support::alertmanager::{AlertmanagerEndpoint, minutes};
use crate::support::polling::eventually_ok;
use crate::support::{TestCaller, TestServer, rows};

fn item(name: &str, more: &Value) -> Value {
    let mut item = json!({ "labels": { "alertname": name, "severity": "critical" } });
    let fields = item.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    item
}

/// Returns the alerts that were posted, the newest first.
fn posted(server: &TestServer) -> Vec<Value> {
    let mut listed = server.developer().get(&server.alerts()).list();
    listed.retain(|alert| alert["monitoring_tool"] == "Prometheus");
    listed
}

/// Returns titles and statuses of the alerts that were posted, the newest first.
fn alerts(server: &TestServer) -> Vec<(String, String)> {
    let listed = posted(server);
    let text = |alert: &Value, name: &str| alert[name].as_str().unwrap().to_owned();
    let pair = |alert: &Value| (text(alert, "title"), text(alert, "status"));
    listed.iter().map(pair).collect()
}

fn wait_for(server: &TestServer, expected: &[(&str, &str)]) {
    eventually_ok("alerts have their states", || {
        let found = alerts(server);
        let is_found = found
            .iter()
            .map(|(title, status)| (title.as_str(), status.as_str()))
            .eq(expected.iter().copied());
        is_found.then_some(()).ok_or_else(|| format!("{found:?}"))
    });
}

#[test]
fn alerts_that_are_posted_open_end_and_are_not_counted_again() {
    let server = TestServer::start();
    let prometheus = AlertmanagerEndpoint::of(&server);
    let start = minutes(-10);
    let fires = json!([item(
        "Up",
        &json!({ "startsAt": start, "endsAt": minutes(4) })
    )]);
    let answer = prometheus.send(&fires);
    assert_eq!((answer.status, answer.text().as_str()), (200, ""));
    prometheus.send(&fires).expect_text(200);
    let listed = posted(&server);
    assert_eq!(
        (&listed[0]["title"], &listed[0]["severity"]),
        (&json!("Up"), &json!("critical"))
    );
    assert_eq!((&listed[0]["event_count"], listed.len()), (&json!(1), 1));
    let ends = json!([item(
        "Up",
        &json!({ "startsAt": start, "endsAt": minutes(-1) })
    )]);
    prometheus.send(&ends).expect_text(200);
    // Prometheus repeats the end for a quarter of an hour.
    prometheus.send(&ends).expect_text(200);
    assert_eq!(alerts(&server), [("Up".to_owned(), "resolved".to_owned())]);
    let again = json!([item("Up", &json!({ "startsAt": minutes(0) }))]);
    let first_version = format!("{}/api/v1/alerts", prometheus.below);
    prometheus
        .sender
        .post(&first_version, &again)
        .expect_text(200);
    wait_for(&server, &[("Up", "triggered"), ("Up", "resolved")]);
}

#[test]
fn an_alert_is_one_whether_it_comes_directly_or_from_an_alertmanager() {
    let server = TestServer::start();
    let prometheus = AlertmanagerEndpoint::of(&server);
    let start = minutes(-10);
    let times = json!({ "startsAt": start, "endsAt": minutes(4) });
    prometheus
        .send(&json!([item("Up", &times)]))
        .expect_text(200);
    let webhook = |status: &str, end: &str| {
        let times = json!({ "status": status, "startsAt": start, "endsAt": end });
        json!({
            "version": "4", "groupKey": "{}:{}", "status": status, "receiver": "gatehouse", "groupLabels": {},
            "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://a.example",
            "alerts": [item("Up", &times)],
        })
    };
    let never = "0001-01-01T00:00:00Z";
    let metrics = |body: &Value| server.sender().post(&server.metrics(), body).expect(200);
    metrics(&webhook("firing", never));
    assert_eq!(alerts(&server), [("Up".to_owned(), "triggered".to_owned())]);
    assert_eq!(posted(&server)[0]["event_count"], 1);
    metrics(&webhook("resolved", &minutes(-1)));
    assert_eq!(alerts(&server), [("Up".to_owned(), "resolved".to_owned())]);
}

#[test]
fn a_replica_with_a_later_start_reports_no_other_occurrence() {
    let server = TestServer::start();
    let prometheus = AlertmanagerEndpoint::of(&server);
    for start in [minutes(-10), minutes(-9), minutes(-10)] {
        let times = json!({ "startsAt": start, "endsAt": minutes(4) });
        prometheus
            .send(&json!([item("Up", &times)]))
            .expect_text(200);
    }
    let alerts = posted(&server);
    let alert = &alerts[0];
    let counts = ["event_count", "flap_count", "delivery_count"].map(|name| &alert[name]);
    assert_eq!(
        (alerts.len(), counts),
        (1, [&json!(1), &json!(0), &json!(3)])
    );
}

#[test]
fn invalid_alerts_are_named_and_the_others_are_stored() {
    let server = TestServer::start();
    let prometheus = AlertmanagerEndpoint::of(&server);
    let backwards = json!({ "startsAt": minutes(2), "endsAt": minutes(1) });
    let body = json!([item("Good", &json!({})), { "labels": {} }, 7, item("Bad", &backwards)]);
    let refused = prometheus.send(&body).expect_text(400);
    let sentence: String = serde_json::from_str(&refused).unwrap();
    for part in [
        "position 1 needs a label",
        "position 2 is not an object",
        "position 3 has a startsAt",
    ] {
        assert!(sentence.contains(part), "{sentence}");
    }
    assert_eq!(
        alerts(&server),
        [("Good".to_owned(), "triggered".to_owned())]
    );
    for body in ["{}", "", "[", "[{\"labels\":", "null"] {
        let path = format!("{}/api/v2/alerts", prometheus.below);
        let sender = TestCaller::new(server.base_url(), None);
        let key = format!("Bearer {}", prometheus.key);
        let sender = sender
            .with("Authorization", &key)
            .with("Content-Type", "application/json");
        let answer = sender.send("POST", &path, body.as_bytes());
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.json().is_string(), "{body}: {}", answer.text());
    }
    assert_eq!(alerts(&server).len(), 1);
}

#[test]
fn an_alert_that_is_not_posted_again_ends_and_a_restart_gives_it_time() {
    let mut server = TestServer::start();
    let prometheus = AlertmanagerEndpoint::of(&server);
    let fires = |name| {
        item(
            name,
            &json!({ "startsAt": minutes(-10), "endsAt": minutes(4) }),
        )
    };
    prometheus
        .send(&json!([fires("Gone"), fires("Alive")]))
        .expect_text(200);
    let past = "UPDATE alert_expiries SET expires_at = expires_at - 360000000";
    server.kill();
    rows::change(&server, past);
    server.restart();
    // It is repeated before the time that the restart gave is over.
    prometheus.send(&json!([fires("Alive")])).expect_text(200);
    let number = "SELECT count(*) FROM alert_expiries WHERE expires_at > \
                  CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + 200000000";
    eventually_ok("the ends are postponed", || {
        match rows::number(&server, number) {
            2 => Ok(()),
            other => Err(format!("{other}")),
        }
    });
    wait_for(&server, &[("Alive", "triggered"), ("Gone", "triggered")]);
    let gone = "UPDATE alert_expiries SET expires_at = expires_at - 600000000 \
                WHERE identity = (SELECT identity FROM alerts WHERE title = 'Gone')";
    rows::change(&server, gone);
    wait_for(&server, &[("Alive", "triggered"), ("Gone", "resolved")]);
    let notes = rows::number(
        &server,
        "SELECT count(*) FROM alert_receipts WHERE notes LIKE '%not reported again before the announced end%'",
    );
    assert_eq!(notes, 1);
    // It fires again.
    let again = item(
        "Gone",
        &json!({ "startsAt": minutes(0), "endsAt": minutes(4) }),
    );
    prometheus.send(&json!([again])).expect_text(200);
    wait_for(
        &server,
        &[
            ("Gone", "triggered"),
            ("Alive", "triggered"),
            ("Gone", "resolved"),
        ],
    );
}

#[test]
fn callers_may_do_what_their_token_or_key_allows() {
    let server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let with = |token: &str| TestCaller::bearer(server.base_url(), token);
    let path = |end: &str| format!("{}{end}", endpoint.below);
    let silence = json!({
        "matchers": [{ "name": "a", "value": "b", "isRegex": false }],
        "startsAt": minutes(0), "endsAt": minutes(60), "createdBy": "erin", "comment": "",
    });
    let statuses = |caller: &TestCaller| {
        [
            caller.get(&path("/api/v2/alerts")).status,
            caller.get(&path("/api/v2/silences")).status,
            caller.post(&path("/api/v2/silences"), &silence).status,
            caller.post(&path("/api/v2/alerts"), &json!([])).status,
        ]
    };
    for (token, expected) in [
        (server.token("dev", "api"), [200, 200, 200, 401]),
        (server.token("dev", "read_api"), [200, 200, 403, 401]),
        (server.token("dev", "read_user"), [403, 403, 403, 401]),
        (server.token("rita", "api"), [403, 403, 403, 401]),
        ("nonsense".to_owned(), [401, 401, 401, 401]),
    ] {
        assert_eq!(statuses(&with(&token)), expected, "{token}");
    }
    assert_eq!(statuses(&endpoint.sender), [403, 403, 403, 200]);
    server
        .admin()
        .put(&endpoint.endpoint, &json!({ "key_manages": true }))
        .expect(200);
    assert_eq!(statuses(&endpoint.sender), [200, 200, 200, 200]);
    let authors = endpoint.get("/api/v2/silences").list();
    let authors: Vec<&Value> = authors.iter().map(|one| &one["createdBy"]).collect();
    assert_eq!(authors, ["erin (dev)", "erin (key of Prometheus)"]);
    assert_eq!(statuses(&server.anonymous()), [401, 401, 401, 401]);
}

#[test]
fn clients_read_a_version_receivers_and_groups() {
    let server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let status = endpoint.get("/api/v2/status").expect(200);
    assert_eq!(status["cluster"]["status"], "disabled");
    assert_eq!(status["cluster"]["peers"], json!([]));
    assert!(
        status["config"]["original"]
            .as_str()
            .unwrap()
            .contains("receiver: gatehouse")
    );
    let metric = endpoint.get("/metrics").expect_text(200);
    let version = status["versionInfo"]["version"].as_str().unwrap();
    assert!(metric.contains(&format!(
        "alertmanager_build_info{{version=\"{version}\"}} 1"
    )));
    assert_eq!(
        endpoint.get("/api/v2/receivers").list(),
        [json!({ "name": "gatehouse" })]
    );
    // Grafana distinguishes Alertmanager from Mimir by this path.
    assert_eq!(endpoint.get("/alertmanager/api/v2/status").status, 404);
    let labels = json!({ "labels": { "alertname": "Up", "instance": "b" }, "generatorURL": "http://a.example/" });
    endpoint
        .send(&json!([item("Up", &json!({})), labels]))
        .expect_text(200);
    let groups = endpoint
        .get("/api/v2/alerts/groups?filter=alertname%3DUp")
        .list();
    assert_eq!(
        (groups.len(), &groups[0]["labels"]),
        (1, &json!({ "alertname": "Up" }))
    );
    assert_eq!(groups[0]["receiver"]["name"], "gatehouse");
    let group = groups[0]["alerts"].as_array().unwrap();
    assert_eq!(group.len(), 2);
    for alert in group {
        assert_eq!(alert["status"]["inhibitedBy"], json!([]));
        assert_eq!(alert["fingerprint"].as_str().unwrap().len(), 16);
    }
    let filtered = |query: &str| {
        endpoint
            .get(&format!("/api/v2/alerts?{query}"))
            .list()
            .len()
    };
    assert_eq!(
        filtered("filter=alertname%3DUp&filter=instance%3D%22b%22"),
        1
    );
    assert_eq!(filtered("active=false"), 0);
    assert_eq!(filtered("receiver=other"), 0);
    for query in ["filter=x", "active=maybe", "receiver=(", "state=firing"] {
        let refused = endpoint.get(&format!("/api/v2/alerts?{query}"));
        assert_eq!(refused.status, 400, "{query}");
        assert!(refused.json().is_string(), "{query}");
    }
}

#[test]
fn silences_are_replaced_or_changed_in_place_as_in_alertmanager() {
    let server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let matchers = json!([{ "name": "a", "value": "b", "isRegex": false, "isEqual": true }]);
    let id = endpoint.silence(&matchers);
    let one = |id: &str| endpoint.get(&format!("/api/v2/silence/{id}"));
    let stored = one(&id).expect(200);
    let put = |silence: &Value| {
        let answer = endpoint.post("/api/v2/silences", silence).expect(200);
        answer["silenceID"].as_str().unwrap().to_owned()
    };
    let mut longer = stored.clone();
    longer["endsAt"] = json!(minutes(600));
    assert_eq!(put(&longer), id, "it is changed in place");
    let mut other = longer.clone();
    other["matchers"][0]["value"] = json!("c");
    let next = put(&other);
    assert_ne!(next, id);
    assert_eq!(one(&id).expect(200)["status"]["state"], "expired");
    // One that cannot be stored does not end its predecessor.
    let mut wrong = other.clone();
    wrong["id"] = json!(next);
    wrong["matchers"] = json!([{ "name": "a", "value": "(", "isRegex": true }]);
    endpoint.post("/api/v2/silences", &wrong).expect_text(400);
    assert_eq!(one(&next).expect(200)["status"]["state"], "active");
    // One that is over never begins again.
    let mut revived = stored.clone();
    revived["endsAt"] = json!(minutes(30));
    assert_ne!(put(&revived), id);
    endpoint
        .delete(&format!("/api/v2/silence/{next}"))
        .expect_text(200);
    endpoint
        .delete(&format!("/api/v2/silence/{next}"))
        .expect_text(200);
    for unknown in [
        "00000000-0000-8000-8000-0000000000ff",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    ] {
        assert_eq!(one(unknown).status, 404);
        assert_eq!(
            endpoint
                .delete(&format!("/api/v2/silence/{unknown}"))
                .status,
            404
        );
        let mut foreign = stored.clone();
        foreign["id"] = json!(unknown);
        assert_eq!(endpoint.post("/api/v2/silences", &foreign).status, 404);
    }
    let filter = endpoint.get("/api/v2/silences?filter=a%3D%22c%22").list();
    assert_eq!(filter.len(), 1, "filters compare matchers literally");
}
