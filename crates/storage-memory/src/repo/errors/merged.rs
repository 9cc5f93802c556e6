//! Errors that are merged and taken apart, and what then has to be counted anew.

use std::collections::BTreeSet;

use api_conventions::ids::{ErrorId, ErrorKeyId};
use api_conventions::time::Timestamp;
use error_tracking::model::{ErrorFacts, ErrorState, TrackedError};
use storage::StoreError;

use super::{Redirect, Tables, gone};

/// What the events of some keys say together.
struct Count {
    events: i64,
    users: i64,
    first_seen: Timestamp,
    last_seen: Timestamp,
    facts: ErrorFacts,
    first_release: Option<String>,
    last_release: Option<String>,
}

impl Tables {
    /// Counts keys of an error anew; nothing where there are none.
    fn count(&self, keys: &BTreeSet<ErrorKeyId>, before: &TrackedError) -> Option<Count> {
        let rows = || keys.iter().filter_map(|key| self.keys.get(*key));
        let seen = || rows().map(|row| row.key.first_seen);
        let kept = || self.kept_of(keys.clone()).map(|row| &row.summary);
        let latest = kept().next_back();
        let mut facts = before.facts.clone();
        if let Some(latest) = latest {
            facts.title.clone_from(&latest.title);
            facts.level = latest.level;
        }
        let release = |summary: &error_tracking::model::ErrorEventSummary| summary.release.clone();
        Some(Count {
            events: rows().map(|row| row.events).sum(),
            users: self.users_of(keys),
            first_seen: seen().min()?,
            last_seen: latest.map_or(seen().max()?, |latest| latest.received_at),
            facts,
            first_release: kept().find_map(release),
            last_release: kept().rev().find_map(release),
        })
    }

    /// Moves all keys of an error to another one, which is then of both.
    pub(super) fn merge(&mut self, from: ErrorId, to: ErrorId) -> Result<TrackedError, StoreError> {
        let missing = || gone("merge errors");
        let from = self.errors.take(from).ok_or_else(missing)?;
        self.errors_by_iid.remove(&(from.project_id, from.iid));
        for redirect in self.redirects.values_mut() {
            if redirect.into == from.id {
                redirect.into = to;
            }
        }
        let redirect = Redirect {
            from: from.id,
            into: to,
        };
        self.redirects.insert((from.project_id, from.iid), redirect);
        for row in self.keys.rows_mut() {
            if row.key.error_id == from.id {
                row.key.error_id = to;
            }
        }
        let users = self.users_of(&self.key_ids_of(to));
        let to = self.errors.get_mut(to).ok_or_else(missing)?;
        let [from_is_later, from_is_earlier] = [
            from.last_seen > to.last_seen,
            from.first_seen < to.first_seen,
        ];
        to.events += from.events;
        to.users = users;
        to.first_seen = to.first_seen.min(from.first_seen);
        to.last_seen = to.last_seen.max(from.last_seen);
        if from_is_later {
            to.facts = from.facts;
        }
        let chosen = |is_from: bool, from: Option<String>, to: Option<String>| {
            let (first, second) = if is_from { (from, to) } else { (to, from) };
            first.or(second)
        };
        to.last_release = chosen(from_is_later, from.last_release, to.last_release.take());
        to.first_release = chosen(from_is_earlier, from.first_release, to.first_release.take());
        Ok(to.clone())
    }

    /// Makes a key of an error one of its own.
    pub(super) fn split(
        &mut self,
        error: &TrackedError,
        key: ErrorKeyId,
    ) -> Result<TrackedError, StoreError> {
        let mut left = self.key_ids_of(error.id);
        if !left.remove(&key) {
            return Err(gone("take a key out of an error that has it not"));
        }
        let last_key = || gone("take the last key out of an error");
        let own = self
            .count(&BTreeSet::from([key]), error)
            .ok_or_else(last_key)?;
        let other = self.count(&left, error).ok_or_else(last_key)?;
        self.errors.update(error.id, |row| {
            row.events = other.events;
            row.users = other.users;
            row.first_seen = other.first_seen;
            row.last_seen = other.last_seen;
            row.facts = other.facts;
        });
        let iid = self.reserve(error.project_id, 1);
        let made = self.errors.insert_copy(|id| TrackedError {
            id,
            iid,
            project_id: error.project_id,
            state: ErrorState::default(),
            facts: own.facts,
            first_seen: own.first_seen,
            last_seen: own.last_seen,
            events: own.events,
            users: own.users,
            first_release: own.first_release,
            last_release: own.last_release,
            regressed_at: None,
        });
        self.errors_by_iid.insert((made.project_id, iid), made.id);
        self.keys.update(key, |row| row.key.error_id = made.id);
        Ok(made)
    }
}
