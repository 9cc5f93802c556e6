//! Recently limited callers, in bounded memory.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use api_conventions::time::Timestamp;

use super::windows::CallerKey;
use crate::config::RequestLimit;

/// Maximum number of rows: one for each caller and limit.
pub const MAX_LIMITED: usize = 100;

/// Caller who exceeded a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitedCaller {
    /// The caller.
    pub caller: CallerKey,
    /// Username at the first of these refusals; `None` for an address.
    pub username: Option<String>,
    /// The limit.
    pub limit: RequestLimit,
    /// Refused requests since the row was created.
    pub refused: u64,
    /// Time of the latest refusal.
    pub last_at: Timestamp,
}

/// The limited callers, those with the latest refusal first.
#[derive(Debug, Default)]
pub(super) struct LimitedCallers(Mutex<VecDeque<LimitedCaller>>);

impl LimitedCallers {
    /// Adds a refusal to the row of its caller and limit, and moves the row to the front.
    pub(super) fn note(
        &self,
        limit: RequestLimit,
        caller: CallerKey,
        username: Option<&str>,
        now: Timestamp,
    ) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |row: &LimitedCaller| row.caller == caller && row.limit == limit;
        let at = rows.iter().position(is_same);
        let found = at.and_then(|at| rows.remove(at));
        let refused = found.as_ref().map_or(0, |row| row.refused);
        // The username of a known row is kept, so that a flood of refusals allocates nothing.
        let known = found.and_then(|row| row.username);
        rows.push_front(LimitedCaller {
            caller,
            username: known.or_else(|| username.map(str::to_owned)),
            limit,
            refused: refused + 1,
            last_at: now,
        });
        rows.truncate(MAX_LIMITED);
    }

    /// Returns all rows, newest first.
    pub(super) fn list(&self) -> Vec<LimitedCaller> {
        let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::UserId;

    use super::*;

    #[test]
    fn the_latest_refusals_come_first_and_the_oldest_rows_are_dropped() {
        let callers = LimitedCallers::default();
        let at = |second| Timestamp::from_micros(second * 1_000_000).unwrap();
        let user = |id| CallerKey::User(UserId::new(id));
        for id in 1..=101 {
            callers.note(RequestLimit::Search, user(id), Some("ann"), at(id));
        }
        callers.note(RequestLimit::Search, user(50), Some("ann"), at(200));
        callers.note(RequestLimit::JobList, user(50), Some("ann"), at(201));
        let rows = callers.list();
        assert_eq!(rows.len(), MAX_LIMITED);
        let short = |row: &LimitedCaller| (row.limit, row.caller, row.refused, row.last_at);
        assert_eq!(
            rows.iter().take(3).map(short).collect::<Vec<_>>(),
            [
                (RequestLimit::JobList, user(50), 1, at(201)),
                (RequestLimit::Search, user(50), 2, at(200)),
                (RequestLimit::Search, user(101), 1, at(101)),
            ]
        );
        assert!(rows.iter().all(|row| row.caller != user(2)));
    }
}
