//! The newest report of an open alert: its texts and severity, flaps, and silence (`ALRT-08`, `ALRT-13`).

use serde_json::{Value, json};

use super::webhook;
use crate::pages::projects::{below, text};
use crate::support::{TestCaller, TestServer};

/// Report about the CPU of a host, whose texts change.
fn report(percent: u32, severity: &str) -> Value {
    json!({
        "title": format!("CPU at {percent} %"),
        "description": "<script>alert(1)</script>",
        "severity": severity,
        "fingerprint": "cpu",
        "runbook": format!("https://runbooks.example.com/{percent}"),
    })
}

fn notes(server: &TestServer, iid: &Value) -> Vec<String> {
    let path = format!("{}/{iid}/notes", server.alerts());
    let listed = server.developer().get(&path).list();
    let body = |note: &Value| note["body"].as_str().unwrap_or_default().to_owned();
    listed.iter().map(body).collect()
}

#[test]
fn an_open_alert_shows_its_newest_report_and_keeps_its_first() {
    let server = TestServer::start();
    let iid = server.raise(&report(91, "medium"))["iid"].clone();
    let newest = server.raise(&report(97, "critical"));
    assert_eq!(
        (&newest["iid"], &newest["title"], &newest["severity"]),
        (&iid, &json!("CPU at 97 %"), &json!("critical"))
    );
    assert_eq!(
        (
            &newest["payload"]["title"],
            &newest["first_payload"]["title"]
        ),
        (&json!("CPU at 97 %"), &json!("CPU at 91 %"))
    );
    assert_eq!(newest["runbook"], "https://runbooks.example.com/97");
    assert_eq!(
        notes(&server, &iid),
        ["changed the severity from **medium** to **critical**, because the sender did"]
    );
    // The severity stays until the end, whatever is reported then.
    let calmer = server.raise(&report(93, "low"));
    assert_eq!(calmer["severity"], "critical");
    let mut over = report(10, "info");
    over["end_time"] = json!("2030-01-01T00:00:00Z");
    let over = server.raise(&over);
    let shown = (&over["status"], &over["title"], &over["severity"]);
    let expected = (
        &json!("resolved"),
        &json!("CPU at 93 %"),
        &json!("critical"),
    );
    assert_eq!(shown, expected);

    let found = server
        .developer()
        .get(&format!("{}?search=at+93", server.alerts()));
    assert_eq!(found.list()[0]["iid"], iid);
    let old = server
        .developer()
        .get(&format!("{}?search=at+91", server.alerts()));
    assert_eq!(old.list(), [] as [Value; 0]);
    let page = text(
        &mut server.signed_in("developer"),
        &below(&format!("/-/alert_management/{iid}/details")),
    );
    for part in [
        "<bdi>CPU at 93 %</bdi>",
        "First payload",
        "CPU at 91 %",
        "changed the severity",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<script>alert"), "{page}");
}

#[test]
fn an_endpoint_can_lower_severities_and_mark_silent_alerts() {
    let server = TestServer::start();
    let owner = server.admin();
    let all = server.below_project("/alert_management/integrations");
    let generic = &owner.get(&all).list()[0];
    assert_eq!(
        (&generic["lower_severity"], &generic["stale_after"]),
        (&json!(false), &Value::Null)
    );
    let one = format!("{all}/{}", generic["id"]);
    for wrong in [
        json!({ "stale_after": -1 }),
        json!({ "stale_after": 129_601 }),
        json!({ "lower_severity": "maybe" }),
    ] {
        assert_eq!(owner.put(&one, &wrong).status, 400, "{wrong}");
    }
    let rules = json!({ "lower_severity": true, "stale_after": 5 });
    let changed = owner.put(&one, &rules).expect(200);
    assert_eq!(
        (&changed["lower_severity"], &changed["stale_after"]),
        (&json!(true), &json!(5))
    );
    server.raise(&report(97, "high"));
    let lowered = server.raise(&report(91, "low"));
    assert_eq!(lowered["severity"], "low");
    let received = |alert: &Value, name: &str| -> api_conventions::time::Timestamp {
        api_conventions::time::Timestamp::parse_rfc3339(alert[name].as_str().unwrap()).unwrap()
    };
    assert_eq!(
        received(&lowered, "stale_at"),
        received(&lowered, "updated_at").plus_seconds(300)
    );
    // Other values stay when one is set, and 0 turns it off.
    let off = owner.put(&one, &json!({ "stale_after": 0 })).expect(200);
    assert_eq!(
        (&off["lower_severity"], &off["stale_after"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(server.raise(&report(91, "low"))["stale_at"], Value::Null);
}

#[test]
fn an_alert_that_fires_again_and_again_is_flapping() {
    let server = TestServer::start();
    let item = |start: u32, is_resolved: bool| {
        let mut item = json!({
            "labels": { "alertname": "Link down" },
            "annotations": {},
            "startsAt": format!("2024-05-01T10:{start:02}:00Z"),
            "generatorURL": "",
        });
        if is_resolved {
            item["status"] = json!("resolved");
            item["endsAt"] = json!(format!("2024-05-01T10:{:02}:30Z", start));
        }
        item
    };
    let mut newest = Value::Null;
    for start in [0, 5, 10, 15] {
        for is_resolved in [false, true] {
            let body = webhook(&[item(start, is_resolved)]);
            let sender: TestCaller = server.sender();
            newest = sender.post(&server.metrics(), &body).expect(200)[0]["iid"].clone();
        }
    }
    let alert = server.alert(&newest);
    assert_eq!(
        (
            &alert["flap_count"],
            &alert["flapping"],
            &alert["event_count"]
        ),
        (&json!(3), &json!(true), &json!(1))
    );
    let mut developer = server.signed_in("developer");
    let list = below("/-/alert_management?status=resolved");
    let details = below(&format!("/-/alert_management/{newest}/details"));
    for (path, part) in [
        (list, "Flapping"),
        (
            details,
            "Fired again within an hour of ending 3 times in a row.",
        ),
    ] {
        let page = text(&mut developer, &path);
        assert!(page.contains(part), "{page}");
    }
}
