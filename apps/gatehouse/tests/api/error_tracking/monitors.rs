//! Monitors of scheduled jobs: check-ins of SDKs and of plain requests, and the alerts about missed and failed runs.

use serde_json::{Value, json};

use super::{assert_refused, below};
use crate::support::polling::eventually_ok;
use crate::support::{TestResponse, TestServer, rows};

/// Sends a check-in without an SDK.
fn check_in(server: &TestServer, slug: &str, query: &str) -> TestResponse {
    let tracker = server.tracker();
    let path = format!("{}/cron/{slug}/{}/{query}", tracker.base, tracker.key);
    tracker.caller.get(&path)
}

/// Sends check-ins as an SDK does.
fn envelope(server: &TestServer, items: &[Value]) -> TestResponse {
    let items = items.iter();
    let items = items.map(|item| format!("\n{{\"type\":\"check_in\"}}\n{item}"));
    let body = format!("{{}}{}", items.collect::<String>());
    server.tracker().envelope(body.as_bytes())
}

fn item(slug: &str, status: &str) -> Value {
    json!({
        "check_in_id": format!("{:032x}", slug.len() + 1), "monitor_slug": slug, "status": status,
        "environment": "live", "release": "shop@1",
        "monitor_config": {
            "schedule": {"type": "interval", "value": 1, "unit": "hour"}, "checkin_margin": 2, "timezone": "Europe/Berlin",
        },
    })
}

fn monitors(server: &TestServer) -> Vec<Value> {
    server.developer().get(&below(server, "/monitors")).list()
}

/// Titles and statuses of alerts about monitors, newest first.
fn alerts(server: &TestServer) -> Vec<(String, String)> {
    let listed = server.developer().get(&server.alerts()).list().into_iter();
    let text = |alert: &Value, name: &str| alert[name].as_str().unwrap().to_owned();
    let of_monitors = listed.filter(|alert| alert["monitoring_tool"] == "Monitors");
    let named = of_monitors.map(|alert| (text(&alert, "title"), text(&alert, "status")));
    named.collect()
}

fn expected(title: &str, status: &str) -> Vec<(String, String)> {
    vec![(title.to_owned(), status.to_owned())]
}

#[test]
fn a_job_that_fails_opens_one_alert_and_its_next_success_resolves_it() {
    let server = TestServer::start();
    let settings = server.below_project("/incident_management_settings");
    let on = json!({ "create_incidents": true });
    server.admin().put(&settings, &on).expect(200);
    let id = check_in(&server, "Nightly%20Backup", "?status=in_progress").expect(202)["id"].clone();
    let ended = check_in(&server, "nightly-backup", "?status=error&duration=2.5").expect(202);
    assert_eq!(ended["id"], id, "the latest run in progress");
    assert_eq!(
        alerts(&server),
        expected("Check-in failed: nightly-backup", "triggered")
    );
    // Without a schedule, only failures are known.
    let known = monitors(&server);
    assert_eq!(known.len(), 1);
    let [status, failing, config, next] =
        ["status", "failing", "config", "next_check_in_at"].map(|name| known[0][name].clone());
    assert_eq!(
        (status, failing, config, next),
        (json!("error"), json!(true), Value::Null, Value::Null)
    );
    check_in(&server, "nightly-backup", "?status=error").expect(202);
    assert_eq!(alerts(&server).len(), 1);
    let tracker = server.tracker();
    let path = format!("{}/cron/nightly-backup/{}", tracker.base, tracker.key);
    let body = json!({ "status": "ok", "monitor_config": item("", "")["monitor_config"] });
    tracker.caller.post(&path, &body).expect(202);
    assert_eq!(
        alerts(&server),
        expected("Check-in failed: nightly-backup", "resolved")
    );
    let known = monitors(&server);
    assert_eq!(known[0]["status"], "ok");
    assert_eq!(
        known[0]["config"]["schedule"],
        json!({ "type": "interval", "value": 1, "unit": "hour" })
    );
    assert!(known[0]["next_check_in_at"].is_string(), "{}", known[0]);
    let incidents =
        server.below_project("/issues?issue_type=incident&state=closed&search=Check-in");
    assert_eq!(server.developer().get(&incidents).list().len(), 1);
}

/// Moves the next slot of all monitors into the past.
fn let_slots_pass(server: &TestServer) {
    let past = |name: &str| {
        format!("'$.expected.{name}', json_extract(state, '$.expected.{name}') - 7200000000")
    };
    let change = format!(
        "UPDATE monitors SET due_at = 1, state = json_set(state, {}, {})",
        past("at"),
        past("latest")
    );
    rows::change(server, &change);
}

#[test]
fn a_run_that_does_not_begin_in_time_opens_an_alert() {
    let server = TestServer::start();
    assert_eq!(
        envelope(&server, &[item("export", "ok")]).expect(200),
        json!({})
    );
    let_slots_pass(&server);
    let title = "Missed check-in: export";
    eventually_ok("the missed run is reported", || {
        let alerts = alerts(&server);
        (alerts == expected(title, "triggered"))
            .then_some(())
            .ok_or(format!("{alerts:?}"))
    });
    let known = &monitors(&server)[0];
    assert_eq!(
        (&known["status"], &known["environment"]),
        (&json!("missed"), &json!("live"))
    );
    // The same run again, which the sender repeats, is no new one.
    envelope(&server, &[item("export", "ok")]).expect(200);
    assert_eq!(alerts(&server), expected(title, "triggered"));
    let mut next = item("export", "ok");
    next["check_in_id"] = json!("f".repeat(32));
    envelope(&server, &[next]).expect(200);
    assert_eq!(alerts(&server), expected(title, "resolved"));
}

#[test]
fn a_server_that_was_down_reports_no_missed_runs() {
    let mut server = TestServer::start();
    envelope(
        &server,
        &[item("export", "ok"), item("backup!", "in_progress")],
    )
    .expect(200);
    server.kill();
    let_slots_pass(&server);
    rows::change(
        &server,
        "UPDATE monitors SET state = json_set(state, '$.last_check_in_at', 1000000, \
         '$.runs', json('[{\"id\":\"0123456789abcdef0123456789abcdef\",\"began\":1000000}]'))",
    );
    server.restart();
    let due = "SELECT count(*) FROM monitors WHERE due_at > 1";
    eventually_ok("each gets its whole time again", || {
        let due = rows::number(&server, due);
        (due == 2).then_some(()).ok_or(due.to_string())
    });
    assert_eq!(alerts(&server), []);
    assert!(monitors(&server).iter().all(|one| one["failing"] == false));
}

#[test]
fn a_bad_check_in_is_dropped_alone_and_counted() {
    let server = TestServer::start();
    let bad = [
        json!({ "monitor_slug": "x" }),
        json!([]),
        item("cron", "ok"),
    ];
    envelope(&server, &bad).expect(200);
    assert_eq!(monitors(&server).len(), 1);
    assert_refused(&envelope(&server, &bad[..1]), 400);
    let mut zone = item("cron", "ok");
    zone["monitor_config"]["timezone"] = json!("Mars/Olympus");
    assert_refused(&envelope(&server, &[zone]), 400);
    for query in ["", "?status=missed", "?status=ok&check_in_id=7"] {
        let detail = assert_refused(&check_in(&server, "cron", query), 400);
        assert!(detail.contains("status=in_progress"), "{detail}");
    }
    let tracker = server.tracker().with_key(&"ab".repeat(16));
    let path = format!("{}/cron/cron/{}/?status=ok", tracker.base, tracker.key);
    assert_refused(&tracker.caller.get(&path), 403);
    let counted = server.admin().get(&below(&server, "/statistics")).list();
    let of = |outcome: &str| {
        let mut same = counted.iter().filter(|one| one["category"] == "monitor");
        same.find(|one| one["outcome"] == outcome)
            .map(|one| one["quantity"].clone())
    };
    assert_eq!(
        [of("stored"), of("invalid")],
        [Some(json!(1)), Some(json!(7))]
    );
}

#[test]
fn a_project_has_at_most_100_monitors() {
    let server = TestServer::start();
    let items: Vec<Value> = (0..100)
        .map(|number| item(&format!("job{number}"), "ok"))
        .collect();
    envelope(&server, &items).expect(200);
    assert_eq!(monitors(&server).len(), 100);
    let full = envelope(&server, &[item("one-more", "ok")]);
    assert_eq!(full.status, 200);
    assert!(
        full.header("X-Sentry-Error")
            .unwrap()
            .contains("100 monitors")
    );
    assert_refused(&check_in(&server, "one-more", "?status=ok"), 422);
    // Known ones are still recorded.
    check_in(&server, "job7", "?status=ok&environment=live").expect(202);
    assert_eq!(monitors(&server).len(), 100);
}

#[test]
fn a_monitor_is_deleted_with_its_alert() {
    let server = TestServer::start();
    for slug in ["first", "second"] {
        check_in(&server, slug, "?status=error").expect(202);
    }
    let path = |slug: &str| {
        let all = monitors(&server);
        let found = all.iter().find(|one| one["slug"] == slug).unwrap();
        below(&server, &format!("/monitors/{}", found["id"]))
    };
    let first = path("first");
    assert_eq!(server.developer().delete(&first).status, 403);
    server.admin().delete(&first).assert_ok();
    assert_eq!(server.admin().delete(&first).status, 404);
    let firing = alerts(&server);
    let is_resolved = |title: &str| firing.contains(&expected(title, "resolved")[0]);
    assert!(is_resolved("Check-in failed: first"), "{firing:?}");
    assert!(!is_resolved("Check-in failed: second"), "{firing:?}");
    // The page lists and deletes it as well.
    let page = "/acme/web-shop/-/error_tracking/monitors";
    let mut developer = server.signed_in("developer");
    let text = developer.open(page).text();
    assert!(
        text.contains("second") && !text.contains(">Delete<"),
        "{text}"
    );
    let id = path("second").rsplit('/').next().unwrap().to_owned();
    let mut admin = server.signed_in("admin");
    let deleted = admin.submit(page, page, &[("monitor", &id)]);
    assert_eq!(deleted.status, 303, "{}", deleted.text());
    let text = admin.open(page).text();
    assert!(
        text.contains("No monitors") && text.contains("/cron/NAME/KEY/"),
        "{text}"
    );
    // A job that still runs appears again.
    check_in(&server, "second", "?status=ok").expect(202);
    assert_eq!(monitors(&server).len(), 1);
}
