//! Cache of live sessions, so that a page or an API call with a cookie costs no database read.

use std::sync::Arc;
use std::time::Duration;

use accounts::flow::sessions::find_live_session;
use accounts::{RevocationSubject, Session, SessionLifetime, User};
use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::StoreError;

use super::cache_entry::{CacheEntry, ReadAt};
use super::revocations::RevocationTracker;
use super::usage::LastUses;
use crate::database::Database;

/// Maximum number of cached sessions: about 30 MB when full.
const CAPACITY: usize = 50_000;

/// Maximum age of a session in the cache.
/// Every end of a session is recorded, so this bounds only how stale the user's name and the time of last use may be.
const SESSION_CACHE_TTL: Duration = Duration::from_secs(5);

/// A live session with its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveSession {
    /// The session.
    pub session: Session,
    /// The user, whose account is active.
    pub user: User,
}

/// Looks up sessions by the digests of their cookies. A hit costs one probe and a few loads.
#[derive(Debug)]
pub struct SessionCheck {
    cache: Cache<SecretDigest, CacheEntry<Arc<LiveSession>, 2>>,
    revocations: Arc<RevocationTracker>,
    usage: LastUses<SessionId>,
    lifetime: SessionLifetime,
}

impl SessionCheck {
    /// Creates an empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>, lifetime: SessionLifetime) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            revocations,
            usage: LastUses::default(),
            lifetime,
        }
    }

    /// Returns the cached session if it is live at `now`, without a database query.
    pub fn cached(&self, digest: &SecretDigest, now: Timestamp) -> Option<Arc<LiveSession>> {
        let found = self.cache.get(digest)?.if_valid(&self.revocations)?;
        (now < found.session.expires_at).then(|| {
            self.usage.note(found.session.id, now);
            found
        })
    }

    /// Looks up a session in the database, and caches it if it is live.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check(
        &self,
        database: &Database,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Result<Option<Arc<LiveSession>>, StoreError> {
        let lifetime = self.lifetime;
        let read_at = ReadAt::now();
        let found = database.read_for_auth(move |tx| find_live_session(tx, &digest, lifetime, now));
        let found: Result<Option<(Session, User)>, StoreError> = found.await;
        let Some((session, user)) = found? else {
            return Ok(None);
        };
        self.usage.note(session.id, now);
        let subjects = [
            RevocationSubject::User(user.id),
            RevocationSubject::Session(session.id),
        ];
        let found = Arc::new(LiveSession { session, user });
        let entry = CacheEntry::new(Arc::clone(&found), subjects, read_at);
        self.cache.insert(digest, entry.with_ttl(SESSION_CACHE_TTL));
        Ok(Some(found))
    }

    /// Times of last use of sessions.
    pub fn usage(&self) -> &LastUses<SessionId> {
        &self.usage
    }

    /// Lifetime of sessions.
    pub fn lifetime(&self) -> SessionLifetime {
        self.lifetime
    }
}
