//! Rate limits and quotas, and their responses to SDKs.

use serde_json::json;

use super::{assert_refused, below, error, event};
use crate::support::TestServer;

fn change(server: &TestServer, path: &str, change: &serde_json::Value) {
    let admin = server.admin().with("Content-Type", "application/json");
    let answer = admin.send("PATCH", &below(server, path), change.to_string().as_bytes());
    answer.expect(200);
}

fn outcome(server: &TestServer, outcome: &str) -> i64 {
    let tallies = server
        .admin()
        .get(&below(server, "/statistics"))
        .list()
        .into_iter();
    let of = tallies.filter(|tally| tally["outcome"] == outcome);
    of.map(|tally| tally["quantity"].as_i64().unwrap()).sum()
}

#[test]
fn a_key_and_a_project_have_limits_of_their_own() {
    let server = TestServer::start();
    let tracker = server.tracker();
    for (path, limited, scope) in [
        (
            "/client_keys/1",
            json!({ "events_per_minute": 2 }),
            "key:key_rate",
        ),
        (
            "/options",
            json!({ "events_per_minute": 1 }),
            "project:project_rate",
        ),
    ] {
        change(&server, path, &limited);
        let mut refused = tracker.store(&event("Limited"));
        for _ in 0..3 {
            refused = tracker.store(&event("Limited"));
        }
        assert_refused(&refused, 429);
        let limits = refused.header("X-Sentry-Rate-Limits").unwrap();
        let seconds = refused.header("Retry-After").unwrap();
        assert_eq!(limits, format!("{seconds}:error;default;security:{scope}"));
        let session = b"{}\n{\"type\":\"session\"}\n{}\n";
        tracker.envelope(session).expect(200);
        change(
            &server,
            "/client_keys/1",
            &json!({ "events_per_minute": null }),
        );
    }
    assert!(
        outcome(&server, "limited") >= 2,
        "what is refused is counted"
    );
}

#[test]
fn events_beyond_the_daily_quota_return_429_and_a_rate_limit() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let today = {
        tracker.store(&event("Within")).expect(200);
        let tallies = server.admin().get(&below(&server, "/statistics")).list();
        let day = tallies.last().unwrap()["day"].clone();
        let of_day = tallies.into_iter().filter(|tally| tally["day"] == day);
        let stored =
            of_day.filter(|tally| tally["category"] == "error" && tally["outcome"] == "stored");
        stored
            .map(|tally| tally["quantity"].as_i64().unwrap())
            .sum::<i64>()
    };
    change(&server, "/options", &json!({ "events_per_day": today + 1 }));
    tracker.store(&event("Within")).expect(200);
    let refused = tracker.store(&event("Within"));
    assert_refused(&refused, 429);
    assert_eq!(
        refused.header("X-Sentry-Rate-Limits"),
        Some("60:error;default;security:project:quota")
    );
    assert_eq!(error(&server, "Within")["count"], json!(2));
    assert_eq!(outcome(&server, "quota"), 1);
}

/// A program that floods with one error does not get a rate limit, because its SDK would drop the other errors as well.
#[test]
fn an_error_that_floods_leaves_room_for_the_others() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let limits = json!({ "events_per_minute": 1000, "error_events_per_minute": 2 });
    change(&server, "/options", &limits);
    let of_project = server.admin().get(&below(&server, "/options")).expect(200);
    assert_eq!(of_project["error_events_per_minute"], json!(2));
    for number in 0..6 {
        let answer = tracker.store(&event("Flood"));
        let accepted = answer.expect(200);
        assert_eq!(
            accepted.get("id").is_some(),
            number < 2,
            "{number}: {accepted}"
        );
        let message = answer.header("X-Sentry-Error");
        assert_eq!(message.is_some(), number >= 2, "{number}");
        assert_eq!(answer.header("X-Sentry-Rate-Limits"), None);
        assert_eq!(answer.header("Retry-After"), None);
    }
    let other = tracker.store(&event("Other")).expect(200);
    assert!(other["id"].is_string());
    assert_eq!(error(&server, "Flood")["count"], json!(2));
    assert_eq!(error(&server, "Other")["count"], json!(1));
    assert_eq!(outcome(&server, "error_limited"), 4);
    assert_eq!(outcome(&server, "limited"), 0);
}
