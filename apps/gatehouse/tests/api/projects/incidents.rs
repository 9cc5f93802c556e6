//! Incidents of alerts: created by intake and by hand, and closed in both directions.

use serde_json::{Value, json};

use crate::intake::webhook;
use crate::support::TestServer;

/// Incidents of the demo's project in a state, the oldest first.
fn incidents(server: &TestServer, state: &str) -> Vec<Value> {
    let path = format!("/issues?issue_type=incident&sort=asc&state={state}");
    let listed = server.developer().get(&server.below_project(&path));
    listed.list()
}

fn alerts_of(server: &TestServer, incident: &Value) -> Vec<Value> {
    let path = format!("/issues/{}/alerts", incident["iid"]);
    let listed = server.developer().get(&server.below_project(&path));
    listed.list()
}

/// Bodies of the system notes on an alert or issue, the newest first, each with its author.
fn notes(server: &TestServer, path: &str) -> Vec<(String, String)> {
    let listed = server.developer().get(&format!("{path}/notes")).list();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let note = |note: &Value| (text(&note["author"]["username"]), text(&note["body"]));
    listed.iter().map(note).collect()
}

/// Item of a metrics webhook.
fn item(name: &str, severity: &str, is_resolved: bool) -> Value {
    let mut item = json!({
        "labels": {"alertname": name, "severity": severity},
        "annotations": {
            "runbook": "https://runbooks.example.com/disk",
            "service_incident_markdown": "## Steps\n\n/close\n1. Free some space",
        },
        "startsAt": "2024-05-01T10:00:00Z",
        "generatorURL": "http://prom/graph?g0.expr=disk%20%3E%2090",
    });
    if is_resolved {
        item["status"] = json!("resolved");
        item["endsAt"] = json!("2024-05-01T11:00:00Z");
    }
    item
}

fn send(server: &TestServer, items: &[Value]) {
    let body = webhook(items);
    server.sender().post(&server.metrics(), &body).expect(200);
}

/// Checks the description of the incident of an alert sent by [`item`].
fn check_description(incident: &Value, alert: &Value) {
    let description = incident["description"].as_str().unwrap();
    let parts: Vec<&str> = description.split("\n\n---\n\n").collect();
    let fields = format!(
        "**Start time:** 1 May 2024, 10:00AM (UTC)  \n**Severity:** critical  \n\
         **full_query:** `disk > 90`  \n**Monitoring tool:** Prometheus  \n**Alert:** <{}>",
        alert["web_url"].as_str().unwrap()
    );
    assert_eq!(
        parts,
        [
            &fields,
            "**Runbook:** <https://runbooks.example.com/disk>",
            "## Steps\n\n\\/close\n1. Free some space",
            "- [ ] Tell support",
        ]
    );
}

/// ALRT-10, EVT-08.
#[test]
fn intake_creates_incidents_by_the_settings_and_closes_them_on_recovery() {
    let server = TestServer::start();
    let path = server.below_project("/incident_management_settings");
    let defaults = json!({
        "create_incidents": false,
        "severities": ["unknown", "info", "low", "medium", "high", "critical"],
        "template": "",
        "auto_close_incidents": true,
    });
    assert_eq!(server.developer().get(&path).expect(200), defaults);
    assert_eq!(server.reporter().get(&path).status, 403);
    send(&server, &[item("Before", "critical", false)]);
    assert_eq!(incidents(&server, "all").len(), 0, "the default is off");

    let settings = json!({
        "create_incidents": true, "severities": ["critical", "high"], "template": "- [ ] Tell support",
    });
    assert_eq!(server.developer().put(&path, &settings).status, 403);
    for refused in [
        json!({}),
        json!({ "severities": [] }),
        json!({ "severities": ["huge"] }),
        json!({ "template": "x".repeat(50_001) }),
    ] {
        assert_eq!(
            server.admin().put(&path, &refused).status,
            400,
            "{refused:.60}"
        );
    }
    let stored = server.admin().put(&path, &settings).expect(200);
    assert_eq!(stored["severities"], json!(["high", "critical"]));
    assert_eq!(stored["auto_close_incidents"], true);

    // A firing alert opens one, but neither a repeat, nor another severity, nor an end without a firing.
    let disk = item("Disk full", "critical", false);
    send(
        &server,
        &[
            disk.clone(),
            item("Low", "low", false),
            item("Over", "critical", true),
        ],
    );
    send(&server, &[disk]);
    let open = incidents(&server, "opened");
    let [incident] = &open[..] else {
        panic!("one incident is open: {open:?}");
    };
    assert_eq!(incident["title"], "Disk full");
    assert_eq!(incident["severity"], "CRITICAL");
    assert_eq!(incident["author"]["username"], "alert-bot");
    let alerts = alerts_of(&server, incident);
    assert_eq!(alerts.len(), 1);
    check_description(incident, &alerts[0]);
    let alert = format!("{}/{}", server.alerts(), alerts[0]["iid"]);
    let number = incident["iid"].clone();
    let created = format!("created incident #{number} for this alert");
    assert_eq!(notes(&server, &alert)[0].1, created);

    // The end of the alert closes it.
    send(&server, &[item("Disk full", "critical", true)]);
    assert_eq!(incidents(&server, "opened").len(), 0);
    let issue = server.below_project(&format!("/issues/{number}"));
    let closed = server.reporter().get(&issue).expect(200);
    assert_eq!(closed["closed_by"]["username"], "alert-bot");
    assert_eq!(
        notes(&server, &issue)[0],
        ("alert-bot".to_owned(), "closed".to_owned())
    );
    let feed = server.below_project("/events?target_type=issue&per_page=2");
    let feed = server.reporter().get(&feed).list();
    let actions: Vec<&Value> = feed.iter().map(|event| &event["action_name"]).collect();
    assert_eq!(actions, ["closed", "opened"]);
    assert_eq!(feed[0]["target_iid"], number);

    // More than ten at once have one incident, which closes with the last of them.
    let names: Vec<String> = (1..=11).map(|number| format!("Host {number}")).collect();
    let items = |is_resolved| {
        let item = |name: &String| item(name, "high", is_resolved);
        names.iter().map(item).collect::<Vec<Value>>()
    };
    send(&server, &items(false));
    let open = incidents(&server, "opened");
    assert_eq!(open.len(), 1);
    assert_eq!(open[0]["title"], "Host 1 and 10 more");
    assert_eq!(alerts_of(&server, &open[0]).len(), 11);
    send(&server, &items(true)[1..]);
    assert_eq!(incidents(&server, "opened").len(), 1);
    send(&server, &items(true)[..1]);
    assert_eq!(incidents(&server, "opened").len(), 0);

    // Incidents stay open if the project wants it.
    let stays = json!({ "auto_close_incidents": false });
    server.admin().put(&path, &stays).expect(200);
    send(&server, &[item("Stays", "high", false)]);
    send(&server, &[item("Stays", "high", true)]);
    assert_eq!(incidents(&server, "opened").len(), 1);
}

/// ALRT-10.
#[test]
fn an_incident_created_by_hand_is_linked_unlinked_and_resolves_its_alerts() {
    let server = TestServer::start();
    let raise = |name: &str| server.raise(&json!({ "title": name, "fingerprint": name }));
    let alert = |raised: &Value| format!("{}/{}", server.alerts(), raised["iid"]);
    let (first, second) = (raise("First"), raise("Second"));
    let incident = |raised: &Value| format!("{}/incident", alert(raised));
    let developer = server.developer();
    assert_eq!(
        server.reporter().post(&incident(&first), &json!({})).status,
        403
    );
    let created = developer.post(&incident(&first), &json!({})).expect(201);
    assert_eq!(created["issue_type"], "incident");
    assert_eq!(created["title"], "First");
    assert_eq!(created["author"]["username"], server.name_of("developer"));
    let again = developer.post(&incident(&first), &json!({})).expect(409);
    assert_eq!(again["message"], "409 Conflict: An issue already exists");
    assert_eq!(
        developer
            .post(&format!("{}/99999/incident", server.alerts()), &json!({}))
            .status,
        404
    );
    let nameless = server.raise(&json!({ "x": 1 }));
    let named = developer.post(&incident(&nameless), &json!({})).expect(201);
    assert_eq!(named["title"], format!("New: Incident {}", named["iid"]));

    let number = created["iid"].clone();
    let issues = server.below_project("/issues");
    let plain = json!({ "title": "Plain" });
    let plain = developer.post(&issues, &plain).expect(201);
    let link = |iid: &Value| json!({ "incident_iid": iid });
    assert_eq!(
        developer
            .post(&incident(&second), &link(&plain["iid"]))
            .status,
        400
    );
    assert_eq!(
        developer
            .post(&incident(&second), &link(&json!(99_999)))
            .status,
        404
    );
    developer
        .post(&incident(&second), &link(&number))
        .expect(201);
    assert_eq!(alerts_of(&server, &created).len(), 2);
    assert_eq!(developer.delete(&incident(&second)).status, 204);
    assert_eq!(developer.delete(&incident(&second)).status, 404);
    developer
        .post(&incident(&second), &link(&number))
        .expect(201);
    let third = raise("Third");
    developer
        .post(&incident(&third), &link(&number))
        .expect(201);
    let status = |word: &str| json!({ "status": word });
    developer
        .put(&alert(&third), &status("ignored"))
        .assert_ok();
    developer
        .put(&alert(&second), &status("resolved"))
        .assert_ok();

    // The first alert is still open. Closing the incident resolves it, in the name of the user, and leaves the others.
    let issue = format!("{issues}/{number}");
    let close = |event: &str| json!({ "state_event": event });
    server.reporter().put(&issue, &close("close")).assert_ok();
    let statuses = |server: &TestServer| {
        let listed = alerts_of(server, &created);
        let statuses = listed.iter().map(|alert| alert["status"].clone());
        statuses.collect::<Vec<Value>>()
    };
    assert_eq!(statuses(&server), ["resolved", "resolved", "ignored"]);
    let text = format!("changed the status to **Resolved** by closing incident #{number}");
    assert_eq!(
        notes(&server, &alert(&first))[0],
        (server.name_of("reporter"), text)
    );
    server.reporter().put(&issue, &close("reopen")).assert_ok();
    assert_eq!(statuses(&server), ["resolved", "resolved", "ignored"]);
    let deleted = server.admin().delete(&issue);
    assert_eq!(deleted.status, 204);
    let fresh = developer.post(&incident(&first), &json!({})).expect(201);
    assert_ne!(fresh["iid"], number, "the link went with the issue");
}

/// ALRT-10.
#[test]
fn the_pages_show_both_and_offer_the_same_actions() {
    let server = TestServer::start();
    let raised = server.raise(&json!({ "title": "Queue grows", "severity": "high" }));
    let mut browser = server.signed_in("developer");
    let alert = format!("/acme/web-shop/-/alert_management/{}", raised["iid"]);
    let details = format!("{alert}/details");
    let created = browser.submit(
        &details,
        &format!("{alert}/incident"),
        &[("event", "create")],
    );
    assert_eq!(created.status, 303);
    let incident = created.header("location").unwrap().to_owned();
    let incident = incident.trim_start_matches(server.base_url()).to_owned();
    let page = browser.open(&incident).expect_text(200);
    for text in [
        "Incident created",
        "Alerts <span class=\"count\">1</span>",
        "Alert fired:",
        &details,
    ] {
        assert!(page.contains(text), "{text}");
    }
    let page = browser.open(&details).expect_text(200);
    assert!(page.contains(&format!("href=\"{incident}\"")), "{page}");
    let list = browser.open("/acme/web-shop/-/issues?issue_type=incident");
    let list = list.expect_text(200);
    assert!(list.contains("<h1>Incidents") && list.contains("Queue grows"));

    let number = incident.rsplit('/').next().unwrap().to_owned();
    let form = format!("{alert}/incident");
    let unlinked = browser.submit(&details, &form, &[("event", "unlink")]);
    assert_eq!(unlinked.status, 303);
    for wrong in ["x", "0"] {
        let fields = [("event", "link"), ("incident_iid", wrong)];
        assert_eq!(browser.submit(&details, &form, &fields).status, 400);
    }
    let linked = browser.submit(
        &details,
        &form,
        &[("event", "link"), ("incident_iid", &number)],
    );
    assert_eq!(linked.status, 303);
    assert_eq!(
        browser.open("/acme/web-shop/-/settings/incidents").status,
        404
    );

    let settings = "/acme/web-shop/-/settings/incidents";
    let mut owner = server.signed_in("admin");
    let none = owner.submit(settings, settings, &[("template", "Kept")]);
    let none = none.expect_text(422);
    assert!(none.contains("Choose at least one severity") && none.contains("Kept"));
    let fields = [
        ("create_incidents", "true"),
        ("severities[]", "high"),
        ("template", "Check it"),
    ];
    assert_eq!(owner.submit(settings, settings, &fields).status, 303);
    let stored = server.below_project("/incident_management_settings");
    assert_eq!(
        server.developer().get(&stored).expect(200),
        json!({
            "create_incidents": true, "severities": ["high"], "template": "Check it",
            "auto_close_incidents": false,
        })
    );
}

/// ALRT-10. An alert that gets worse opens an incident, once.
#[test]
fn an_alert_that_becomes_critical_opens_an_incident() {
    let server = TestServer::start();
    let settings = server.below_project("/incident_management_settings");
    let rules = json!({ "create_incidents": true, "severities": ["critical"] });
    server.admin().put(&settings, &rules).expect(200);
    send(&server, &[item("Disk", "warning", false)]);
    assert_eq!(incidents(&server, "all"), [] as [Value; 0]);
    for (title, severity) in [("Full", "critical"), ("Very full", "critical")] {
        // The labels, and with them the identity, stay; a rule of the endpoint gives the severity.
        let mut item = item("Disk", "warning", false);
        item["annotations"]["title"] = json!(title);
        let table = json!({ "severities": [{ "word": "warning", "severity": severity }] });
        let endpoints = server.below_project("/alert_management/integrations");
        let metrics = &server.admin().get(&endpoints).list()[1];
        let path = format!("{endpoints}/{}", metrics["id"]);
        server.admin().put(&path, &table).expect(200);
        send(&server, &[item]);
    }
    let opened = incidents(&server, "opened");
    assert_eq!(opened.len(), 1);
    assert_eq!(opened[0]["title"], "Full");
    assert_eq!(alerts_of(&server, &opened[0])[0]["title"], "Very full");
}
