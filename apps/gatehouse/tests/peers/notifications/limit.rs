//! The hourly limit of a channel, also while the server is killed.

use serde_json::{Value, json};

use super::unreliable_webhook::UnreliableWebhook;
use super::{create, messages, open};
use crate::support::polling::eventually_ok;
use crate::support::{TestServer, rows};

/// Messages that the channel sends in an hour.
const LIMIT: usize = 3;
/// Messages that wait for more than an hour.
const WAITING: usize = 4;

/// An hour, in microseconds.
const HOUR: i64 = 3_600_000_000;

/// Waits until the messages of the channel are in this number of states, and returns them.
#[track_caller]
fn wait_for(server: &TestServer, states: &[(&str, usize)]) -> Vec<Value> {
    eventually_ok("the messages are in their states", || {
        let messages = messages(server);
        let count = |state: &str| messages.iter().filter(|one| one["state"] == state).count();
        if states.iter().all(|(state, number)| count(state) == *number) {
            Ok(messages)
        } else {
            Err(format!("{messages:#?}"))
        }
    })
}

/// Kills the server, changes the times of the messages in a state as an hour would that passes for them, and starts the
/// server again.
fn pass_an_hour(server: &mut TestServer, state: u8) {
    server.kill();
    rows::change(
        server,
        &format!(
            "UPDATE notification_messages SET send_at = send_at - {HOUR}, finished_at = finished_at - {HOUR} \
             WHERE state = {state}; UPDATE notification_channels SET due_at = 0 WHERE due_at IS NOT NULL"
        ),
    );
    server.restart();
}

#[test]
fn the_limit_of_a_channel_holds_over_kills_and_dropped_messages_are_counted() {
    let webhook = UnreliableWebhook::start();
    let configuration = "[notifications]\nallowed_networks = \"127.0.0.1\"\n";
    let mut server = TestServer::start_configured(configuration);
    let url = webhook.url("/hook");
    create(
        &server,
        &json!({ "kind": "webhook", "name": "Hook", "url": url, "hourly_limit": LIMIT }),
    );
    for number in 0..LIMIT + WAITING {
        open(&server, &format!("Disk {number}"), &json!({}));
    }
    wait_for(&server, &[("sent", LIMIT), ("queued", WAITING)]);
    server.kill_and_restart();
    let after = open(&server, "Disk after a restart", &json!({}));
    wait_for(&server, &[("sent", LIMIT), ("queued", WAITING + 1)]);

    // Those that wait get older than an hour while the limit is still reached, except the last one.
    rows::change(
        &server,
        &format!(
            "UPDATE notification_messages SET send_at = send_at + {HOUR} WHERE state = 0 \
             AND id = (SELECT max(id) FROM notification_messages)"
        ),
    );
    pass_an_hour(&mut server, 0);
    wait_for(&server, &[("sent", LIMIT), ("dropped", WAITING)]);
    assert_eq!(webhook.requests().len(), LIMIT);

    // The limit is no longer reached.
    pass_an_hour(&mut server, 2);
    let messages = wait_for(&server, &[("sent", LIMIT + 2), ("dropped", WAITING)]);
    let requests = webhook.requests();
    assert_eq!(requests.len(), LIMIT + 2, "each message once");
    let [.., dropped, last] = &requests[..] else {
        panic!("{requests:#?}");
    };
    let (dropped, last) = match dropped.event["type"].as_str() {
        Some("messages.dropped") => (dropped, last),
        _ => (last, dropped),
    };
    assert_eq!(dropped.event["type"], "messages.dropped");
    assert_eq!(dropped.event["data"]["count"], WAITING);
    assert_eq!(last.event["data"]["alert"]["iid"], after["iid"]);
    let notice = messages
        .iter()
        .find(|one| one["event"] == "messages.dropped");
    assert_eq!(notice.unwrap()["key"], dropped.id.as_str());
}
