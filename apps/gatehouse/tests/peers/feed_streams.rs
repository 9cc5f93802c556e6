//! Streams of the feed behind nginx with its default buffering.

use std::thread;

use serde_json::{Value, json};

use crate::proxies::{NGINX, Proxy};
use crate::support::feed_stream::FeedStream;
use crate::support::{TestCaller, TestServer};

/// Number of clients that follow the feed.
const CLIENTS: usize = 50;

/// Number of issues, and of alerts.
const EACH: usize = 100;

/// All events of a list after an id, the oldest first.
pub(crate) fn list(caller: &TestCaller, path: &str, after: i64) -> Vec<Value> {
    let pages = (1..=3).flat_map(|page| {
        let answer = caller.get(&format!("{path}per_page=100&page={page}"));
        answer.expect(200).as_array().unwrap().clone()
    });
    let mut all: Vec<Value> = pages.collect();
    all.retain(|event| event["id"].as_i64() > Some(after));
    all.reverse();
    all
}

/// EVT-01, EVT-03.
#[test]
fn fifty_clients_behind_nginx_each_get_every_visible_event_once_and_in_order() {
    let server = TestServer::start_configured(
        "[server]\ntrusted_proxies = \"127.0.0.1\"\n[events]\nmax_streams_per_caller = 25\n",
    );
    let Some(proxy) = Proxy::start(&NGINX, 0, &server.address()) else {
        return;
    };
    let url = format!("http://{}", proxy.address);
    let [developer, reporter] = ["/developer/token", "/reporter/token"]
        .map(|token| TestCaller::new(&url, Some(server.text(token))));
    let all = "/api/v4/events/stream".to_owned();
    let one = server.below_project("/events/stream");
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (caller, path) = if number % 2 == 0 {
                (&developer, &all)
            } else {
                (&reporter, &one)
            };
            let mut stream = FeedStream::open(caller, path);
            thread::spawn(move || {
                let begin = stream.last_id.unwrap();
                let mut events = Vec::new();
                while events
                    .last()
                    .is_none_or(|last: &Value| last["target_title"] != "Last")
                {
                    events.push(stream.next_event().expect("the stream goes on"));
                }
                (begin, events)
            })
        })
        .collect();
    let issues = server.below_project("/issues");
    for number in 0..EACH {
        server.raise(&json!({ "title": format!("Alert {number}") }));
        let title = if number + 1 == EACH {
            "Last".to_owned()
        } else {
            format!("Issue {number}")
        };
        server
            .developer()
            .post(&issues, &json!({ "title": title }))
            .expect(201);
    }
    let paths = [
        "/api/v4/events?scope=all&".to_owned(),
        server.below_project("/events?"),
    ];
    for (number, client) in clients.into_iter().enumerate() {
        let (begin, events) = client.join().unwrap();
        let caller = if number % 2 == 0 {
            server.developer()
        } else {
            server.reporter()
        };
        let expected = list(&caller, &paths[number % 2], begin);
        assert_eq!(events, expected, "client {number}");
        assert!(
            expected.len() >= EACH * (2 - number % 2),
            "{}",
            expected.len()
        );
    }
}
