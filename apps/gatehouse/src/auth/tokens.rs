//! The cache of good access tokens.

use std::sync::Arc;

use accounts::flow::authenticate::{Authentication, AuthenticationOutcome, authenticate};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::epoch::Epoch;
use super::usage::TokenUsage;
use crate::database::Database;

/// The number of tokens kept: about 30 MB when full.
const CAPACITY: usize = 100_000;

/// Checks access tokens. A hit costs a digest, a probe and two loads, and no work of the database.
#[derive(Debug)]
pub struct TokenCheck {
    cache: Cache<SecretDigest, Entry>,
    epoch: Arc<Epoch>,
    usage: TokenUsage,
}

#[derive(Debug, Clone)]
struct Entry {
    authentication: Arc<Authentication>,
    epoch: i64,
}

impl TokenCheck {
    /// An empty cache under `epoch`.
    pub fn new(epoch: Arc<Epoch>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            epoch,
            usage: TokenUsage::default(),
        }
    }

    /// The authentication of a token that is known to be good at `now`, without asking the database.
    pub fn cached(&self, digest: &SecretDigest, now: Timestamp) -> Option<Arc<Authentication>> {
        let epoch = self.epoch.trusted(now)?;
        let entry = self.cache.get(digest)?;
        let good = entry.epoch == epoch && now < entry.authentication.expires_at;
        good.then(|| {
            self.usage.note(entry.authentication.token_id, now);
            entry.authentication
        })
    }

    /// Judges a token in the database and keeps it when it is good.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check(
        &self,
        database: &Database,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Result<AuthenticationOutcome, StoreError> {
        // The epoch is read in the transaction that reads the token, so the stamp can never be newer than what
        // was read.
        let (outcome, epoch) = database
            .read(move |tx| {
                Ok::<_, StoreError>((authenticate(tx, &digest, now)?, tx.auth_epoch()?))
            })
            .await?;
        self.epoch.observe(epoch);
        if let AuthenticationOutcome::Authenticated(authentication) = &outcome {
            self.usage.note(authentication.token_id, now);
            let authentication = Arc::new(authentication.as_ref().clone());
            self.cache.insert(
                digest,
                Entry {
                    authentication,
                    epoch,
                },
            );
        }
        Ok(outcome)
    }

    /// When tokens were last used.
    pub fn usage(&self) -> &TokenUsage {
        &self.usage
    }
}
