//! Last use of tokens and sessions: collected in memory and flushed periodically, never on the request path.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use api_conventions::ids::{SessionId, TokenId};
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::sessions::SessionCheck;
use super::tokens::TokenCheck;
use crate::database::{Database, WriteTransaction};
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Granularity of the time of last use, in seconds. Further uses within it are not recorded.
const GRAIN_SECONDS: i64 = 60;

/// Maximum number of ids that are remembered as recently recorded.
const CAPACITY: usize = 100_000;

/// An id of a credential whose last use is recorded.
pub trait TracksLastUse: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// Stores the times of last use of these credentials.
    ///
    /// # Errors
    /// Failures of the store.
    fn touch(tx: &mut dyn WriteTransaction, used: &[(Self, Timestamp)]) -> Result<(), StoreError>;
}

impl TracksLastUse for TokenId {
    fn touch(tx: &mut dyn WriteTransaction, used: &[(Self, Timestamp)]) -> Result<(), StoreError> {
        tx.touch_tokens(used)
    }
}

impl TracksLastUse for SessionId {
    fn touch(tx: &mut dyn WriteTransaction, used: &[(Self, Timestamp)]) -> Result<(), StoreError> {
        tx.touch_sessions(used)
    }
}

/// Uses that are not stored yet.
#[derive(Debug)]
pub struct LastUses<I> {
    noted: Cache<I, Timestamp>,
    waiting: Mutex<HashMap<I, Timestamp>>,
}

/// Uses of personal access tokens.
pub type TokenUsage = LastUses<TokenId>;

impl<I: TracksLastUse> Default for LastUses<I> {
    fn default() -> Self {
        Self {
            noted: Cache::new(CAPACITY),
            waiting: Mutex::default(),
        }
    }
}

impl<I: TracksLastUse> LastUses<I> {
    /// Records that a credential was used at `now`.
    pub fn note(&self, id: I, now: Timestamp) {
        let recently = |noted: Timestamp| noted.plus_seconds(GRAIN_SECONDS) > now;
        if self.noted.get(&id).is_some_and(recently) {
            return;
        }
        self.noted.insert(id, now);
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, now);
    }

    /// Stores the collected uses. After a failure they are kept for the next flush.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn flush(&self, database: &Database) -> Result<(), StoreError> {
        let gathered =
            std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if gathered.is_empty() {
            return Ok(());
        }
        let used: Vec<(I, Timestamp)> = gathered.into_iter().collect();
        let again = used.clone();
        let written = database.write(move |tx| I::touch(tx, &used)).await;
        if written.is_err() {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            for (id, at) in again {
                waiting.entry(id).or_insert(at);
            }
        }
        written
    }
}

/// Flushes all collected uses. After a failure they are kept for the next flush.
///
/// # Errors
/// The first failure of the store, after the others were tried.
pub async fn flush(
    database: &Database,
    tokens: &TokenCheck,
    sessions: &SessionCheck,
) -> Result<(), StoreError> {
    let of_tokens = tokens.usage().flush(database).await;
    of_tokens.and(sessions.usage().flush(database).await)
}

/// Flushes uses periodically, until the task is dropped.
pub async fn flush_regularly(
    jobs: BackgroundJobs,
    database: Arc<Database>,
    tokens: Arc<TokenCheck>,
    sessions: Arc<SessionCheck>,
) {
    let run = async |_| flush(&database, &tokens, &sessions).await;
    jobs.repeat(BackgroundJob::SaveUsage, run).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_noted_once_a_minute() {
        let usage = TokenUsage::default();
        let token = TokenId::new(1);
        let start = Timestamp::from_micros(0).unwrap();
        let waiting = |usage: &TokenUsage| usage.waiting.lock().unwrap().remove(&token);
        usage.note(token, start);
        assert_eq!(waiting(&usage), Some(start));
        usage.note(token, start.plus_seconds(59));
        assert_eq!(waiting(&usage), None);
        usage.note(token, start.plus_seconds(60));
        assert_eq!(waiting(&usage), Some(start.plus_seconds(60)));
    }
}
