//! Notification channels: their settings, and the messages that they send.

mod assignments;
mod channels;
mod delivery;
mod hooks;
mod mail;
mod on_call;
mod pages;
mod personal;
mod silences;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually_ok;

/// Configuration in which receivers of the tests are allowed.
const LOCAL: &str = "[notifications]\nallowed_networks = \"127.0.0.1\"\n";

/// A server whose channels reach this machine.
fn server() -> TestServer {
    TestServer::start_configured(LOCAL)
}

fn channels(server: &TestServer) -> String {
    server.below_project("/notification_channels")
}

/// Creates a channel, and returns it.
fn create(server: &TestServer, channel: &Value) -> Value {
    server.admin().post(&channels(server), channel).expect(201)
}

/// Creates a webhook to a receiver, and returns it.
fn webhook(server: &TestServer, receiver: &FakeService) -> Value {
    let url = format!("{}/hook", receiver.url());
    create(
        server,
        &json!({ "kind": "webhook", "name": "Hook", "url": url }),
    )
}

/// Opens or ends an alert with a fingerprint.
fn send(server: &TestServer, fingerprint: &str, more: &Value) {
    let mut alert = json!({ "title": format!("Disk {fingerprint}"), "fingerprint": fingerprint });
    let fields = alert.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    server.sender().post(&server.generic(), &alert).expect(200);
}

fn messages(server: &TestServer) -> Vec<Value> {
    let path = server.below_project("/notification_messages?per_page=100");
    server.admin().get(&path).list()
}

/// Waits until the messages have these events and states, the oldest first.
fn wait_for_messages(server: &TestServer, expected: &[(&str, &str)]) -> Vec<Value> {
    eventually_ok("messages are sent", || {
        let mut messages = messages(server);
        messages.reverse();
        let text = |message: &Value, name: &str| message[name].as_str().unwrap().to_owned();
        let found: Vec<(String, String)> = messages
            .iter()
            .map(|message| (text(message, "event"), text(message, "state")))
            .collect();
        let is_found = found
            .iter()
            .map(|(event, state)| (event.as_str(), state.as_str()))
            .eq(expected.iter().copied());
        if is_found {
            Ok(messages)
        } else {
            Err(format!("{messages:?}"))
        }
    })
}
