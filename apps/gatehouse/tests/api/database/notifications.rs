//! Messages of two servers on one database.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::database;
use crate::support::fake_service::FakeService;
use crate::support::{TestServer, eventually};

/// Number of alerts.
const ALERTS: usize = 30;

/// Two processes serve the same channels, and each message is sent by one of them, in the order of the changes.
#[test]
fn two_servers_send_each_message_once_and_in_order() {
    let Some(database) = database() else { return };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("gatehouse.toml");
    let allowed = "[notifications]\nallowed_networks = \"127.0.0.1\"\n";
    std::fs::write(&file, allowed).unwrap();
    let flags = [
        "--database",
        database.url(),
        "--config",
        file.to_str().unwrap(),
    ];
    let first = TestServer::start_with(&flags);
    let second = first.peer();
    let receiver = FakeService::start();
    receiver.always("/hook", "text/plain", "thanks");
    let url = format!("{}/hook", receiver.url());
    let channel = json!({ "kind": "webhook", "name": "Hook", "url": url, "hourly_limit": 1000 });
    let channels = first.below_project("/notification_channels");
    first.admin().post(&channels, &channel).expect(201);
    for number in 0..ALERTS {
        let server = if number % 2 == 0 { &first } else { &second };
        let alert =
            json!({ "title": format!("Alert {number}"), "fingerprint": number.to_string() });
        server.sender().post(&server.generic(), &alert).expect(200);
    }
    let path = first.below_project("/notification_messages?per_page=100");
    let messages = eventually("all messages are sent", || {
        let messages = first.admin().get(&path).list();
        let is_sent = |message: &Value| message["state"] == "sent";
        (messages.len() == ALERTS && messages.iter().all(is_sent)).then_some(messages)
    });
    let key = |request: &String| {
        let line = request
            .lines()
            .find(|line| line.starts_with("webhook-id: "));
        line.unwrap().to_owned()
    };
    let keys: Vec<String> = receiver.requests().iter().map(key).collect();
    assert_eq!(keys.len(), ALERTS);
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), ALERTS);
    let expected: Vec<String> = messages
        .iter()
        .rev()
        .map(|message| format!("webhook-id: {}", message["key"].as_str().unwrap()))
        .collect();
    assert_eq!(keys, expected);
}
