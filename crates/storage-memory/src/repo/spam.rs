//! The log of spam.

use std::ops::Deref;

use api_conventions::ids::{SpamLogId, UserId};
use api_conventions::time::Timestamp;
use projects::model::MAX_HELD;
use projects::{NewSpamLog, SpamLog, SpamQueries, SpamRepository};
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::Table;

/// The entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    logs: Table<SpamLogId, SpamLog>,
}

impl Tables {
    /// Those that match, the one that was held last first.
    fn list(&self, matches: impl Fn(&SpamLog) -> bool) -> Vec<SpamLog> {
        let logs = self.logs.rows().filter(|log| matches(log));
        let mut logs: Vec<SpamLog> = logs.cloned().collect();
        logs.sort_by_key(|log| (log.last_at, log.id));
        logs.reverse();
        logs
    }

    /// Deletes these, and gives how many they are.
    fn delete<'l>(&mut self, logs: impl Iterator<Item = &'l SpamLog>) -> usize {
        logs.filter(|log| self.logs.remove(log.id)).count()
    }
}

impl<S: Deref<Target = State>> SpamQueries for MemoryTx<S> {
    fn find_spam_log(&mut self, id: SpamLogId) -> Result<Option<SpamLog>, StoreError> {
        Ok(self.0.spam.logs.get(id).cloned())
    }

    fn list_spam_logs(&mut self, limit: usize) -> Result<Vec<SpamLog>, StoreError> {
        let mut logs = self.0.spam.list(|_| true);
        logs.truncate(limit);
        Ok(logs)
    }
}

impl SpamRepository for MemoryWriteTx<'_> {
    fn hold_as_spam(&mut self, new: &NewSpamLog) -> Result<SpamLog, StoreError> {
        let spam = &mut self.0.spam;
        let is_it = |log: &SpamLog| (log.user_id, log.digest) == (new.user_id, new.digest);
        let known = spam.logs.rows().find(|log| is_it(log)).map(|log| log.id);
        let Some(id) = known else {
            return Ok(spam.logs.insert_copy(|id| new.stored(id)));
        };
        let gone = || StoreError::inconsistent("spam_logs", id.get(), "gone while it was held");
        let log = spam.logs.get_mut(id).ok_or_else(gone)?;
        log.held = (log.held + 1).min(MAX_HELD);
        log.reason = new.reason;
        log.last_at = log.last_at.max(new.now);
        Ok(log.clone())
    }

    fn trim_spam_logs(&mut self, user: UserId, keep: usize) -> Result<usize, StoreError> {
        let its = self.0.spam.list(|log| log.user_id == user);
        Ok(self.0.spam.delete(its.iter().skip(keep)))
    }

    fn note_solved(&mut self, id: SpamLogId, at: Timestamp) -> Result<bool, StoreError> {
        let log = self.0.spam.logs.get_mut(id);
        Ok(log.map(|log| log.solved_at = Some(at)).is_some())
    }

    fn delete_spam_logs_before(
        &mut self,
        last_at: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let old = self.0.spam.list(|log| log.last_at < last_at);
        Ok(self.0.spam.delete(old.iter().rev().take(limit)))
    }
}
