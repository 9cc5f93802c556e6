//! Cache of OAuth applications, so that authenticating a client costs no database read.

use std::sync::Arc;

use accounts::RevocationSubject;
use api_conventions::secret::PlainSecret;
use oauth_provider::flow::client::{ClientOutcome, verify_client};
use oauth_provider::{Application, ApplicationUid};
use quick_cache::sync::Cache;
use storage::StoreError;

use super::cache_entry::{CacheEntry, ReadAt};
use super::revocations::RevocationTracker;
use crate::database::Database;

/// Maximum number of cached applications.
const CAPACITY: usize = 10_000;

/// Looks up applications. A hit costs one probe and a few loads, without the database.
#[derive(Debug)]
pub struct Clients {
    cache: Cache<ApplicationUid, CacheEntry<Arc<Application>, 1>>,
    revocations: Arc<RevocationTracker>,
}

impl Clients {
    /// Creates an empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            revocations,
        }
    }

    /// Finds the application `uid` and verifies the client secret.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn authenticate(
        &self,
        database: &Database,
        uid: &str,
        secret: Option<&PlainSecret>,
    ) -> Result<ClientOutcome<Arc<Application>>, StoreError> {
        let found = match ApplicationUid::parse(uid) {
            Some(uid) => self.find(database, uid).await?,
            None => None,
        };
        Ok(verify_client(found, secret))
    }

    async fn find(
        &self,
        database: &Database,
        uid: ApplicationUid,
    ) -> Result<Option<Arc<Application>>, StoreError> {
        let entry = self.cache.get(&uid);
        if let Some(found) = entry.and_then(|entry| entry.if_valid(&self.revocations)) {
            return Ok(Some(found));
        }
        let read_at = ReadAt::now();
        let wanted = uid.clone();
        let found = database.read_for_auth(move |tx| tx.find_application_by_uid(&wanted));
        let found: Result<Option<Application>, StoreError> = found.await;
        let Some(application) = found?.map(Arc::new) else {
            return Ok(None);
        };
        let subjects = [RevocationSubject::Application(application.id)];
        let entry = CacheEntry::new(Arc::clone(&application), subjects, read_at);
        self.cache.insert(uid, entry);
        Ok(Some(application))
    }
}
