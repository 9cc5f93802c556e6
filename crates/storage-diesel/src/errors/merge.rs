//! Merging and splitting of errors: keys move, and the counters are recomputed.

use error_tracking::model::{ErrorState, TrackedError};
use error_tracking::rules::status::Status;

/// Returns `to` after it received all keys of `from`.
/// `users` is the number of users of both.
pub(super) fn merged(from: &TrackedError, to: &TrackedError, users: i64) -> TrackedError {
    let later = if from.last_seen > to.last_seen {
        from
    } else {
        to
    };
    let (first, second) = if from.first_seen < to.first_seen {
        (from, to)
    } else {
        (to, from)
    };
    let earlier = if std::ptr::eq(later, from) { to } else { from };
    TrackedError {
        facts: later.facts.clone(),
        first_seen: first.first_seen,
        last_seen: later.last_seen,
        events: from.events + to.events,
        users,
        first_release: first
            .first_release
            .clone()
            .or_else(|| second.first_release.clone()),
        last_release: later
            .last_release
            .clone()
            .or_else(|| earlier.last_release.clone()),
        ..to.clone()
    }
}

/// Returns an unresolved error that begins with a key of `error`.
/// The caller computes its counters.
pub(super) fn split(error: &TrackedError) -> TrackedError {
    TrackedError {
        state: ErrorState {
            status: Status::Unresolved,
            ..ErrorState::default()
        },
        regressed_at: None,
        ..error.clone()
    }
}
