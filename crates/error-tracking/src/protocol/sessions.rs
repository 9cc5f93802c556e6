//! Sessions of programs: how many there were of a release, and how many ended badly.
//!
//! An SDK sends a session when it begins and when its state changes, or sends aggregates. Sessions are not stored: a
//! session counts as begun when it is new, and as ended badly when it reports how it ended. One that never does counts
//! as ended well.

use api_conventions::time::Timestamp;
use serde_json::{Map, Value};

use super::json;
use crate::event::{cut, timestamp};

/// Aggregates in one item that are counted.
const MAX_ENTRIES: usize = 100;
/// Highest count of one aggregate.
const MAX_AT_ONCE: u64 = 10_000_000;

/// Sessions of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCount {
    /// The release.
    pub release: String,
    /// The environment, if there is one.
    pub environment: Option<String>,
    /// Time at which the sessions began.
    pub started_at: Timestamp,
    /// Sessions that began.
    pub started: u64,
    /// Sessions with an error that did not end the program.
    pub errored: u64,
    /// Sessions that ended with a crash.
    pub crashed: u64,
    /// Sessions that were cut off.
    pub abnormal: u64,
}

/// Reason why a session item is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionsError {
    /// The item is not a JSON object.
    Invalid,
    /// The item names no release, or the session began too long ago.
    NotKept,
}

/// Parses an item of the type `session`; `None` if it has nothing new, like an update of an ongoing session.
///
/// # Errors
/// The item is not a session, or not one that is counted.
pub fn session(
    payload: &[u8],
    received_at: Timestamp,
) -> Result<Option<SessionCount>, SessionsError> {
    let sent = object(payload).ok_or(SessionsError::Invalid)?;
    let number = |name: &str| sent.get(name).and_then(Value::as_u64).unwrap_or_default();
    let status = sent.get("status").and_then(Value::as_str).unwrap_or("ok");
    let is_new = sent
        .get("init")
        .and_then(Value::as_bool)
        .unwrap_or_default();
    let has_ended = status != "ok";
    let is_crashed = status == "crashed";
    let is_abnormal = status == "abnormal";
    let is_errored =
        has_ended && !is_crashed && !is_abnormal && (number("errors") > 0 || status == "errored");
    let count = SessionCount {
        started: is_new.into(),
        errored: is_errored.into(),
        crashed: is_crashed.into(),
        abnormal: is_abnormal.into(),
        ..empty(&sent, sent.get("started"), received_at).ok_or(SessionsError::NotKept)?
    };
    let events = count.started + count.errored + count.crashed + count.abnormal;
    Ok(Some(count).filter(|_| events > 0))
}

/// Parses an item of the type `sessions`.
///
/// # Errors
/// The item is not a list of sessions, or none of it is counted.
pub fn sessions(
    payload: &[u8],
    received_at: Timestamp,
) -> Result<Vec<SessionCount>, SessionsError> {
    let sent = object(payload).ok_or(SessionsError::Invalid)?;
    let sums = sent.get("aggregates").and_then(Value::as_array);
    let sums = sums.into_iter().flatten().take(MAX_ENTRIES);
    let mut is_left_out = false;
    let counts = sums.filter_map(|sum| {
        let number = |name: &str| {
            let number = sum.get(name).and_then(Value::as_u64).unwrap_or_default();
            number.min(MAX_AT_ONCE)
        };
        let [errored, crashed, abnormal] = ["errored", "crashed", "abnormal"].map(number);
        let count = SessionCount {
            started: number("exited") + errored + crashed + abnormal,
            errored,
            crashed,
            abnormal,
            ..empty(&sent, sum.get("started"), received_at).or_else(|| {
                is_left_out = true;
                None
            })?
        };
        Some(count).filter(|count| count.started > 0)
    });
    let counts: Vec<SessionCount> = counts.collect();
    if counts.is_empty() && is_left_out {
        return Err(SessionsError::NotKept);
    }
    Ok(counts)
}

fn object(payload: &[u8]) -> Option<Map<String, Value>> {
    match json::read(payload).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn empty(
    sent: &Map<String, Value>,
    started: Option<&Value>,
    received_at: Timestamp,
) -> Option<SessionCount> {
    // A session that began longer ago is reported too late to count.
    const MAX_AGE_SECONDS: i64 = 30 * 24 * 3600;
    let attributes = sent.get("attrs").and_then(Value::as_object)?;
    let text = |name: &str, longest: usize| {
        let text = attributes.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| cut(text, longest))
    };
    let started_at = started.and_then(timestamp).unwrap_or(received_at);
    let is_recent = started_at >= received_at.plus_seconds(-MAX_AGE_SECONDS);
    is_recent.then_some(SessionCount {
        release: text("release", 200)?,
        environment: text("environment", 64),
        started_at: started_at.min(received_at),
        started: 0,
        errored: 0,
        crashed: 0,
        abnormal: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse_rfc3339("2026-11-20T10:00:00Z").unwrap()
    }

    fn numbers(count: &SessionCount) -> [u64; 4] {
        [count.started, count.errored, count.crashed, count.abnormal]
    }

    fn one(fields: &str) -> Option<[u64; 4]> {
        let payload = format!(
            r#"{{"sid": "x", {fields}, "attrs": {{"release": "web@1.0", "environment": "prod"}}}}"#
        );
        session(payload.as_bytes(), now())
            .unwrap()
            .as_ref()
            .map(numbers)
    }

    #[test]
    fn a_session_counts_when_it_begins_and_when_it_ends_badly() {
        assert_eq!(one(r#""init": true, "status": "ok""#), Some([1, 0, 0, 0]));
        assert_eq!(one(r#""status": "ok", "errors": 2"#), None);
        assert_eq!(one(r#""status": "exited", "errors": 0"#), None);
        assert_eq!(
            one(r#""status": "exited", "errors": 2"#),
            Some([0, 1, 0, 0])
        );
        assert_eq!(
            one(r#""status": "crashed", "errors": 1"#),
            Some([0, 0, 1, 0])
        );
        assert_eq!(one(r#""status": "abnormal""#), Some([0, 0, 0, 1]));
        assert_eq!(
            one(r#""init": true, "status": "crashed""#),
            Some([1, 0, 1, 0])
        );
    }

    #[test]
    fn sums_are_counted_by_when_they_began() {
        let payload = r#"{"aggregates": [
            {"started": "2026-11-20T09:00:00Z", "exited": 5, "errored": 2, "crashed": 1},
            {"started": "2026-11-20T12:00:00Z", "exited": 1, "abnormal": 1},
            {"started": "2025-11-20T12:00:00Z", "exited": 1}, {"exited": -3}, 7],
            "attrs": {"release": "web@1.0"}}"#;
        let found = sessions(payload.as_bytes(), now()).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|count| (count.started_at, numbers(count)))
            .collect();
        let nine = Timestamp::parse_rfc3339("2026-11-20T09:00:00Z").unwrap();
        assert_eq!(found, [(nine, [8, 2, 1, 0]), (now(), [2, 0, 0, 1])]);
    }

    #[test]
    fn without_a_release_nothing_is_counted() {
        let payload = br#"{"init": true, "status": "ok", "attrs": {"environment": "prod"}}"#;
        assert_eq!(session(payload, now()), Err(SessionsError::NotKept));
        let sums = br#"{"aggregates": [{"exited": 1}], "attrs": {}}"#;
        assert_eq!(sessions(sums, now()), Err(SessionsError::NotKept));
        assert_eq!(sessions(br#"{"aggregates": []}"#, now()), Ok(Vec::new()));
        assert_eq!(session(b"[]", now()), Err(SessionsError::Invalid));
        assert_eq!(sessions(b"no", now()), Err(SessionsError::Invalid));
    }
}
