//! Errors, keys and events as they come.

use api_conventions::ids::ErrorKeyId;
use error_tracking::model::{ErrorEventSummary, ErrorKey, ErrorState, TrackedError, UserMark};
use error_tracking::store::{KnownError, NewError, NewErrorEvent};
use storage::StoreError;

use super::{EventRow, KeyRow, Tables};
use crate::repo::conflict;

impl Tables {
    /// The error that has a key, of so many.
    pub(super) fn known(&self, row: &KeyRow, keys: i64) -> Option<KnownError> {
        let error = self.errors.get(row.key.error_id)?;
        Some(KnownError {
            project_id: row.project_id,
            key: row.key.key,
            key_id: row.key.id,
            error_id: error.id,
            iid: error.iid,
            keys,
            status: error.state.status.clone(),
            events: error.events,
            users: error.users,
            key_events: row.events,
            key_kept: row.kept,
        })
    }

    pub(super) fn insert_error(&mut self, new: &NewError) -> Result<ErrorKeyId, StoreError> {
        if self.error_at(new.project_id, new.iid).is_some() {
            return Err(conflict("insert an error whose number exists"));
        }
        let digest = (new.project_id, new.key.key);
        if self.keys_by_digest.contains_key(&digest) {
            return Err(conflict("insert an error whose key another one has"));
        }
        let error_id = self.errors.insert(|id| TrackedError {
            id,
            iid: new.iid,
            project_id: new.project_id,
            state: ErrorState::default(),
            facts: new.facts.clone(),
            first_seen: new.first_seen,
            last_seen: new.first_seen,
            events: 0,
            users: 0,
            first_release: new.release.clone(),
            last_release: new.release.clone(),
            regressed_at: None,
        });
        self.errors_by_iid
            .insert((new.project_id, new.iid), error_id);
        let key_id = self.keys.insert(|id| KeyRow {
            project_id: new.project_id,
            key: ErrorKey {
                id,
                error_id,
                key: new.key.key,
                explanation: new.key.explanation.clone(),
                first_seen: new.first_seen,
            },
            events: 0,
            kept: 0,
        });
        self.keys_by_digest.insert(digest, key_id);
        Ok(key_id)
    }

    pub(super) fn insert_event(&mut self, new: &NewErrorEvent<'_>) -> Result<(), StoreError> {
        let event = new.event;
        let event_id = (new.project_id, event.id);
        if self.events_by_id.contains_key(&event_id) {
            return Err(conflict("insert an event that exists"));
        }
        let id = self.events.insert(|id| EventRow {
            project_id: new.project_id,
            number: new.number,
            summary: ErrorEventSummary {
                id,
                key_id: new.key_id,
                event_id: event.id,
                received_at: event.received_at,
                occurred_at: event.occurred_at,
                title: event.facts.title.clone(),
                level: event.facts.level,
                release: event.release.clone(),
                environment: event.environment.clone(),
            },
            kept: Some(event.kept.clone()),
            shared: event.shared.as_ref().map(|part| part.packed().into_owned()),
        });
        self.events_by_id.insert(event_id, id);
        Ok(())
    }

    /// Whether a user has seen the error that a key is of, by any key of it.
    pub(super) fn has_seen(&self, key: ErrorKeyId, user: UserMark) -> bool {
        let error = self.keys.get(key).map(|row| row.key.error_id);
        let keys = error.map(|error| self.key_ids_of(error));
        let keys = keys.unwrap_or_default();
        keys.into_iter()
            .any(|key| self.users.contains(&(key, user)))
    }
}
