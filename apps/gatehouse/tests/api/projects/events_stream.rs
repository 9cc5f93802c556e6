//! `/api/v4/events/stream` and `/api/v4/projects/:id/events/stream`: the feed as it happens.

use serde_json::{Value, json};

use crate::support::feed_stream::FeedStream;
use crate::support::rows::{change, number};
use crate::support::{TestCaller, TestServer};

const ALL: &str = "/api/v4/events/stream";

/// Opens an issue in the demo's project, and returns its title.
fn open_issue(server: &TestServer, body: &Value) -> String {
    let issues = server.below_project("/issues");
    let created = server.developer().post(&issues, body).expect(201);
    created["title"].as_str().unwrap().to_owned()
}

/// The newest events of a list, the oldest of them first.
fn newest(caller: &TestCaller, list: &str, count: usize) -> Vec<Value> {
    let answer = caller.get(&format!("{list}per_page={count}")).expect(200);
    answer.as_array().unwrap().iter().rev().cloned().collect()
}

fn title(event: Option<Value>) -> String {
    event.unwrap()["target_title"].as_str().unwrap().to_owned()
}

/// EVT-01, EVT-03. Events arrive as they happen, in the JSON of the list, and a client continues after the last one.
#[test]
fn a_stream_has_each_new_event_once_and_continues_after_the_last() {
    let server = TestServer::start();
    let of_project = server.below_project("/events/stream");
    open_issue(&server, &json!({ "title": "Before" }));
    let [developer, reporter] = [server.developer(), server.reporter()];
    // nginx obeys this header, and does not pass it on.
    let direct = developer.open(&format!("{ALL}?duration=0"));
    assert_eq!(direct.headers()["x-accel-buffering"], "no");
    let mut all = FeedStream::open(&developer, ALL);
    let mut one = FeedStream::open(&reporter, &of_project);
    open_issue(&server, &json!({ "title": "First" }));
    let alert = server.raise(&json!({ "title": "Fire" }));
    open_issue(&server, &json!({ "title": "Second" }));
    // The alert is for Developers. Each stream has the JSON of its list.
    let seen: Vec<Value> = (0..3).map(|_| all.next_event().unwrap()).collect();
    assert_eq!(seen, newest(&developer, "/api/v4/events?scope=all&", 3));
    assert_eq!(seen[1]["target_title"], alert["title"]);
    let seen: Vec<Value> = (0..2).map(|_| one.next_event().unwrap()).collect();
    assert_eq!(
        seen,
        newest(&reporter, &server.below_project("/events?"), 2)
    );
    assert_eq!(seen[1]["target_title"], "Second");

    // The client is away. It continues with the header or the parameter; the header takes precedence.
    let last = one.last_id.unwrap();
    drop((all, one));
    open_issue(&server, &json!({ "title": "Third" }));
    let away = reporter.clone().with("Last-Event-ID", &last.to_string());
    let mut again = FeedStream::open(&away, &format!("{of_project}?last_event_id=0"));
    assert_eq!(title(again.next_event()), "Third");
    open_issue(&server, &json!({ "title": "Fourth" }));
    assert_eq!(title(again.next_event()), "Fourth");
    let mut brief = FeedStream::open(
        &reporter,
        &format!("{of_project}?last_event_id={last}&duration=0"),
    );
    assert_eq!(brief.remaining().len(), 2);
    assert_eq!(brief.end.as_deref(), Some("all known events were sent"));
    // An id from the future, as after a restore of the database, means now.
    let mut future = FeedStream::open(
        &reporter,
        &format!("{of_project}?last_event_id=99999999&duration=0"),
    );
    assert_eq!(future.remaining(), [] as [Value; 0]);
    assert_eq!(future.last_id, again.last_id);
    // Deleted events leave their ids behind: the next event is none that the client has seen already.
    change(&server, &format!("DELETE FROM events WHERE id > {last}"));
    open_issue(&server, &json!({ "title": "Fifth" }));
    assert_eq!(title(again.next_event()), "Fifth");

    for (query, header, text) in [
        ("last_event_id=x", "", "last_event_id is invalid"),
        (
            "last_event_id=-1",
            "",
            "last_event_id does not have a valid value",
        ),
        ("duration=86401", "", "duration does not have a valid value"),
    ] {
        let answer = reporter.clone().with("Last-Event-ID", header);
        let answer = answer.get(&format!("{of_project}?{query}"));
        answer.assert_is(400, &json!({ "error": text }));
    }
    let answer = reporter
        .clone()
        .with("Last-Event-ID", "-5")
        .get(&of_project);
    assert_eq!(answer.status, 400, "{}", answer.text());
    let head = reporter.send("HEAD", &of_project, b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(server.anonymous().get(ALL).status, 401);
    assert_eq!(server.anonymous().get(&of_project).status, 404);
}

/// EVT-01, EVT-03. A stream ends, or is silent, soon after its caller loses access, and events in a new project are not lost.
#[test]
fn a_stream_follows_the_access_of_its_caller() {
    let mut server = TestServer::start();
    let of_project = server.below_project("/events/stream");
    let [ann, bob, max] = ["ann", "bob", "max"].map(|name| server.stranger(name));
    let id = number(&server, "SELECT id FROM users WHERE username = 'ann'");
    let members = server.below_project("/members");
    let ann_as = |level: i64| json!({ "user_id": id, "access_level": level });
    let mut of_ann = FeedStream::open(&ann, ALL);
    open_issue(&server, &json!({ "title": "Too early" }));
    server.admin().post(&members, &ann_as(20)).expect(201);
    // The membership began after the stream; its own event is in it.
    open_issue(&server, &json!({ "title": "Joined" }));
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| last != "Joined") {
        let event = of_ann.next_event().unwrap();
        seen.push(event["target_title"].as_str().unwrap_or("-").to_owned());
    }
    assert!(
        seen.contains(&"Too early".to_owned()),
        "{seen:?}: a member may read the past"
    );
    let mut one = FeedStream::open(&ann, &of_project);
    server
        .admin()
        .delete(&format!("{members}/{id}"))
        .expect(204);
    open_issue(&server, &json!({ "title": "Gone" }));
    assert_eq!(one.next_event(), None);
    assert_eq!(one.end.as_deref(), Some("the project is no longer visible"));

    // A token that is rotated ends its stream, and the stream does not count as a use of the old token.
    let mut of_bob = FeedStream::open(&bob, ALL);
    let rotated = bob.post("/api/v4/personal_access_tokens/self/rotate", &json!({}));
    let token = rotated.expect(200)["token"].as_str().unwrap().to_owned();
    assert_eq!(of_bob.next_event(), None);
    assert_eq!(
        of_bob.end.as_deref(),
        Some("the credentials are no longer valid")
    );
    let bob = TestCaller::new(server.base_url(), Some(&token));
    bob.get("/api/v4/user").assert_ok();
    let mut of_max = FeedStream::open(&max, ALL);
    server.block("max");
    assert_eq!(of_max.next_event(), None);

    // A stop of the server ends all streams at once, although it waits up to 30 s for other responses.
    let mut of_bob = FeedStream::open(&bob, ALL);
    let started = std::time::Instant::now();
    assert!(server.stop().success());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    assert_eq!(of_bob.next_event(), None);
    assert_eq!(of_bob.end.as_deref(), Some("the server stops"));
    assert_eq!(of_ann.next_event(), None);
}

/// EVT-01. Streams are limited, and a client that leaves makes room at once.
#[test]
fn a_caller_has_a_limited_number_of_streams_of_limited_duration() {
    let server = TestServer::start_configured(
        "[events]\nmax_streams = 3\nmax_streams_per_caller = 2\nmax_stream_seconds = 3\n",
    );
    let [developer, reporter] = [server.developer(), server.reporter()];
    let streams = [0, 1].map(|_| FeedStream::open(&developer, ALL));
    let refused = developer.get(ALL);
    let text =
        "too many open streams of this caller; close one, or follow all projects with one stream";
    refused.assert_is(429, &json!({ "message": text }));
    assert_eq!(refused.header("retry-after"), Some("10"));
    let mut other = FeedStream::open(&reporter, ALL);
    let refused = reporter.get(ALL);
    let text = "the server has too many open streams; try again later, or list the events instead";
    refused.assert_is(503, &json!({ "message": text }));
    drop(streams);
    assert_eq!(other.next_event(), None);
    assert_eq!(other.end.as_deref(), Some("the time is over"));
    drop([0, 1].map(|_| FeedStream::open(&developer, ALL)));
    crate::support::eventually("clients that leave make room", || {
        (developer.open(ALL).status() == 200).then_some(())
    });
}
