//! Check-ins, parsed from what an SDK or a script sent.

use serde_json::{Map, Value};

use super::MonitorConfig;
use crate::event::cut;
use crate::model::EventId;
use crate::protocol::json;

/// Longest slug of a monitor, in characters.
pub const MAX_SLUG: usize = 50;
/// Longest name of an environment, in characters.
const MAX_ENVIRONMENT: usize = 64;
/// Longest release, in characters.
const MAX_RELEASE: usize = 200;
/// Longest duration of a run, in seconds: a year.
const MAX_DURATION: f64 = 366.0 * 86_400.0;
/// Environment of a check-in that names none, as SDKs call it.
const DEFAULT_ENVIRONMENT: &str = "production";

api_conventions::named! {
    /// Status of a run, in the words of SDKs.
    pub enum CheckInStatus {
        /// The run began, or still goes on.
        InProgress = 0, "in_progress";
        /// The run succeeded.
        Ok = 1, "ok";
        /// The run failed.
        Error = 2, "error";
    }
}

/// Report of a job about one run.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckIn {
    /// Id of the run; `None` for the latest one in progress.
    pub id: Option<EventId>,
    /// Normalized name of the monitor: see [`normalize_slug`].
    pub slug: String,
    /// The environment: 1 to 64 characters.
    pub environment: String,
    /// Status of the run.
    pub status: CheckInStatus,
    /// Duration of the run in whole seconds, at most a year.
    pub duration: Option<i64>,
    /// Release of the program.
    pub release: Option<String>,
    /// Configuration of the monitor, if it is sent.
    pub config: Option<MonitorConfig>,
}

impl CheckIn {
    /// Parses an item of the type `check_in`; `None` if it is not one, or its configuration is not valid.
    pub fn parse(payload: &[u8]) -> Option<Self> {
        match json::read(payload).ok()?.value {
            Value::Object(object) => Self::from_object(&object),
            _ => None,
        }
    }

    /// Reads a check-in from the fields of an item; `None` as for [`Self::parse`].
    pub fn from_object(sent: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| {
            let text = sent.get(name).and_then(Value::as_str).map(str::trim);
            text.filter(|text| !text.is_empty())
        };
        let duration = sent.get("duration").and_then(number);
        let config = sent.get("monitor_config").filter(|sent| !sent.is_null());
        Some(Self {
            id: match text("check_in_id") {
                None => None,
                Some(id) if is_nil(id) => None,
                Some(id) => Some(EventId::parse(id)?),
            },
            slug: normalize_slug(text("monitor_slug")?)?,
            environment: cut(
                text("environment").unwrap_or(DEFAULT_ENVIRONMENT),
                MAX_ENVIRONMENT,
            ),
            status: CheckInStatus::parse(text("status")?)?,
            duration: duration.map(whole_seconds),
            release: text("release").map(|release| cut(release, MAX_RELEASE)),
            config: match config {
                None => None,
                Some(sent) => Some(MonitorConfig::parse(sent)?),
            },
        })
    }
}

/// Normalizes the name of a monitor: lower case, with letters, digits, `_`, and single dashes for everything else, cut
/// to 50 characters. `None` if nothing is left.
pub fn normalize_slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for character in text.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() || character == '_' {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug: String = slug.chars().take(MAX_SLUG).collect();
    let slug = slug.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// True for the id that means the latest run in progress.
fn is_nil(id: &str) -> bool {
    id.len() >= 32 && id.bytes().all(|byte| matches!(byte, b'0' | b'-'))
}

/// Reads a number, also from a text, as query strings have it.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    number.filter(|number| number.is_finite())
}

/// Converts a duration to whole seconds within bounds.
#[expect(clippy::cast_possible_truncation, reason = "the number is clamped")]
fn whole_seconds(duration: f64) -> i64 {
    duration.clamp(0.0, MAX_DURATION) as i64
}
