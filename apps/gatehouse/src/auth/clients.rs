//! The cache of applications, so that a client that proves itself costs no reading of the database.

use std::sync::Arc;

use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::client::{ClientOutcome, judge_client};
use oauth_provider::{Application, ApplicationUid};
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::epoch::Epoch;
use crate::database::Database;

/// The number of applications kept.
const CAPACITY: usize = 10_000;

/// Finds applications. A hit costs a probe and no work of the database. Every change of an application raises the
/// authentication epoch, under which the entries are trusted.
#[derive(Debug)]
pub struct Clients {
    cache: Cache<ApplicationUid, Entry>,
    epoch: Arc<Epoch>,
}

#[derive(Debug, Clone)]
struct Entry {
    application: Arc<Application>,
    epoch: i64,
}

impl Clients {
    /// An empty cache under `epoch`.
    pub fn new(epoch: Arc<Epoch>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            epoch,
        }
    }

    /// Finds the application `uid` and judges the secret that was sent.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn authenticate(
        &self,
        database: &Database,
        uid: &str,
        secret: Option<&PlainSecret>,
        now: Timestamp,
    ) -> Result<ClientOutcome<Arc<Application>>, StoreError> {
        let found = match ApplicationUid::parse(uid) {
            Some(uid) => self.find(database, uid, now).await?,
            None => None,
        };
        Ok(judge_client(found, secret))
    }

    async fn find(
        &self,
        database: &Database,
        uid: ApplicationUid,
        now: Timestamp,
    ) -> Result<Option<Arc<Application>>, StoreError> {
        if let Some(epoch) = self.epoch.trusted(now)
            && let Some(entry) = self.cache.get(&uid)
            && entry.epoch == epoch
        {
            return Ok(Some(entry.application));
        }
        let wanted = uid.clone();
        let (found, epoch) = database
            .read(move |tx| {
                let epoch = tx.auth_epoch()?;
                Ok::<_, StoreError>((tx.find_application_by_uid(&wanted)?, epoch))
            })
            .await?;
        self.epoch.observe(epoch);
        let Some(application) = found.map(Arc::new) else {
            return Ok(None);
        };
        let entry = Entry {
            application: Arc::clone(&application),
            epoch,
        };
        self.cache.insert(uid, entry);
        Ok(Some(application))
    }
}
