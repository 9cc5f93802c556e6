//! The cache of applications, so that a client that proves itself costs no reading of the database.

use std::sync::Arc;

use accounts::Revoked;
use api_conventions::secret::PlainSecret;
use oauth_provider::flow::client::{ClientOutcome, judge_client};
use oauth_provider::{Application, ApplicationUid};
use quick_cache::sync::Cache;
use storage::StoreError;

use super::kept::{Kept, ReadAt};
use super::trust::Trust;
use crate::database::Database;

/// The number of applications kept.
const CAPACITY: usize = 10_000;

/// Finds applications. A hit costs a probe and a few loads, and no work of the database.
#[derive(Debug)]
pub struct Clients {
    cache: Cache<ApplicationUid, Kept<Arc<Application>, 1>>,
    trust: Arc<Trust>,
}

impl Clients {
    /// An empty cache, trusted by `trust`.
    pub fn new(trust: Arc<Trust>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            trust,
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
    ) -> Result<ClientOutcome<Arc<Application>>, StoreError> {
        let found = match ApplicationUid::parse(uid) {
            Some(uid) => self.find(database, uid).await?,
            None => None,
        };
        Ok(judge_client(found, secret))
    }

    async fn find(
        &self,
        database: &Database,
        uid: ApplicationUid,
    ) -> Result<Option<Arc<Application>>, StoreError> {
        let kept = self.cache.get(&uid);
        if let Some(found) = kept.and_then(|kept| kept.trusted(&self.trust)) {
            return Ok(Some(found));
        }
        let read_at = ReadAt::now();
        let wanted = uid.clone();
        let found = database.read_for_auth(move |tx| tx.find_application_by_uid(&wanted));
        let found: Result<Option<Application>, StoreError> = found.await;
        let Some(application) = found?.map(Arc::new) else {
            return Ok(None);
        };
        let subjects = [Revoked::Application(application.id)];
        let kept = Kept::new(Arc::clone(&application), subjects, read_at);
        self.cache.insert(uid, kept);
        Ok(Some(application))
    }
}
