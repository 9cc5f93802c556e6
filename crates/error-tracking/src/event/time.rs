//! Times as SDKs write them.

use api_conventions::time::Timestamp;
use chrono::{DateTime, NaiveDateTime};
use serde_json::Value;

/// Parses a time: seconds since 1970 as a number or as digits, RFC 3339, or ISO 8601.
/// A time without an offset counts as UTC. `None` if it cannot be parsed.
pub fn timestamp(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => from_seconds(number.as_f64()?),
        Value::String(text) => {
            let text = text.trim();
            match text.parse::<f64>() {
                Ok(seconds) => from_seconds(seconds),
                Err(_) => from_text(text),
            }
        }
        _ => None,
    }
}

fn from_seconds(seconds: f64) -> Option<Timestamp> {
    // Beyond this a double no longer distinguishes microseconds, and our calendar has no such year.
    const LIMIT: f64 = 253_402_300_800.0;
    if !(0.0..LIMIT).contains(&seconds) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is within the limit, which is far below 2^63"
    )]
    Timestamp::from_micros((seconds * 1e6).round() as i64)
}

fn from_text(text: &str) -> Option<Timestamp> {
    let with_offset = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z"];
    let without = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    Timestamp::parse_rfc3339(text)
        .or_else(|| {
            let mut times = with_offset
                .iter()
                .filter_map(|form| DateTime::parse_from_str(text, form).ok());
            Timestamp::from_chrono(&times.next()?.to_utc())
        })
        .or_else(|| {
            let mut times = without
                .iter()
                .filter_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
            Timestamp::from_chrono(&times.next()?.and_utc())
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_is_the_same_moment() {
        let expected = Timestamp::parse_rfc3339("2026-11-20T10:00:00.25Z");
        for value in [
            json!(1_795_168_800.25),
            json!("1795168800.25"),
            json!("2026-11-20T10:00:00.25Z"),
            json!("2026-11-20T10:00:00.250000000Z"),
            json!("2026-11-20T11:00:00.25+01:00"),
            json!("2026-11-20T11:00:00.25+0100"),
            json!("2026-11-20T10:00:00.250"),
            json!(" 2026-11-20 10:00:00.25 "),
        ] {
            assert_eq!(timestamp(&value), expected, "{value}");
        }
        assert_eq!(
            timestamp(&json!(1_795_168_800)),
            Timestamp::parse_rfc3339("2026-11-20T10:00:00Z")
        );
    }

    #[test]
    fn invalid_times_parse_to_none() {
        for value in [
            json!(null),
            json!(""),
            json!("yesterday"),
            json!(-1),
            json!(1e300),
            json!("NaN"),
            json!({"at": 1}),
            json!("2026-13-20T10:00:00Z"),
        ] {
            assert_eq!(timestamp(&value), None, "{value}");
        }
    }
}
