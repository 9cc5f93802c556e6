//! The cache of live sessions, so that a page or an API call with a cookie costs no reading of the database.

use std::sync::Arc;

use accounts::flow::sessions::find_live_session;
use accounts::{Session, SessionLifetime, User};
use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::epoch::Epoch;
use super::usage::LastUses;
use crate::database::Database;

/// The number of sessions kept: about 30 MB when full.
const CAPACITY: usize = 50_000;

/// How long a session is believed after it was read. Whatever ends one raises the epoch, so this bounds only how old
/// the user's name and the moment of last use may be.
const BELIEF_SECONDS: i64 = 5;

/// A live session and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The session.
    pub session: Session,
    /// The user, who may act.
    pub user: User,
}

/// Finds sessions by the digests of their cookies. A hit costs a probe and a few loads.
#[derive(Debug)]
pub struct SessionCheck {
    cache: Cache<SecretDigest, Entry>,
    epoch: Arc<Epoch>,
    usage: LastUses<SessionId>,
    lifetime: SessionLifetime,
}

#[derive(Debug, Clone)]
struct Entry {
    found: Arc<SignedIn>,
    epoch: i64,
    believed_until: Timestamp,
}

impl SessionCheck {
    /// An empty cache under `epoch`.
    pub fn new(epoch: Arc<Epoch>, lifetime: SessionLifetime) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            epoch,
            usage: LastUses::default(),
            lifetime,
        }
    }

    /// The session that is known to be alive at `now`, without asking the database.
    pub fn cached(&self, digest: &SecretDigest, now: Timestamp) -> Option<Arc<SignedIn>> {
        let epoch = self.epoch.trusted(now)?;
        let entry = self.cache.get(digest)?;
        let good = entry.epoch == epoch && now < entry.believed_until;
        good.then(|| {
            self.usage.note(entry.found.session.id, now);
            entry.found
        })
    }

    /// Looks a session up in the database and keeps it when it is alive.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check(
        &self,
        database: &Database,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Result<Option<Arc<SignedIn>>, StoreError> {
        let lifetime = self.lifetime;
        // The epoch is read in the transaction that reads the session, so the stamp can never be newer than what was
        // read.
        let (found, epoch) = database
            .read(move |tx| {
                let found = find_live_session(tx, &digest, lifetime, now)?;
                Ok::<_, StoreError>((found, tx.auth_epoch()?))
            })
            .await?;
        self.epoch.observe(epoch);
        let Some((session, user)) = found else {
            return Ok(None);
        };
        self.usage.note(session.id, now);
        let believed_until = now.plus_seconds(BELIEF_SECONDS).min(session.expires_at);
        let found = Arc::new(SignedIn { session, user });
        let entry = Entry {
            found: Arc::clone(&found),
            epoch,
            believed_until,
        };
        self.cache.insert(digest, entry);
        Ok(Some(found))
    }

    /// When sessions were last used.
    pub fn usage(&self) -> &LastUses<SessionId> {
        &self.usage
    }

    /// How long sessions live.
    pub fn lifetime(&self) -> SessionLifetime {
        self.lifetime
    }
}
