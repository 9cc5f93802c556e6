//! Events in the format of a tracker's web API, which lists the parts as entries and renames fields.

use api_conventions::ids::{ErrorEventId, ErrorKeyId};
use api_conventions::time::Timestamp;
use serde_json::{Map, Value, json};

use super::failure::ExternalFailure;
use crate::event::{Event, EventError, EventSource, Frame, Report, Stacktrace, read};
use crate::model::{ErrorEvent, ErrorEventSummary, EventId};

/// Parses an event of an error.
/// It is parsed like any other event, so it has the same bounds.
///
/// # Errors
/// The response is not an event.
pub fn read_event(
    answer: &Value,
    received_at: Timestamp,
    fallback_id: EventId,
) -> Result<Event, ExternalFailure> {
    let Value::Object(answer) = answer else {
        return Err(ExternalFailure::UnexpectedResponse);
    };
    let mut event = Map::new();
    for name in [
        "platform", "contexts", "user", "tags", "culprit", "message", "sdk",
    ] {
        if let Some(value) = answer.get(name).filter(|value| !value.is_null()) {
            event.insert(name.to_owned(), value.clone());
        }
    }
    for (theirs, ours) in [
        ("eventID", "event_id"),
        ("dateCreated", "timestamp"),
        ("context", "extra"),
    ] {
        if let Some(value) = answer.get(theirs).filter(|value| !value.is_null()) {
            event.insert(ours.to_owned(), value.clone());
        }
    }
    let release = answer
        .get("release")
        .and_then(|release| release.get("version"));
    if let Some(release) = release {
        event.insert("release".to_owned(), release.clone());
    }
    let level = tag(answer.get("tags"), "level");
    event.extend(level.map(|level| ("level".to_owned(), level)));
    let entries = answer.get("entries").and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        let kind = entry
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let data = entry.get("data").cloned().unwrap_or_default();
        let name = match kind {
            "message" => "logentry",
            "exception" | "threads" | "breadcrumbs" | "request" | "stacktrace" | "csp" => kind,
            _ => continue,
        };
        event.insert(name.to_owned(), on_the_way_in(data));
    }
    let sent = EventSource {
        received_at,
        sent_at: None,
        id: None,
        fallback_id,
        peer: None,
    };
    read(Value::Object(event), &sent).map_err(|error| match error {
        EventError::NoObject | EventError::Transaction => ExternalFailure::UnexpectedResponse,
    })
}

impl Event {
    /// Converts the event to a stored one.
    /// It has no number and no key here, so both are 0.
    pub fn to_stored(&self) -> ErrorEvent {
        let report = &self.report;
        ErrorEvent {
            summary: ErrorEventSummary {
                id: ErrorEventId::new(0),
                key_id: ErrorKeyId::new(0),
                event_id: self.id,
                received_at: self.received_at,
                occurred_at: self.occurred_at,
                title: report.title(),
                level: report.level,
                release: report.release.clone(),
                environment: report.environment.clone(),
            },
            kept: report.encode(),
            shared: None,
        }
    }
}

fn tag(tags: Option<&Value>, name: &str) -> Option<Value> {
    let mut tags = tags?.as_array()?.iter();
    let tag = tags.find(|tag| tag.get("key").and_then(Value::as_str) == Some(name))?;
    tag.get("value").cloned()
}

/// Renames fields to the names that SDKs use: `lineNo` becomes `lineno`, and the source lines move from one list to
/// three fields.
fn on_the_way_in(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(on_the_way_in).collect(),
        Value::Object(object) => {
            let is_frame = object.contains_key("lineNo") || object.contains_key("inApp");
            let mut renamed = Map::new();
            for (name, value) in object {
                let name = match name.as_str() {
                    "lineNo" => "lineno",
                    "colNo" => "colno",
                    "absPath" => "abs_path",
                    "inApp" => "in_app",
                    "rawFunction" => "raw_function",
                    "instructionAddr" => "instruction_addr",
                    "threadId" => "thread_id",
                    "rawStacktrace" => "raw_stacktrace",
                    "query" if !is_frame => "query_string",
                    _ => &name,
                };
                let is_free = matches!(name, "vars" | "data" | "env" | "meta" | "params");
                let value = if is_free { value } else { on_the_way_in(value) };
                renamed.insert(name.to_owned(), value);
            }
            if is_frame {
                spread_lines(&mut renamed);
            }
            Value::Object(renamed)
        }
        other => other,
    }
}

/// Splits the source lines around a frame's own, which the API sends in one list with their numbers.
fn spread_lines(frame: &mut Map<String, Value>) {
    let own = frame.get("lineno").and_then(Value::as_i64);
    let Some(Value::Array(lines)) = frame.remove("context") else {
        return;
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for line in lines {
        let number = line.get(0).and_then(Value::as_i64);
        let text = line.get(1).cloned().unwrap_or_default();
        match (number, own) {
            (Some(number), Some(own)) if number < own => before.push(text),
            (Some(number), Some(own)) if number > own => after.push(text),
            _ => {
                frame.insert("context_line".to_owned(), text);
            }
        }
    }
    frame.insert("pre_context".to_owned(), Value::Array(before));
    frame.insert("post_context".to_owned(), Value::Array(after));
}

/// Writes an event as the web API does.
pub fn latest_event(event: &Event, issue_id: &str) -> Value {
    let report = &event.report;
    let tags = report.tags.iter();
    let mut tags: Vec<Value> = tags
        .map(|(key, value)| json!({"key": key, "value": value}))
        .collect();
    for (key, value) in [
        ("level", Some(report.level.as_str())),
        ("environment", report.environment.as_deref()),
        ("release", report.release.as_deref()),
    ] {
        let is_there = report.tags.iter().any(|(known, _)| known == key);
        if let Some(value) = value.filter(|_| !is_there) {
            tags.push(json!({"key": key, "value": value}));
        }
    }
    json!({
        "id": event.id.to_string(),
        "eventID": event.id.to_string(),
        "groupID": issue_id,
        "title": report.title(),
        "culprit": report.culprit(),
        "platform": report.platform,
        "dateCreated": event.occurred_at.to_string(),
        "dateReceived": event.received_at.to_string(),
        "release": report.release.as_ref().map(|version| json!({"version": version})),
        "user": report.user,
        "contexts": report.contexts,
        "context": report.extra,
        "sdk": report.sdk,
        "tags": tags,
        "entries": entries(report),
    })
}

fn entries(report: &Report) -> Vec<Value> {
    let mut entries = Vec::new();
    let mut add = |kind: &str, data: Value| entries.push(json!({"type": kind, "data": data}));
    if let Some(message) = &report.message {
        let template = message.template.as_ref();
        add(
            "message",
            json!({"message": template, "formatted": message.formatted, "params": message.params}),
        );
    }
    if !report.exceptions.is_empty() {
        let values = report.exceptions.iter().map(|exception| {
            json!({
                "type": exception.kind,
                "value": exception.value,
                "module": exception.module,
                "threadId": exception.thread_id,
                "mechanism": exception.mechanism,
                "stacktrace": exception.stacktrace.as_ref().map(stacktrace),
            })
        });
        add(
            "exception",
            json!({"values": values.collect::<Vec<Value>>()}),
        );
    }
    if !report.threads.is_empty() {
        let values = report.threads.iter().map(|thread| {
            json!({
                "id": thread.id,
                "name": thread.name,
                "crashed": thread.crashed,
                "current": thread.current,
                "stacktrace": thread.stacktrace.as_ref().map(stacktrace),
            })
        });
        add("threads", json!({"values": values.collect::<Vec<Value>>()}));
    }
    if !report.breadcrumbs.is_empty() {
        let values = report.breadcrumbs.iter().map(|breadcrumb| {
            let at = breadcrumb.at.and_then(Timestamp::from_micros);
            json!({
                "timestamp": at.map(|at| at.to_string()),
                "type": breadcrumb.kind,
                "category": breadcrumb.category,
                "message": breadcrumb.message,
                "level": breadcrumb.level,
                "data": breadcrumb.data,
            })
        });
        add(
            "breadcrumbs",
            json!({"values": values.collect::<Vec<Value>>()}),
        );
    }
    if let Some(request) = &report.request {
        add(
            "request",
            json!({
                "url": request.url, "method": request.method, "query": request.query, "fragment": request.fragment,
                "headers": request.headers, "cookies": request.cookies, "data": request.data, "env": request.env,
            }),
        );
    }
    if let Some(policy) = &report.policy_report {
        add("csp", policy.clone());
    }
    entries
}

fn stacktrace(trace: &Stacktrace) -> Value {
    let frames: Vec<Value> = trace.frames.iter().map(frame).collect();
    json!({"frames": frames, "registers": trace.registers})
}

fn frame(frame: &Frame) -> Value {
    json!({
        "filename": frame.filename,
        "absPath": frame.abs_path,
        "function": frame.function,
        "module": frame.module,
        "package": frame.package,
        "platform": frame.platform,
        "instructionAddr": frame.instruction_addr,
        "lineNo": frame.lineno,
        "colNo": frame.colno,
        "inApp": frame.in_app,
        "vars": frame.vars,
        "context": lines(frame),
    })
}

/// Source lines around a frame's own, with their numbers.
pub(crate) fn lines(frame: &Frame) -> Vec<(i64, &str)> {
    let Some(own) = frame.lineno.map(i64::from) else {
        return Vec::new();
    };
    let count = i64::try_from(frame.pre_context.len()).unwrap_or_default();
    let before = frame.pre_context.iter().map(String::as_str);
    let here = frame.context_line.as_deref();
    let after = frame.post_context.iter().map(String::as_str);
    let before = (own - count..).zip(before);
    let after = (own + 1..).zip(after);
    before
        .chain(here.map(|line| (own, line)))
        .chain(after)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::testing::sent;

    fn spare() -> EventId {
        EventId::from_bytes([9; 16]).unwrap()
    }

    fn now() -> Timestamp {
        Timestamp::parse_rfc3339("2026-11-20T10:00:00Z").unwrap()
    }

    fn event() -> Event {
        let value = json!({
            "event_id": "fc6d8c0c43fc4630ad850ee518f1b9d0", "level": "fatal", "platform": "python",
            "release": "shop@1.0", "environment": "prod", "timestamp": "2026-11-20T09:59:00Z",
            "logentry": {"message": "a %s", "formatted": "a b", "params": ["b"]},
            "exception": [{"type": "KeyError", "value": "'id'", "thread_id": 7, "stacktrace": {"frames": [
                {"function": "main", "filename": "shop.py", "abs_path": "/srv/shop.py", "lineno": 3, "colno": 2, "in_app": true,
                 "pre_context": ["one", "two"], "context_line": "three", "post_context": ["four"], "vars": {"lineNo": 1}},
            ]}}],
            "breadcrumbs": [{"message": "m", "timestamp": "2026-11-20T09:58:00Z", "level": "info", "data": {"query": 1}}],
            "request": {"url": "https://shop.example/", "method": "GET", "query_string": "a=1", "headers": {"Host": "x"}},
            "user": {"id": "7"}, "tags": {"browser": "Firefox"}, "contexts": {"os": {"name": "Linux"}}, "extra": {"n": 1},
        });
        read(value, &sent()).unwrap()
    }

    #[test]
    fn a_written_event_reads_back() {
        let sent = event();
        let mut read = read_event(&latest_event(&sent, "7"), now(), spare()).unwrap();
        assert_eq!((read.id, read.occurred_at), (sent.id, sent.occurred_at));
        // The API sends these values as tags; they are fields here.
        read.report
            .tags
            .retain(|(name, _)| !matches!(name.as_str(), "level" | "environment" | "release"));
        assert_eq!(
            read.report.transaction.take().as_deref(),
            Some("main (shop.py)")
        );
        assert_eq!(read.report, sent.report);
    }

    #[test]
    fn lines_have_their_numbers() {
        let event = event();
        let frame = &event.report.main_stacktrace().unwrap().frames[0];
        assert_eq!(
            lines(frame),
            [(1, "one"), (2, "two"), (3, "three"), (4, "four")]
        );
        assert!(lines(&Frame::default()).is_empty());
    }

    #[test]
    fn an_answer_of_another_kind_is_refused() {
        for answer in [json!([]), json!("x"), json!(null)] {
            let refused = read_event(&answer, now(), spare());
            assert_eq!(
                refused,
                Err(ExternalFailure::UnexpectedResponse),
                "{answer}"
            );
        }
        let bare = read_event(&json!({"entries": [7, {"type": "odd"}]}), now(), spare()).unwrap();
        assert_eq!(bare.id, spare());
    }
}
