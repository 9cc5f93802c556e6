//! Notification channels with real receivers: the libraries of Standard Webhooks and a mail server; and with receivers that
//! fail.

mod copies;
mod full_chain;
mod limit;
mod mail;
mod mail_texts;
mod receiver;
mod unreliable_webhook;
mod webhooks;

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::polling::eventually_ok;

/// Creates a channel, and returns it.
#[track_caller]
fn create(server: &TestServer, channel: &Value) -> Value {
    let channels = server.below_project("/notification_channels");
    server.admin().post(&channels, channel).expect(201)
}

/// Opens an alert, and returns it.
#[track_caller]
fn open(server: &TestServer, title: &str, details: &Value) -> Value {
    let mut alert = json!({ "title": title, "fingerprint": title, "severity": "critical" });
    let fields = alert.as_object_mut().unwrap();
    fields.extend(details.as_object().unwrap().clone());
    server.raise(&alert)
}

/// Resolves an alert with a title, as its sender does.
#[track_caller]
fn end(server: &TestServer, title: &str) {
    let end = json!({ "title": title, "fingerprint": title, "end_time": "2026-01-02T00:00:00Z" });
    server.sender().post(&server.generic(), &end).expect(200);
}

/// Returns the messages of the project with their attempts, the oldest first.
fn messages(server: &TestServer) -> Vec<Value> {
    let path = server.below_project("/notification_messages?per_page=100");
    let mut messages = server.admin().get(&path).list();
    messages.reverse();
    messages
}

/// Waits until this number of messages was sent, and returns them.
#[track_caller]
fn wait_until_sent(server: &TestServer, number: usize) -> Vec<Value> {
    eventually_ok("the messages are sent", || {
        let messages = messages(server);
        let is_sent = messages.iter().all(|message| message["state"] == "sent");
        if is_sent && messages.len() == number {
            Ok(messages)
        } else {
            Err(format!("{messages:?}"))
        }
    })
}

/// Waits until the only message had an attempt that failed, and returns its detail.
#[track_caller]
fn wait_for_failure(server: &TestServer) -> String {
    eventually_ok("the first attempt failed", || {
        let messages = messages(server);
        let attempt = &messages[0]["attempts"][0];
        let has_failed = messages.len() == 1 && attempt["outcome"] == "failed";
        let detail = attempt["detail"].as_str().filter(|_| has_failed);
        detail
            .map(str::to_owned)
            .ok_or_else(|| format!("{messages:?}"))
    })
}
