//! The process is killed while programs report errors.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::database::{database, server_on};
use crate::support::pages::{plain, rows};
use crate::support::storm::{Storm, rage_with};
use crate::support::tracker::TrackerClient;
use crate::support::{TestResponse, TestServer};

/// Event id for a title, different in each round.
fn id_of(round: usize, title: &str) -> String {
    let numbers: Vec<u64> = title
        .split(' ')
        .filter_map(|part| part.parse().ok())
        .collect();
    // An id of only zeros would be invalid.
    format!("{:08x}{:08x}{:016x}", round + 1, numbers[0], numbers[1])
}

/// Reports the event of a title, for the first time or again. All events belong to one error.
fn report(tracker: &TrackerClient, round: usize, title: &str) -> Result<TestResponse, ureq::Error> {
    let header = json!({ "event_id": id_of(round, title) });
    let event = json!({
        "platform": "python",
        "user": {"id": title},
        "exception": {"values": [{"type": "StormError", "value": title, "stacktrace": {"frames": [
            {"filename": "shop.py", "function": "storm", "lineno": 7, "in_app": true},
        ]}}]},
    });
    tracker.try_envelope(format!("{header}\n{{\"type\":\"event\"}}\n{event}").as_bytes())
}

/// The error of all events, and the ids of the stored ones, each of which occurs once.
#[track_caller]
fn stored(server: &TestServer) -> (Value, HashSet<String>) {
    let developer = server.developer();
    let below = |rest: &str| server.below_project(&format!("/error_tracking/errors{rest}"));
    let errors = rows(&developer, &below("?search=StormError&status=all"));
    assert_eq!(errors.len(), 1, "one error was made of one stack");
    let path = below(&format!("/{}/events?per_page=100", errors[0]["iid"]));
    let events = rows(&developer, &path);
    let ids: HashSet<String> = events
        .iter()
        .map(|event| plain(&event["event_id"]))
        .collect();
    assert_eq!(ids.len(), events.len(), "an event is there twice");
    assert_eq!(
        errors[0]["count"],
        json!(ids.len()),
        "the count is that of the events"
    );
    (errors[0].clone(), ids)
}

/// Reports until the server dies, `rounds` times. Acknowledged events are stored; unanswered ones are stored completely
/// or not at all; and resent events are not duplicated.
fn survives(server: &mut TestServer, rounds: usize) {
    let keeps_all = json!({ "events_per_error": 100_000, "events_per_minute": 1_000_000 });
    let path = server.below_project("/error_tracking/options");
    let admin = server.admin().with("Content-Type", "application/json");
    let answer = admin.send("PATCH", &path, keeps_all.to_string().as_bytes());
    answer.assert_ok();
    let (mut sent, mut users) = (HashSet::new(), HashSet::new());
    for round in 0..rounds {
        let Storm {
            sent: titles,
            acknowledged,
            refused,
        } = rage_with(server, 8, 100, TestServer::kill, |server| {
            let tracker = server.tracker();
            move |title: &str| report(&tracker, round, title)
        });
        assert_eq!(refused, []);
        server.restart();
        let (_, after) = stored(server);
        let lost = acknowledged.iter().map(|title| id_of(round, title));
        let lost: Vec<String> = lost.filter(|id| !after.contains(id)).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        let tracker = server.tracker();
        for title in &titles {
            report(&tracker, round, title).unwrap().assert_ok();
            sent.insert(id_of(round, title));
        }
        let (error, again) = stored(server);
        assert_eq!(again, sent, "in round {round}");
        users.extend(titles);
        assert_eq!(error["user_count"], json!(users.len()));
    }
}

#[test]
fn no_event_that_was_answered_is_lost_and_none_is_doubled() {
    survives(&mut TestServer::start(), 10);
}

#[test]
fn nor_on_the_other_database() {
    let Some(database) = database() else { return };
    survives(&mut server_on(&database), 3);
}
