//! Copies of messages that receivers got, compared with the list of messages.

use std::collections::BTreeMap;

use api_conventions::time::Timestamp;
use serde_json::{Value, json};

use super::unreliable_webhook::{RETRY_AFTER, WebhookRequest};

/// Copy of a message that a receiver got.
#[derive(Debug)]
pub(super) struct MessageCopy {
    /// Path of the webhook; empty for mail.
    path: String,
    /// Start of the attempt in seconds, if the receiver knows it.
    at: Option<i64>,
    /// Status of the response, if there was one.
    status: Option<u16>,
    /// Body of a webhook, or subject of a mail.
    content: Value,
}

/// Copies of all messages, by the key of their message.
pub(super) type CopiesByKey = BTreeMap<String, Vec<MessageCopy>>;

/// Returns the copies that webhooks and a mail server got, each in their order.
pub(super) fn copies(requests: Vec<WebhookRequest>, mails: &[Value]) -> CopiesByKey {
    let mut copies = CopiesByKey::new();
    for request in requests {
        let copy = MessageCopy {
            path: request.path,
            at: Some(request.at),
            status: request.reply.status(),
            content: request.event,
        };
        copies.entry(request.id).or_default().push(copy);
    }
    for received in mails {
        let id = received["mail"]["message_id"].as_str().unwrap();
        let key = id.trim_start_matches('<').split('@').next().unwrap();
        let copy = MessageCopy {
            path: String::new(),
            at: None,
            status: Some(250),
            content: received["mail"]["subject"].clone(),
        };
        copies.entry(key.to_owned()).or_default().push(copy);
    }
    copies
}

fn seconds(time: &Value) -> i64 {
    let time = Timestamp::parse_rfc3339(time.as_str().unwrap()).unwrap();
    time.as_micros().div_euclid(1_000_000)
}

/// Returns the messages of an event.
pub(super) fn of_event<'m>(messages: &'m [Value], event: &str) -> Vec<&'m Value> {
    let messages = messages.iter();
    messages
        .filter(|message| message["event"] == event)
        .collect()
}

/// Returns the alert or incident of a webhook.
fn subject_of(event: &Value) -> &Value {
    let (kind, _) = event["type"].as_str().unwrap().split_once('.').unwrap();
    &event["data"][kind]
}

/// Checks that all copies of a message have one key, and that no two messages of a channel say the same.
pub(super) fn check_keys(copies: &CopiesByKey) {
    let mut keys = BTreeMap::new();
    for (key, of_message) in copies {
        for copy in of_message {
            let content = match &copy.content {
                Value::String(subject) => subject.clone(),
                event => format!("{} {}", event["type"], subject_of(event)["iid"]),
            };
            let known = keys.entry((&copy.path, content)).or_insert(key);
            assert_eq!(*known, key, "{copy:#?}");
        }
        let paths = of_message.iter().map(|copy| &copy.path);
        assert!(
            paths.is_sorted_by(|one, next| one == next),
            "{of_message:#?}"
        );
    }
}

/// Checks a message and its copies: each copy is one of an attempt, whose record may be lost with its process.
pub(super) fn check_message(message: &Value, copies: &[MessageCopy]) {
    let attempts = message["attempts"].as_array().unwrap();
    let started = attempts.last().map_or(0, |last| {
        usize::try_from(last["number"].as_u64().unwrap()).unwrap()
    });
    let shown = || format!("{message:#} {copies:#?}");
    // The last attempt of a message that is cancelled may be one that a kill interrupted, which nothing records.
    let is_cancelled = message["state"] == "cancelled";
    let most = if is_cancelled { usize::MAX } else { started };
    // The receivers were always there, so each attempt that is recorded reached its receiver.
    let is_of_attempts = (attempts.len()..=most).contains(&copies.len());
    assert!(is_of_attempts, "{}", shown());
    for status in [None, Some(204), Some(250), Some(429), Some(500)] {
        let recorded = attempts.iter().filter(|it| it["status"] == json!(status));
        let received = copies.iter().filter(|copy| copy.status == status);
        assert!(recorded.count() <= received.count(), "{}", shown());
    }
    for copy in copies {
        if copy.content.is_object() {
            assert_eq!(copy.content["type"], message["event"]);
            assert_eq!(subject_of(&copy.content)["iid"], message["iid"]);
        }
    }
    for pair in attempts.windows(2) {
        let wait = seconds(&pair[1]["at"]) - seconds(&pair[0]["at"]);
        let is_asked = pair[0]["status"] == json!(429);
        assert!(!is_asked || wait >= RETRY_AFTER, "{}", shown());
    }
    let end = seconds(&message["finished_at"]);
    if is_cancelled {
        let mut times = copies.iter().filter_map(|copy| copy.at);
        assert!(times.all(|at| at <= end), "{}", shown());
    } else {
        assert_eq!(message["state"], "sent", "{message:#}");
        let is_accepted = |copy: &MessageCopy| matches!(copy.status, Some(204 | 250));
        assert!(copies.iter().any(is_accepted), "{}", shown());
    }
}

/// Checks that no message about the beginning of an alert or incident was sent after its end, also not again.
pub(super) fn check_attempts(messages: &[Value], copies: &CopiesByKey) {
    let place = |message: &Value| {
        (
            message["channel_id"].to_string(),
            message["iid"].to_string(),
        )
    };
    for (opening, ending) in [
        ("alert.opened", "alert.resolved"),
        ("incident.opened", "incident.closed"),
    ] {
        let ends: BTreeMap<_, _> = of_event(messages, ending)
            .into_iter()
            .map(|message| (place(message), seconds(&message["created_at"])))
            .collect();
        for message in of_event(messages, opening) {
            let Some(end) = ends.get(&place(message)) else {
                continue;
            };
            let of_message = copies.get(message["key"].as_str().unwrap());
            let times = of_message.into_iter().flatten().filter_map(|copy| copy.at);
            for at in times {
                // The server reads the clock once more after it has chosen the message.
                assert!(at <= *end + 1, "{at} {end} {message:#}");
            }
        }
    }
}
