//! Detection of a file's type from its content.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::InspectError;
use super::report::FileFormat;

/// Length of the beginning of a malformed text that is examined to detect its type, in bytes.
const HEAD: usize = 4_096;

/// Type and content of a text.
pub(super) enum DetectedFile {
    /// An API document.
    Document(Value),
    /// The entries of a recording.
    Recording(Vec<Value>),
    /// Lines of text, which may be a log.
    Lines,
}

/// Members of an object that reveal its type.
#[derive(Deserialize)]
struct Probe {
    openapi: Option<IgnoredAny>,
    swagger: Option<IgnoredAny>,
    log: Option<IgnoredAny>,
}

/// The outer object of a recording (HAR 1.2, `log`).
#[derive(Deserialize)]
struct HarFile {
    log: HarEntries,
}

#[derive(Deserialize)]
struct HarEntries {
    entries: Vec<Value>,
}

/// Detects the type of a text, and parses it if it is a single document.
pub(super) fn detect(text: &str) -> Result<DetectedFile, InspectError> {
    let text = text.trim_ascii_start();
    if !text.starts_with('{') {
        return if is_yaml(text) {
            Err(InspectError::Yaml)
        } else {
            Ok(DetectedFile::Lines)
        };
    }
    // Reads only the first object, so that a long log is not parsed here.
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Probe>();
    match objects.next() {
        Some(Ok(probe)) if probe.openapi.is_some() => document(text),
        Some(Ok(probe)) if probe.swagger.is_some() => Err(InspectError::Version),
        Some(Ok(probe)) if probe.log.is_some() => recording(text),
        Some(Err(error)) => guess(text, &error),
        Some(Ok(_)) | None => Ok(DetectedFile::Lines),
    }
}

fn document(text: &str) -> Result<DetectedFile, InspectError> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| broken(FileFormat::OpenApi, &error))?;
    let version = document.get("openapi").and_then(Value::as_str);
    if version.is_some_and(|version| version.starts_with("3.")) {
        Ok(DetectedFile::Document(document))
    } else {
        Err(InspectError::Version)
    }
}

/// Parses a recording, unless `log` is something else: programs that collect the output of others write lines with a
/// text under that name.
fn recording(text: &str) -> Result<DetectedFile, InspectError> {
    match serde_json::from_str::<HarFile>(text) {
        Ok(recording) => Ok(DetectedFile::Recording(recording.log.entries)),
        // A well-formed recording can only have an error after its end: another line.
        Err(error) if error.is_data() || !has_entries(text) => Ok(DetectedFile::Lines),
        Err(error) => Err(broken(FileFormat::Har, &error)),
    }
}

/// Detects the intended type of a text that begins with a malformed object.
fn guess(text: &str, error: &serde_json::Error) -> Result<DetectedFile, InspectError> {
    let head = head(text);
    if head.contains("\"openapi\"") {
        Err(broken(FileFormat::OpenApi, error))
    } else if head.contains("\"log\"") && has_entries(text) {
        Err(broken(FileFormat::Har, error))
    } else {
        Ok(DetectedFile::Lines)
    }
}

fn has_entries(text: &str) -> bool {
    head(text).contains("\"entries\"")
}

fn head(text: &str) -> &str {
    let end = text.floor_char_boundary(HEAD);
    text.get(..end).unwrap_or(text)
}

fn broken(what: FileFormat, error: &serde_json::Error) -> InspectError {
    InspectError::Broken {
        what,
        line: error.line(),
        column: error.column(),
    }
}

/// True if a text is an API document in YAML: one of its first lines contains the name of the version member.
fn is_yaml(text: &str) -> bool {
    let mut lines = head(text).lines().take(20);
    lines.any(|line| line.starts_with("openapi:") || line.starts_with("swagger:"))
}
