//! State of an error in its two columns.

use api_conventions::time::Timestamp;
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};
use serde::{Deserialize, Serialize};

/// Details of a state beyond its number.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Terms {
    #[serde(skip_serializing_if = "Option::is_none")]
    in_release: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_release: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<u64>,
}

/// Returns the columns of a state.
pub(crate) fn columns(status: &Status) -> (i16, Option<String>) {
    let mut terms = Terms::default();
    let number = match status {
        Status::Unresolved => 0,
        Status::Resolved(resolution) => {
            match resolution {
                Resolution::Now => {}
                Resolution::InRelease(release) => terms.in_release = Some(release.clone()),
                Resolution::AfterRelease(release) => terms.after_release = Some(release.clone()),
            }
            1
        }
        Status::Ignored(until) => {
            terms.time = until.time.map(Timestamp::as_micros);
            terms.events = until.events;
            terms.users = until.users;
            2
        }
    };
    let text = serde_json::to_string(&terms).ok();
    (number, text.filter(|text| text != "{}"))
}

/// Parses a state from its columns; `None` if they contradict each other.
pub(crate) fn status(number: i16, terms: Option<&str>) -> Option<Status> {
    let terms: Terms = match terms {
        Some(text) => serde_json::from_str(text).ok()?,
        None => Terms::default(),
    };
    Some(match number {
        0 => Status::Unresolved,
        1 => Status::Resolved(match (terms.in_release, terms.after_release) {
            (Some(release), _) => Resolution::InRelease(release),
            (None, Some(release)) => Resolution::AfterRelease(release),
            (None, None) => Resolution::Now,
        }),
        2 => Status::Ignored(IgnoreLimits {
            time: match terms.time {
                Some(micros) => Some(Timestamp::from_micros(micros)?),
                None => None,
            },
            events: terms.events,
            users: terms.users,
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_reads_back() {
        for state in [
            Status::Unresolved,
            Status::Resolved(Resolution::Now),
            Status::Resolved(Resolution::InRelease("a\"b".to_owned())),
            Status::Resolved(Resolution::AfterRelease(String::new())),
            Status::Ignored(IgnoreLimits::default()),
            Status::Ignored(IgnoreLimits {
                time: Some(Timestamp::MAX),
                events: Some(u64::MAX),
                users: Some(0),
            }),
        ] {
            let (number, terms) = columns(&state);
            assert_eq!(status(number, terms.as_deref()), Some(state), "{terms:?}");
        }
        assert_eq!(columns(&Status::Unresolved), (0, None));
        assert_eq!(status(3, None), None);
        assert_eq!(status(0, Some("no JSON")), None);
    }
}
