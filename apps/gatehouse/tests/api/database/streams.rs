//! Streams of the feed on two servers with one database.

use std::thread;

use serde_json::{Value, json};

use super::{database, server_on};
use crate::support::TestServer;
use crate::support::feed_stream::FeedStream;
use crate::support::rows::HeldRows;

fn open_issue(server: &TestServer, title: &str) {
    let issues = server.below_project("/issues");
    let created = server.developer().post(&issues, &json!({ "title": title }));
    created.expect(201);
}

fn title(event: Option<Value>) -> String {
    let event = event.unwrap();
    event["target_title"].as_str().unwrap_or("-").to_owned()
}

/// EVT-01, EVT-03. The id of an event is assigned before its transaction commits. Streams wait for it.
#[test]
fn a_stream_has_the_events_of_all_servers_however_late_they_commit() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    let path = first.below_project("/events/stream");
    let mut streams = [&first, &second].map(|server| FeedStream::open(&server.developer(), &path));
    open_issue(&first, "One");
    for stream in &mut streams {
        assert_eq!(title(stream.next_event()), "One");
    }
    let begin = streams[0].last_id.unwrap();

    // Another process has taken the next id, and commits it after a later one.
    let insert = format!(
        "INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, target_title, audience, \
         created_at) VALUES ({}, 1, 1, 1, 1, 1, 'Late', 0, 1)",
        first.project()
    );
    let late = HeldRows::by(database.url(), &insert);
    open_issue(&second, "Two");
    let brief = format!("{path}?last_event_id={begin}&duration=0");
    let developer = first.developer();
    let reader = thread::spawn(move || {
        let mut brief = FeedStream::open(&developer, &brief);
        let titles = brief
            .remaining()
            .into_iter()
            .map(|event| title(Some(event)));
        titles.collect::<Vec<_>>()
    });
    // A rolled-back transaction leaves a gap, which nobody waits for.
    drop(HeldRows::by(database.url(), &insert));
    open_issue(&first, "Three");
    assert!(!reader.is_finished(), "it waits for the open transaction");
    late.commit();
    let expected = ["Late", "Two", "Three"];
    for stream in &mut streams {
        assert_eq!([(); 3].map(|()| title(stream.next_event())), expected);
    }
    let titles = reader.join().unwrap();
    assert_eq!(titles[..2], expected[..2]);
}
