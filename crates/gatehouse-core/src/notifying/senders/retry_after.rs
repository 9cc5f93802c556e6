//! Wait that a receiver asks for.

use std::time::UNIX_EPOCH;

use api_conventions::time::Timestamp;
use serde_json::Value;
use ureq::http::HeaderMap;
use ureq::http::header::RETRY_AFTER;

/// Returns the seconds from `now` until the receiver wants the next attempt, by the header `Retry-After` (RFC 9110,
/// section 10.2.3), or by `retry_after_ms` in the body, as homeservers of Matrix write it.
pub(super) fn retry_after(headers: &HeaderMap, body: &[u8], now: Timestamp) -> Option<u32> {
    let header = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok());
    header
        .and_then(|text| seconds(text.trim(), now))
        .or_else(|| milliseconds(body).map(|millis| bounded(millis.div_ceil(1000))))
}

/// Returns the seconds that a number of seconds or an HTTP date names.
fn seconds(text: &str, now: Timestamp) -> Option<u32> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(u32::MAX));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let until = date.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let now = u64::try_from(now.as_unix_seconds()).unwrap_or_default();
    Some(bounded(until.saturating_sub(now)))
}

fn milliseconds(body: &[u8]) -> Option<u64> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body.get("retry_after_ms")?.as_u64()
}

fn bounded(seconds: u64) -> u32 {
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_a_number_a_date_or_in_the_body() {
        let now = Timestamp::parse_rfc3339("2026-03-01T12:00:00Z").unwrap();
        for (header, body, expected) in [
            (Some("120"), "", Some(120)),
            (Some(" 0 "), "", Some(0)),
            (Some("99999999999999999999"), "", Some(u32::MAX)),
            (Some("Sun, 01 Mar 2026 12:01:30 GMT"), "", Some(90)),
            (Some("Sun, 01 Mar 2026 11:00:00 GMT"), "", Some(0)),
            (Some("-5"), "", None),
            (Some("soon"), r#"{"retry_after_ms":1001}"#, Some(2)),
            (Some("7"), r#"{"retry_after_ms":1001}"#, Some(7)),
            (None, r#"{"retry_after_ms":-1}"#, None),
            (None, "[]", None),
            (None, "", None),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(RETRY_AFTER, header.parse().unwrap());
            }
            let wait = retry_after(&headers, body.as_bytes(), now);
            assert_eq!(wait, expected, "{header:?} {body}");
        }
    }
}
