//! Parsing of the JSON that an SDK sent.

use std::collections::BTreeMap;

use api_conventions::time::Timestamp;
use serde_json::{Map, Value};

use super::bounded::{Budget, cut};
use super::clock::SenderClock;
use super::fields::{Notes, any_text, scalar};
use super::http;
use super::model::{Breadcrumb, Event, Image, Message, Report, Sdk};
use super::stack;
use super::template::MAX_LENGTH as MAX_MESSAGE_LENGTH;
use super::time::timestamp;
use crate::model::{EventId, Level};

/// The longest tag, release or transaction, in characters.
const MAX_TAG_LENGTH: usize = 200;
/// Tags that are kept.
const MAX_TAGS: usize = 100;
/// Breadcrumbs that are kept, the latest ones.
const MAX_BREADCRUMBS: usize = 100;
/// Largest size of one context, one item of `extra` and all of `extra`, in bytes.
const CONTEXT: usize = 8 * 1024;
const EXTRA_ITEM: usize = 16 * 1024;
const EXTRA: usize = 256 * 1024;
/// Contexts, modules, images and parts of fingerprints that are kept.
const MAX_CONTEXTS: usize = 50;
const MAX_MODULES: usize = 500;
const MAX_IMAGES: usize = 200;
const MAX_PARTS: usize = 20;

/// Legacy names of fields: the classes that once parsed them.
const ALIASES: [(&str, &str); 11] = [
    ("sentry.interfaces.Exception", "exception"),
    ("sentry.interfaces.Stacktrace", "stacktrace"),
    ("sentry.interfaces.Message", "logentry"),
    ("sentry.interfaces.Http", "request"),
    ("sentry.interfaces.User", "user"),
    ("sentry.interfaces.Breadcrumbs", "breadcrumbs"),
    ("sentry.interfaces.Contexts", "contexts"),
    ("sentry.interfaces.Csp", "csp"),
    ("sentry.interfaces.threads.Threads", "threads"),
    ("sentry.interfaces.Threads", "threads"),
    ("threads.Threads", "threads"),
];

/// Delivery of an event: when and how it was received.
#[derive(Debug, Clone, Copy)]
pub struct EventSource<'s> {
    /// Time of receipt, by the server's clock.
    pub received_at: Timestamp,
    /// Time of sending, by the sender's clock, if the envelope has it.
    pub sent_at: Option<Timestamp>,
    /// Id in the envelope header, which takes precedence over the one in the event.
    pub id: Option<EventId>,
    /// Id for an event that has none.
    pub fallback_id: EventId,
    /// Address of the client.
    pub peer: Option<&'s str>,
}

/// Reason why a value is not an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// The value is not an object.
    #[error("the event is not a JSON object")]
    NoObject,
    /// The value is a transaction, which is never stored.
    #[error("the event is a transaction")]
    Transaction,
}

/// Parses an event.
/// Values that do not fit are left out with a note.
///
/// # Errors
/// The value is not an event.
pub fn read(value: Value, sent: &EventSource<'_>) -> Result<Event, EventError> {
    let Value::Object(mut event) = value else {
        return Err(EventError::NoObject);
    };
    if event.get("type").and_then(Value::as_str) == Some("transaction") {
        return Err(EventError::Transaction);
    }
    for (old, name) in ALIASES {
        if let Some(value) = event.remove(old) {
            event.entry(name).or_insert(value);
        }
    }
    let mut notes = Notes::default();
    let own = event.remove("event_id");
    let own = own
        .as_ref()
        .and_then(Value::as_str)
        .and_then(EventId::parse);
    let clock = SenderClock::new(sent.received_at, sent.sent_at);
    if clock.is_off() {
        notes.add("timestamp", "was corrected for the sender's clock");
    }
    let said = event.remove("timestamp").filter(|said| !said.is_null());
    let at = said.as_ref().and_then(timestamp);
    if said.is_some() && at.is_none() {
        notes.add("timestamp", "is not a valid time");
    }
    let (occurred_at, is_likely) = clock.occurred_at(at);
    if !is_likely {
        notes.add(
            "timestamp",
            "is implausible: replaced by the time of receipt",
        );
    }
    Ok(Event {
        id: sent.id.or(own).unwrap_or(sent.fallback_id),
        received_at: sent.received_at,
        occurred_at,
        report: report(notes, event, clock, sent.peer),
    })
}

fn report(
    mut notes: Notes,
    mut event: Map<String, Value>,
    clock: SenderClock,
    peer: Option<&str>,
) -> Report {
    let event = &mut event;
    let tag = |notes: &mut Notes, event: &mut Map<String, Value>, name: &str| {
        let text = notes.text(event, name, MAX_TAG_LENGTH)?;
        Some(text.replace(['\n', '\r'], " "))
    };
    let transaction = tag(&mut notes, event, "transaction");
    let culprit = tag(&mut notes, event, "culprit");
    let tags = tags(&mut notes, event);
    let mut report = Report {
        level: level(&mut notes, event),
        platform: tag(&mut notes, event, "platform").unwrap_or_else(|| "other".to_owned()),
        logger: tag(&mut notes, event, "logger"),
        server_name: tag(&mut notes, event, "server_name"),
        release: tag(&mut notes, event, "release"),
        dist: tag(&mut notes, event, "dist"),
        environment: notes.text(event, "environment", 64),
        transaction: transaction.or(culprit),
        message: message(&mut notes, event),
        exceptions: stack::exceptions(&mut notes, event),
        threads: stack::threads(&mut notes, event),
        breadcrumbs: breadcrumbs(&mut notes, event, clock),
        user: http::user(&mut notes, event, peer),
        request: http::request(&mut notes, event),
        tags,
        extra: extra(&mut notes, event),
        contexts: contexts(&mut notes, event),
        modules: modules(&mut notes, event),
        fingerprint: fingerprint(event),
        sdk: sdk(&mut notes, event),
        images: images(&mut notes, event),
        policy_report: policy_report(&mut notes, event),
        notes: Vec::new(),
    };
    // Some SDKs send these as tags only.
    let of_tag = |name: &str| {
        let mut found = report.tags.iter().filter(|(key, _)| key == name);
        found.next().map(|(_, value)| value.clone())
    };
    report.release = report.release.take().or_else(|| of_tag("release"));
    report.environment = report.environment.take().or_else(|| of_tag("environment"));
    report.server_name = report.server_name.take().or_else(|| of_tag("server_name"));
    report.notes = notes.0;
    report
}

fn level(notes: &mut Notes, event: &mut Map<String, Value>) -> Level {
    let Some(text) = notes.text(event, "level", 64) else {
        return Level::default();
    };
    Level::parse(&text).unwrap_or_else(|| {
        notes.add("level", "is unknown");
        Level::default()
    })
}

/// Message from `logentry` or `message`, each an object or a text.
fn message(notes: &mut Notes, event: &mut Map<String, Value>) -> Option<Message> {
    for name in ["logentry", "message"] {
        let found = match event.remove(name) {
            None | Some(Value::Null) => continue,
            Some(Value::Object(mut sent)) => {
                let template = notes.text(&mut sent, "message", MAX_MESSAGE_LENGTH);
                let formatted = notes.text(&mut sent, "formatted", MAX_MESSAGE_LENGTH);
                Message {
                    formatted: formatted.or_else(|| template.clone()).unwrap_or_default(),
                    template,
                    params: notes.free(&mut sent, "params", 4096),
                }
            }
            Some(other) => Message {
                formatted: cut(any_text(&other).trim(), MAX_MESSAGE_LENGTH),
                ..Message::default()
            },
        };
        if !found.formatted.is_empty() {
            return Some(found);
        }
    }
    None
}

fn breadcrumbs(
    notes: &mut Notes,
    event: &mut Map<String, Value>,
    clock: SenderClock,
) -> Vec<Breadcrumb> {
    let mut sent = notes.objects(event, "breadcrumbs");
    if sent.len() > MAX_BREADCRUMBS {
        notes.add("breadcrumbs", "was truncated");
        sent.drain(..sent.len() - MAX_BREADCRUMBS);
    }
    let sent = sent.into_iter();
    sent.map(|mut sent| {
        let at = sent.remove("timestamp").as_ref().and_then(timestamp);
        let level = notes.text(&mut sent, "level", 64);
        Breadcrumb {
            at: at.map(|at| clock.correct(at).as_micros()),
            kind: notes.text(&mut sent, "type", 64),
            category: notes.text(&mut sent, "category", 128),
            message: sent
                .remove("message")
                .filter(|message| !message.is_null())
                .map(|message| cut(&any_text(&message), 4096)),
            level: level.as_deref().and_then(Level::parse),
            data: notes.free(&mut sent, "data", 4096),
        }
    })
    .collect()
}

fn tags(notes: &mut Notes, event: &mut Map<String, Value>) -> Vec<(String, String)> {
    let sent = notes.pairs(event, "tags", MAX_TAGS, MAX_TAG_LENGTH);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    let mut kept: Vec<(String, String)> = Vec::new();
    for (name, value) in sent {
        let name: String = name
            .trim()
            .chars()
            .map(|c| if is_name(c) { c } else { '_' })
            .collect();
        let value = value.trim().replace(['\n', '\r'], " ");
        let is_known = kept.iter().any(|(other, _)| *other == name);
        if !name.is_empty() && !value.is_empty() && !is_known {
            kept.push((name, value));
        }
    }
    kept
}

fn extra(notes: &mut Notes, event: &mut Map<String, Value>) -> Map<String, Value> {
    let mut kept = Map::new();
    let mut left = EXTRA;
    for (name, value) in notes.object(event, "extra").unwrap_or_default() {
        let mut budget = Budget::new(EXTRA_ITEM.min(left));
        let value = budget.value(value);
        left = left.saturating_sub(value.to_string().len() + name.len());
        if budget.is_spent {
            notes.add("extra", "was truncated");
        }
        if left == 0 {
            break;
        }
        kept.insert(cut(&name, MAX_TAG_LENGTH), value);
    }
    kept
}

fn contexts(notes: &mut Notes, event: &mut Map<String, Value>) -> Map<String, Value> {
    let sent = notes.object(event, "contexts").unwrap_or_default();
    let mut kept = Map::new();
    for (name, value) in sent.into_iter().take(MAX_CONTEXTS) {
        match value {
            Value::Object(context) => {
                let context = notes.bounded(context, "contexts", CONTEXT);
                kept.insert(cut(&name, MAX_TAG_LENGTH), Value::Object(context));
            }
            Value::Null => {}
            other => {
                let single = Map::from_iter([("value".to_owned(), other)]);
                let context = notes.bounded(single, "contexts", CONTEXT);
                kept.insert(cut(&name, MAX_TAG_LENGTH), Value::Object(context));
            }
        }
    }
    kept
}

fn modules(notes: &mut Notes, event: &mut Map<String, Value>) -> BTreeMap<String, String> {
    let sent = notes.pairs(event, "modules", MAX_MODULES, MAX_TAG_LENGTH);
    sent.into_iter().collect()
}

/// Parts of the fingerprint.
/// SDKs sent a checksum before there were fingerprints.
fn fingerprint(event: &mut Map<String, Value>) -> Vec<String> {
    let parts = match event.remove("fingerprint") {
        Some(Value::Array(parts)) => parts,
        Some(Value::Null) | None => event.remove("checksum").into_iter().collect(),
        Some(single) => vec![single],
    };
    let parts = parts.iter().filter_map(scalar);
    parts.take(MAX_PARTS).map(|part| cut(&part, 1024)).collect()
}

fn sdk(notes: &mut Notes, event: &mut Map<String, Value>) -> Option<Sdk> {
    let mut sent = notes.object(event, "sdk")?;
    Some(Sdk {
        name: notes.text(&mut sent, "name", MAX_TAG_LENGTH)?,
        version: notes.text(&mut sent, "version", 64),
    })
}

fn images(notes: &mut Notes, event: &mut Map<String, Value>) -> Vec<Image> {
    let Some(mut sent) = notes.object(event, "debug_meta") else {
        return Vec::new();
    };
    let images = notes.objects(&mut sent, "images").into_iter();
    images
        .take(MAX_IMAGES)
        .map(|mut image| Image {
            kind: notes.text(&mut image, "type", 32).unwrap_or_default(),
            code_file: notes.text(&mut image, "code_file", 1024),
            debug_id: notes.text(&mut image, "debug_id", 64),
            image_addr: notes.text(&mut image, "image_addr", 32),
        })
        .collect()
}

/// Security policy report of a browser: from the field of old SDKs, or from the body that a browser sends.
fn policy_report(notes: &mut Notes, event: &mut Map<String, Value>) -> Option<Value> {
    for name in ["csp", "csp-report", "hpkp", "expectct", "expectstaple"] {
        if event.contains_key(name) {
            let report = notes.free(event, name, CONTEXT);
            if report.is_object() {
                return Some(report);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
