//! A server on PostgreSQL.

use serde_json::{Value, json};

use super::{database, server_on};
use crate::support::pages::{column, follow, plain};
use crate::support::storm::{self, rage};
use crate::support::{TestCaller, TestServer, eventually};

/// The demo has the same data as on the embedded database.
#[test]
fn the_demo_is_the_same() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let embedded = TestServer::start();
    let response = |server: &TestServer, rest: &str, field: &str| {
        column(&server.developer(), &server.below_project(rest), field)
    };
    for (rest, field) in [
        ("/alert_management_alerts", "title"),
        ("/alert_management_alerts", "status"),
        ("/alert_management_alerts", "event_count"),
        ("/events", "action_name"),
        ("/events", "target_title"),
        ("/alert_receipts", "bytes"),
        ("/error_tracking/errors", "title"),
        ("/error_tracking/errors", "count"),
        ("/error_tracking/errors", "user_count"),
    ] {
        let expected = response(&embedded, rest, field);
        assert_eq!(
            response(&server, rest, field),
            expected,
            "{field} of {rest}"
        );
    }
    let readiness = server.anonymous().get("/-/readiness");
    assert_eq!(
        readiness.expect(200)["db_check"],
        json!([{ "status": "ok" }])
    );
}

/// ALRT-02, ALRT-03, ALRT-05, ALRT-08.
#[test]
fn alerts_open_count_repeat_end_and_open_anew() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let at = |start: u8, end: Option<u8>| {
        let hour = |hour: u8| format!("2024-05-01T{hour:02}:00:00Z");
        let mut body = json!({
            "title": "Änderung 🔥", "fingerprint": "f", "start_time": hour(start), "hosts": ["a"],
            "extra": { "nested": [1, { "x": null }] },
        });
        if let Some(end) = end {
            body["end_time"] = json!(hour(end));
        }
        body
    };
    let step = |start, end| {
        let alert = server.raise(&at(start, end));
        ["iid", "status", "event_count", "delivery_count"]
            .map(|field| plain(&alert[field]))
            .join(" ")
    };
    assert_eq!(step(10, None), "4 triggered 1 1");
    assert_eq!(step(10, None), "4 triggered 2 2");
    // The end of an earlier occurrence, and then the end of the last one, twice.
    assert_eq!(step(11, None), "4 triggered 3 3");
    assert_eq!(step(10, Some(10)), "4 triggered 3 4");
    assert_eq!(step(11, Some(12)), "4 resolved 3 5");
    assert_eq!(step(11, Some(12)), "4 resolved 3 6");
    assert_eq!(step(11, None), "5 triggered 1 1");
    let alert = server.alert(&json!(5));
    assert_eq!(alert["title"], "Änderung 🔥");
    assert_eq!(
        alert["payload"]["extra"],
        json!({ "nested": [1, { "x": null }] })
    );
}

/// API-04. Search handles letters beyond ASCII, and wildcards match themselves.
#[test]
fn lists_are_filtered_ordered_and_searched_alike() {
    let Some(database) = database() else { return };
    let servers = [server_on(&database), TestServer::start()];
    for server in &servers {
        for (number, severity) in ["low", "critical", "info"].iter().enumerate() {
            server.raise(&json!({
                "title": format!("Ä{number}% a_b"), "severity": severity,
                "start_time": format!("2024-05-0{}T10:00:00Z", 3 - number),
            }));
        }
    }
    for query in [
        "search=%C3%A41",
        "search=%25",
        "search=a_b&order_by=severity",
        "search=a_b&order_by=started_at&sort=asc",
        "order_by=updated_at",
        "order_by=event_count&sort=asc",
        "status=resolved",
        "severity=low,info",
    ] {
        let [postgres, embedded] = servers.each_ref().map(|server| {
            let path = format!("{}?per_page=2&{query}", server.alerts());
            column(&server.developer(), &path, "iid")
        });
        assert_eq!(postgres, embedded, "{query}");
        assert!(!postgres.is_empty(), "{query}");
    }
}

/// PAGE-05, PAGE-06.
#[test]
fn projects_are_paged_by_key() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    for number in 0..5 {
        server.create_project(&format!("many/p{number}"), "private", "dev");
    }
    let path = "/api/v4/projects?pagination=keyset&order_by=id&sort=asc&per_page=2";
    let names = column(&server.developer(), path, "path");
    assert_eq!(names, ["web-shop", "p0", "p1", "p2", "p3", "p4"]);
    assert_eq!(follow(&server.developer(), path).len(), 3);
}

/// EVT-03, EVT-04.
#[test]
fn the_feed_shows_only_events_visible_to_the_caller() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    for number in 0..25 {
        server.raise(&json!({ "title": format!("Alert {number}") }));
    }
    let path = server.below_project("/events");
    let reporter = server.reporter().get(&path);
    assert_eq!(reporter.list().len(), 4);
    let dev = server.developer();
    assert_eq!(dev.get(&path).header("x-total"), Some("33"));
    let closed = column(&dev, &format!("{path}?action=closed"), "target_title");
    assert_eq!(closed, ["Nightly backup late"]);
    let none = dev.get(&format!("{path}?before=2024-01-01"));
    none.assert_is(200, &json!([]));
    let all = column(
        &dev,
        &format!("{path}?after=2024-01-01&sort=asc&per_page=7"),
        "id",
    );
    assert_eq!(all.len(), 33);
}

/// AUTH-09.
#[test]
fn a_token_that_ended_is_refused() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let token = server.token("dev", "api");
    let caller = TestCaller::new(server.base_url(), Some(&token));
    caller.get("/api/v4/user").assert_ok();
    server.revoke_from_outside(&token);
    eventually("the token is refused", || {
        (caller.get("/api/v4/user").status == 401).then_some(())
    });
}

/// Acknowledged alerts are neither lost nor duplicated.
#[test]
fn a_kill_loses_and_doubles_nothing() {
    let Some(database) = database() else { return };
    let mut server = server_on(&database);
    let storm = rage(&mut server, 8, 150, TestServer::kill);
    assert_eq!(storm.refused, []);
    server.restart();
    let titles = |server: &TestServer| {
        let path = format!("{}?search=storm&per_page=100", server.alerts());
        let mut titles = column(&server.developer(), &path, "title");
        titles.sort();
        titles
    };
    let stored = titles(&server);
    let lost: Vec<&String> = storm
        .acknowledged
        .iter()
        .filter(|title| !stored.contains(title))
        .collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    for title in &storm.sent {
        storm::send(&server, title);
    }
    let mut sent = storm.sent;
    sent.sort();
    assert_eq!(titles(&server), sent);
}

/// While the database is unavailable, alerts are refused with a temporary error; once it is back, the same process
/// accepts them again.
#[test]
fn the_server_reconnects_after_lost_database_connections() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    server.raise(&json!({ "title": "Before" }));
    database.disconnect_all();
    let path = server.generic();
    let answer = eventually("alerts are taken again", || {
        let answer = server.sender().post(&path, &json!({ "title": "After" }));
        assert!(matches!(answer.status, 200 | 503), "{answer:?}");
        (answer.status == 200).then_some(answer)
    });
    let iid = answer.json()[0]["iid"].clone();
    assert_eq!(server.alert(&iid)["title"], "After");
    let titles = column(&server.developer(), &server.alerts(), "title");
    assert_eq!(titles.iter().filter(|title| *title == "After").count(), 1);
    assert_ne!(iid, Value::Null);
}
