//! What a file is, by its content.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Unreadable;
use super::report::Source;

/// How much of a text that is not well-formed is looked at to see what it was to be, in bytes.
const HEAD: usize = 4_096;

/// What a text is.
pub(super) enum Found {
    /// A document of an API.
    Document(Value),
    /// The entries of a recording.
    Recording(Vec<Value>),
    /// Something of lines, which may be a log.
    Lines,
}

/// The members of an object that say what it is.
#[derive(Deserialize)]
struct Probe {
    openapi: Option<IgnoredAny>,
    swagger: Option<IgnoredAny>,
    log: Option<IgnoredAny>,
}

/// The outside of a recording (HAR 1.2, `log`).
#[derive(Deserialize)]
struct Recording {
    log: Entries,
}

#[derive(Deserialize)]
struct Entries {
    entries: Vec<Value>,
}

/// Says what a text is, and parses it where it is one document.
pub(super) fn recognise(text: &str) -> Result<Found, Unreadable> {
    let text = text.trim_ascii_start();
    if !text.starts_with('{') {
        return if is_yaml(text) {
            Err(Unreadable::Yaml)
        } else {
            Ok(Found::Lines)
        };
    }
    // The first object alone, so that nothing of a long log is parsed here.
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Probe>();
    match objects.next() {
        Some(Ok(probe)) if probe.openapi.is_some() => document(text),
        Some(Ok(probe)) if probe.swagger.is_some() => Err(Unreadable::Version),
        Some(Ok(probe)) if probe.log.is_some() => recording(text),
        Some(Err(error)) => guess(text, &error),
        Some(Ok(_)) | None => Ok(Found::Lines),
    }
}

fn document(text: &str) -> Result<Found, Unreadable> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| broken(Source::OpenApi, &error))?;
    let version = document.get("openapi").and_then(Value::as_str);
    if version.is_some_and(|version| version.starts_with("3.")) {
        Ok(Found::Document(document))
    } else {
        Err(Unreadable::Version)
    }
}

/// A recording, unless `log` is something else: programs that keep the output of others write lines with a text under that
/// name.
fn recording(text: &str) -> Result<Found, Unreadable> {
    match serde_json::from_str::<Recording>(text) {
        Ok(recording) => Ok(Found::Recording(recording.log.entries)),
        // What is wrong with one that is well-formed by itself comes after it: another line.
        Err(error) if error.is_data() || !has_entries(text) => Ok(Found::Lines),
        Err(error) => Err(broken(Source::Har, &error)),
    }
}

/// What a text was to be that begins with an object that is not well-formed.
fn guess(text: &str, error: &serde_json::Error) -> Result<Found, Unreadable> {
    let head = head(text);
    if head.contains("\"openapi\"") {
        Err(broken(Source::OpenApi, error))
    } else if head.contains("\"log\"") && has_entries(text) {
        Err(broken(Source::Har, error))
    } else {
        Ok(Found::Lines)
    }
}

fn has_entries(text: &str) -> bool {
    head(text).contains("\"entries\"")
}

fn head(text: &str) -> &str {
    let end = text.floor_char_boundary(HEAD);
    text.get(..end).unwrap_or(text)
}

fn broken(what: Source, error: &serde_json::Error) -> Unreadable {
    Unreadable::Broken {
        what,
        line: error.line(),
        column: error.column(),
    }
}

/// Whether a text is a document of an API in YAML: one of its first lines has the name of the version.
fn is_yaml(text: &str) -> bool {
    let mut lines = head(text).lines().take(20);
    lines.any(|line| line.starts_with("openapi:") || line.starts_with("swagger:"))
}
