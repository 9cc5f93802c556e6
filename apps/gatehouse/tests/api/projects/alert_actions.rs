//! Actions of users on alerts: severity, assignee, and changes of many at once.

use serde_json::{Value, json};

use crate::support::pages::rows;
use crate::support::rows::count;
use crate::support::{TestCaller, TestServer};

fn id_of(caller: &TestCaller) -> Value {
    caller.get("/api/v4/user").expect(200)["id"].clone()
}

/// Bodies of the system notes on an alert, the oldest first.
fn notes(server: &TestServer, path: &str) -> Vec<String> {
    let path = format!("{path}/notes?sort=asc&order_by=created_at");
    let notes = server.developer().get(&path).list();
    assert!(notes.iter().all(|note| note["system"] == json!(true)));
    let body = |note: &Value| note["body"].as_str().unwrap().to_owned();
    notes.iter().map(body).collect()
}

#[test]
fn an_alert_gets_a_severity_and_one_assignee_who_can_read_it() {
    let server = TestServer::start();
    let iid = server.raise(&json!({ "title": "Fire", "fingerprint": "fire" }))["iid"].clone();
    let path = format!("{}/{iid}", server.alerts());
    let dev = server.developer();
    let (developer, admin) = (id_of(&dev), id_of(&server.admin()));
    let reporter = id_of(&server.reporter());
    let edit = json!({ "severity": "low", "assignee_ids": [developer] });
    let changed = dev.put(&path, &edit).expect(200);
    assert_eq!(
        (&changed["severity"], &changed["assignee_id"]),
        (&json!("low"), &developer)
    );
    let again = dev.put(&path, &edit).expect(200);
    assert_eq!(again, changed, "equal values change nothing");
    // A report that fires on does not take the decision back.
    server.raise(&json!({ "title": "Fire", "fingerprint": "fire", "severity": "medium" }));
    let all = json!({ "status": "acknowledged", "severity": "high", "assignee_id": admin });
    let changed = dev.put(&path, &all).expect(200);
    assert_eq!(changed["assignee_id"], admin);
    assert_eq!(changed["status"], "acknowledged");
    for none in [json!({ "assignee_id": 0 }), json!({ "assignee_ids": [] })] {
        let before = dev
            .put(&path, &json!({ "assignee_id": developer }))
            .expect(200);
        assert_eq!(before["assignee_id"], developer);
        assert_eq!(
            dev.put(&path, &none).expect(200)["assignee_id"],
            Value::Null
        );
    }
    let expected = [
        "changed the severity to **Low**",
        "assigned to @dev",
        "changed the status to **Acknowledged**",
        "changed the severity to **High**",
        "assigned to @root and unassigned @dev",
        "assigned to @dev and unassigned @root",
        "unassigned @dev",
        "assigned to @dev",
        "unassigned @dev",
    ];
    assert_eq!(notes(&server, &path), expected);
    // A refused change stores nothing, whatever else it contains.
    let stored = count(&server, "notes");
    for (wrong, reason) in [
        (
            json!({ "assignee_id": reporter, "severity": "info" }),
            "Assignee has no permissions",
        ),
        (
            json!({ "assignee_id": 9999, "status": "resolved" }),
            "Assignee has no permissions",
        ),
        (
            json!({ "assignee_ids": [developer, admin] }),
            "at most one user",
        ),
        (json!({ "severity": "worst" }), "severity"),
        (json!({}), "at least one parameter must be provided"),
    ] {
        let refused = dev.put(&path, &wrong);
        assert!(
            refused.text().contains(reason),
            "{wrong}: {}",
            refused.text()
        );
        assert_eq!(refused.status, 400, "{wrong}");
    }
    assert_eq!(dev.get(&path).expect(200)["severity"], "high");
    assert_eq!(count(&server, "notes"), stored);
}

/// Numbers of the alerts of a list.
fn iids(server: &TestServer, query: &str) -> Vec<i64> {
    let list = server
        .developer()
        .get(&format!("{}?{query}", server.alerts()));
    let list = list.list();
    list.iter()
        .map(|alert| alert["iid"].as_i64().unwrap())
        .collect()
}

/// PAGE-05.
#[test]
fn alerts_are_listed_by_urgency_assignee_and_environment_and_counted() {
    let server = TestServer::start();
    let dev = server.developer();
    let counts = |server: &TestServer| {
        let path = format!("{}/status_counts", server.alerts());
        server.developer().get(&path).expect(200)
    };
    let before = counts(&server);
    assert_eq!(before["all"], 3);
    let mut raised = Vec::new();
    for (name, severity) in [("one", "low"), ("two", "critical"), ("three", "critical")] {
        let body = json!({
            "title": name, "fingerprint": name, "severity": severity, "gitlab_environment_name": "prod",
        });
        raised.push(server.raise(&body)["iid"].as_i64().unwrap());
    }
    let [one, two, three] = raised[..] else {
        panic!()
    };
    let path = |iid: i64| format!("{}/{iid}", server.alerts());
    dev.put(&path(two), &json!({ "status": "resolved" }))
        .assert_ok();
    dev.put(&path(three), &json!({ "status": "acknowledged" }))
        .assert_ok();
    let me = id_of(&dev);
    let assign = json!({ "iids": [one, two], "assignee_id": me });
    dev.put(&server.alerts(), &assign).assert_ok();
    let urgent = iids(&server, "order_by=urgency&environment=prod");
    assert_eq!(urgent, [three, one, two]);
    let urgent = iids(
        &server,
        "order_by=urgency&environment=prod&sort=asc&status=open",
    );
    assert_eq!(urgent, [one, three]);
    assert_eq!(iids(&server, &format!("assignee_id={me}")), [two, one]);
    assert_eq!(
        iids(&server, &format!("assignee_id={me}&status=open")),
        [one]
    );
    assert!(iids(&server, "environment=prod'").is_empty());
    let open = iids(
        &server,
        "status=open,resolved&order_by=urgency&search=three",
    );
    assert_eq!(open, [three]);
    let after = counts(&server);
    let number = |counts: &Value, word: &str| counts[word].as_i64().unwrap();
    for (word, more) in [
        ("all", 3),
        ("open", 2),
        ("acknowledged", 1),
        ("resolved", 1),
        ("ignored", 0),
    ] {
        assert_eq!(number(&after, word), number(&before, word) + more, "{word}");
    }
    // Keyset pages have every alert once, in both directions.
    for (sort, expected) in [
        ("desc", vec![6, 5, 4, 3, 2, 1]),
        ("asc", vec![1, 2, 3, 4, 5, 6]),
    ] {
        let query = format!(
            "{}?pagination=keyset&per_page=2&sort={sort}",
            server.alerts()
        );
        let rows = rows(&dev, &query);
        let rows: Vec<i64> = rows
            .iter()
            .map(|row| row["iid"].as_i64().unwrap())
            .collect();
        assert_eq!(rows, expected, "{sort}");
    }
    for wrong in [
        "order_by=started_at&assignee_id=1",
        "assignee_id=1&environment=prod",
        "assignee_id=x",
        "status=closed",
        "pagination=keyset&search=one",
    ] {
        let refused = dev.get(&format!("{}?{wrong}", server.alerts()));
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text());
    }
}

#[test]
fn an_alert_that_still_fires_after_a_manual_end_has_a_note_about_the_new_one() {
    let server = TestServer::start();
    let item = json!({
        "status": "firing", "labels": { "alertname": "Slow" }, "annotations": {},
        "startsAt": "2026-11-25T03:00:00Z", "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "", "fingerprint": "a1",
    });
    let body = json!({
        "version": "4", "groupKey": "{}", "truncatedAlerts": 0, "status": "firing", "receiver": "web",
        "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "",
        "alerts": [item],
    });
    let send = || {
        let sent = server.sender().post(&server.metrics(), &body).expect(200);
        sent[0]["iid"].as_i64().unwrap()
    };
    let old = send();
    let path = format!("{}/{old}", server.alerts());
    server
        .developer()
        .put(&path, &json!({ "status": "resolved" }))
        .assert_ok();
    let new = send();
    assert_eq!(
        (new, send()),
        (old + 1, old + 1),
        "a repeat opens no third one"
    );
    let notes = notes(&server, &path);
    let expected =
        format!("opened ^alert#{new}, because the sender still reports this alert as firing");
    assert_eq!(
        notes,
        ["changed the status to **Resolved**".to_owned(), expected]
    );
    assert_eq!(
        server.developer().get(&path).expect(200)["status"],
        "resolved"
    );
}

#[test]
fn many_alerts_are_changed_at_once_each_completely_or_not_at_all() {
    let server = TestServer::start();
    let dev = server.developer();
    let raise = |name: &str| {
        let iid = &server.raise(&json!({ "title": name, "fingerprint": name }))["iid"];
        iid.as_i64().unwrap()
    };
    let (old, other) = (raise("fire"), raise("flood"));
    let path = |iid: i64| format!("{}/{iid}", server.alerts());
    dev.put(&path(old), &json!({ "status": "resolved" }))
        .assert_ok();
    let new = raise("fire");
    let edit = json!({
        "iids": [other, old, 999, other, new], "status": "acknowledged", "severity": "low",
    });
    let outcomes = dev.put(&server.alerts(), &edit).expect(200);
    let short = |outcomes: &Value| -> Vec<(i64, String)> {
        let outcomes = outcomes.as_array().unwrap().iter();
        let short = outcomes.map(|one| (one["iid"].as_i64().unwrap(), one["outcome"].to_string()));
        short.collect()
    };
    let outcome = |iid: i64, word: &str| (iid, format!("{word:?}"));
    let expected = [
        outcome(other, "updated"),
        outcome(old, "refused"),
        outcome(999, "not_found"),
        outcome(new, "updated"),
    ];
    assert_eq!(short(&outcomes), expected);
    let reason = outcomes[1]["message"].as_str().unwrap();
    assert!(reason.contains(&format!("alert {new}")), "{reason}");
    assert_eq!(outcomes[0]["alert"]["severity"], "low");
    let refused = dev.get(&path(old)).expect(200);
    assert_eq!(
        (&refused["status"], &refused["severity"]),
        (&json!("resolved"), &json!("critical"))
    );
    let opened =
        format!("opened ^alert#{new}, because the sender still reports this alert as firing");
    let expected = ["changed the status to **Resolved**".to_owned(), opened];
    assert_eq!(notes(&server, &path(old)), expected);
    let expected = [
        "changed the status to **Acknowledged**",
        "changed the severity to **Low**",
    ];
    assert_eq!(notes(&server, &path(new)), expected);
    let again = dev.put(&server.alerts(), &edit).expect(200);
    assert_eq!(short(&again)[0], outcome(other, "unchanged"));
    // As text in a form, and with an entry in the feed for each alert that is closed.
    let entries = count(&server, "events");
    let form = format!("iids[]={other}&iids[]={new}&status=resolved");
    let closed = dev.put_form(&server.alerts(), &form).expect(200);
    assert_eq!(closed[1]["alert"]["status"], "resolved");
    assert_eq!(count(&server, "events"), entries + 2);
    let many: Vec<i64> = (1..=101).collect();
    for wrong in [
        json!({ "iids": [], "status": "resolved" }),
        json!({ "status": "resolved" }),
        json!({ "iids": many, "status": "resolved" }),
        json!({ "iids": [1] }),
        json!({ "iids": ["x"], "status": "resolved" }),
        json!({ "iids": [1], "assignee_id": id_of(&server.reporter()) }),
    ] {
        dev.put(&server.alerts(), &wrong).expect(400);
    }
    let reporter = server.reporter().put(&server.alerts(), &edit);
    assert_eq!(reporter.status, 403);
}
