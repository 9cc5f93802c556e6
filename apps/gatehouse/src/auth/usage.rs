//! When tokens were last used: gathered in memory and written now and then, never on the request path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api_conventions::ids::TokenId;
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::tokens::TokenCheck;
use crate::database::Database;

/// How exact the moment of last use is, in seconds. Within it, a token is noted once.
const GRAIN_SECONDS: i64 = 60;

/// How often what was gathered is written.
const INTERVAL: Duration = Duration::from_mins(1);

/// Uses that are not written yet.
#[derive(Debug)]
pub struct TokenUsage {
    noted: Cache<TokenId, Timestamp>,
    waiting: Mutex<HashMap<TokenId, Timestamp>>,
}

impl Default for TokenUsage {
    fn default() -> Self {
        Self {
            noted: Cache::new(100_000),
            waiting: Mutex::default(),
        }
    }
}

impl TokenUsage {
    /// Notes that a token was used at `now`.
    pub fn note(&self, token: TokenId, now: Timestamp) {
        let recently = |noted: Timestamp| noted.plus_seconds(GRAIN_SECONDS) > now;
        if self.noted.get(&token).is_some_and(recently) {
            return;
        }
        self.noted.insert(token, now);
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(token, now);
    }

    /// Writes what was gathered. After a failure the uses are kept for the next time.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn flush(&self, database: &Database) -> Result<(), StoreError> {
        let gathered =
            std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if gathered.is_empty() {
            return Ok(());
        }
        let used: Vec<(TokenId, Timestamp)> = gathered.into_iter().collect();
        let again = used.clone();
        let written = database.write(move |tx| tx.touch_tokens(&used)).await;
        if written.is_err() {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            for (token, at) in again {
                waiting.entry(token).or_insert(at);
            }
        }
        written
    }
}

/// Writes uses again and again, until the task is dropped.
pub async fn flush_regularly(database: Arc<Database>, tokens: Arc<TokenCheck>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        ticks.tick().await;
        if let Err(error) = tokens.usage().flush(&database).await {
            tracing::warn!(error = %error, "cannot write when tokens were last used; it is tried again");
        }
    }
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
