//! Status of a runner by the time of its last contact (specification, States).

use api_conventions::time::Timestamp;

use crate::model::{ContactFilter, ContactState, Runner};

/// Time after its last contact for which a runner is online, in seconds.
pub const ONLINE_SECONDS: i64 = 2 * 60 * 60;

/// Time without contact after which a runner is stale: three months, in seconds.
pub const STALE_SECONDS: i64 = 90 * 24 * 60 * 60;

/// Form of the status of runners, which depends on the version of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusForm {
    /// `online`, `offline`, `not_connected` and `stale`, and `paused` for a paused runner that was contacted and is not
    /// stale: version 4.
    WithPaused,
    /// `online`, `offline` and `not_connected`: from version 5 on.
    ContactOnly,
}

/// True if a runner with this last contact is online at `now`.
pub fn is_online(contacted_at: Option<Timestamp>, now: Timestamp) -> bool {
    contacted_at.is_some_and(|at| at > now.plus_seconds(-ONLINE_SECONDS))
}

/// Returns the word for the status of a runner at `now`. The last contact is that of the runner.
pub fn runner_status(runner: &Runner, form: StatusForm, now: Timestamp) -> &'static str {
    let contacted_at = runner.contacted_at;
    let latest = contacted_at.map_or(runner.created_at, |at| at.max(runner.created_at));
    let is_stale = latest <= now.plus_seconds(-STALE_SECONDS);
    match (form, contacted_at) {
        (StatusForm::WithPaused, _) if is_stale => "stale",
        (_, None) => "not_connected",
        (StatusForm::WithPaused, _) if runner.settings.paused => "paused",
        _ if is_online(contacted_at, now) => "online",
        _ => "offline",
    }
}

/// Creates the filter for a state of the contact at `now`.
pub fn contact_filter(state: ContactState, now: Timestamp) -> ContactFilter {
    ContactFilter {
        state,
        online_since: now.plus_seconds(-ONLINE_SECONDS),
        stale_until: now.plus_seconds(-STALE_SECONDS),
        live: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NewRunner, RunnerInfo, RunnerPlace, RunnerSettings};
    use api_conventions::ids::{RunnerId, UserId};
    use api_conventions::secret::SecretDigest;

    /// Returns the statuses in both forms of a runner that was created and contacted so many seconds ago.
    fn statuses(created: i64, contacted: Option<i64>, paused: bool) -> [&'static str; 2] {
        let now = Timestamp::from_micros(1_700_000_000_000_000).unwrap();
        let new = NewRunner {
            place: RunnerPlace::Instance,
            settings: RunnerSettings {
                paused,
                ..RunnerSettings::default()
            },
            info: RunnerInfo::default(),
            digest: SecretDigest::of("x"),
            creator_id: UserId::new(1),
            created_at: now.plus_seconds(-created),
        };
        let mut runner = new.stored(RunnerId::new(1));
        runner.contacted_at = contacted.map(|seconds| now.plus_seconds(-seconds));
        [StatusForm::WithPaused, StatusForm::ContactOnly]
            .map(|form| runner_status(&runner, form, now))
    }

    #[test]
    fn the_status_follows_from_the_last_contact_and_the_form() {
        for (created, contacted, paused, expected) in [
            (1, None, false, ["not_connected"; 2]),
            (1, None, true, ["not_connected"; 2]),
            (9_000, Some(0), false, ["online"; 2]),
            (9_000, Some(ONLINE_SECONDS - 1), false, ["online"; 2]),
            (9_000, Some(ONLINE_SECONDS), false, ["offline"; 2]),
            (9_000, Some(0), true, ["paused", "online"]),
            (9_000, Some(ONLINE_SECONDS), true, ["paused", "offline"]),
            (STALE_SECONDS, None, false, ["stale", "not_connected"]),
            (STALE_SECONDS, None, true, ["stale", "not_connected"]),
            (STALE_SECONDS - 1, None, false, ["not_connected"; 2]),
            (
                STALE_SECONDS + 9,
                Some(STALE_SECONDS),
                true,
                ["stale", "offline"],
            ),
            (
                STALE_SECONDS + 9,
                Some(STALE_SECONDS - 1),
                false,
                ["offline"; 2],
            ),
        ] {
            let found = statuses(created, contacted, paused);
            assert_eq!(found, expected, "{created} {contacted:?} {paused}");
        }
    }
}
