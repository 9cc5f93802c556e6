//! Responses in snapshots: the status, the headers and the body, without values that differ between runs.

use insta::internals::SettingsBindDropGuard;
use serde_json::{Map, Value, json};

use crate::support::{TestResponse, TestServer};

/// Headers whose values say nothing about the route.
const OMITTED_HEADERS: [&str; 2] = ["content-length", "date"];

/// A response for a snapshot. The server's URL is replaced by `{base}`, because its port differs each time.
pub(crate) fn snapshot_of(server: &TestServer, answer: &TestResponse) -> Value {
    let response = answer
        .headers
        .iter()
        .filter(|(name, _)| !OMITTED_HEADERS.contains(&name.as_str()));
    let headers: Map<String, Value> = response
        .map(|(name, _)| (name.clone(), json!(answer.headers_named(name).join(", "))))
        .collect();
    let body = if answer.body.is_empty() {
        Value::Null
    } else if serde_json::from_slice::<Value>(&answer.body).is_ok() {
        answer.json()
    } else {
        json!(answer.text())
    };
    let whole = json!({ "status": answer.status, "headers": headers, "body": body });
    let text = whole.to_string().replace(server.base_url(), "{base}");
    serde_json::from_str(&text).unwrap()
}

/// Replaces values that differ between runs, until the guard is dropped.
pub(crate) fn redacted() -> SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    for field in [
        "confirmed_at",
        "created_at",
        "updated_at",
        "last_activity_at",
        "received_at",
    ] {
        settings.add_redaction(&format!(".**.{field}"), "[time]");
    }
    settings.add_redaction(".**.last_activity_on", "[day]");
    for header in ["etag", "x-request-id", "x-runtime"] {
        settings.add_redaction(&format!(".headers[\"{header}\"]"), format!("[{header}]"));
    }
    settings.bind_to_scope()
}

/// True if a text is a time in the API's format: UTC with milliseconds.
pub(crate) fn is_timestamp(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let shape: String = text
        .chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect();
    shape == "0000-00-00T00:00:00.000Z"
}
