//! JSON values in the lines of an archive.

use api_conventions::time::{CalendarDate, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::{ArchiveError, Origin};

/// The deepest nesting of a line. Known archives use six levels.
const MAX_NESTING: usize = 32;

/// Parses a line, or a whole file, as an object of this kind.
///
/// # Errors
/// [`ArchiveError::Unreadable`] for text that is not valid JSON or not an object of this kind, and for a NUL, which
/// cannot be stored.
pub(super) fn parse<'t, T: Deserialize<'t>>(
    origin: Origin,
    text: &'t [u8],
) -> Result<T, ArchiveError> {
    let unreadable = |reason: String| ArchiveError::Unreadable(origin, reason);
    api_conventions::json::check(text, MAX_NESTING)
        .map_err(|refusal| unreadable(refusal.sentence()))?;
    serde_json::from_slice(text).map_err(|error| {
        // The library counts lines from the beginning of its input, which is a single line.
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        unreadable(format!("{reason} at column {}", error.column()))
    })
}

/// Reads a value that may be `null`, which counts as absent.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A time: RFC 3339, or `2022-08-17 13:06:53 UTC` as some servers write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct JsonTime(pub(super) Timestamp);

impl<'de> Deserialize<'de> for JsonTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = Timestamp::parse_rfc3339(&text).or_else(|| {
            let (day, time) = text.strip_suffix(" UTC")?.split_once(' ')?;
            Timestamp::parse_rfc3339(&format!("{day}T{time}Z"))
        });
        let wrong = || D::Error::custom(format!("\"{text}\" is not a valid time"));
        known.map(Self).ok_or_else(wrong)
    }
}

/// A day, `2024-02-29`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct JsonDate(pub(super) CalendarDate);

impl<'de> Deserialize<'de> for JsonDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("\"{text}\" is not a valid date"));
        CalendarDate::parse(&text).map(Self).ok_or_else(wrong)
    }
}
