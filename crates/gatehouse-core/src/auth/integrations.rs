//! The cache of alert endpoints, so that an alert with a good key costs no reading of the database.

use std::sync::Arc;

use accounts::Revoked;
use alert_intake::model::Integration;
use api_conventions::ids::ProjectId;
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::secret::SecretDigest;
use quick_cache::sync::Cache;
use storage::StoreError;

use super::cache_entry::{CacheEntry, ReadAt};
use super::revocations::RevocationTracker;
use crate::database::Database;

/// The number of endpoints kept.
const CAPACITY: usize = 10_000;

/// Which endpoint a URL names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct EndpointName {
    /// The project's full path, in lower case.
    project: String,
    /// The identifier of the endpoint in its project.
    identifier: &'static str,
}

/// What a URL and a key lead to.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// There is no such endpoint, or the key is not its key; which of the two is not told.
    Unknown,
    /// The key is right, and the endpoint is switched off.
    Inactive,
    /// An endpoint that takes alerts.
    Active(Arc<Integration>),
}

/// Finds endpoints. A hit with the right key costs a probe and a few loads, and no work of the database; any other request costs the same
/// queries, whatever it names, so that its time tells nothing.
#[derive(Debug)]
pub struct Endpoints {
    cache: Cache<EndpointName, CacheEntry<Arc<Integration>, 1>>,
    revocations: Arc<RevocationTracker>,
}

impl Endpoints {
    /// An empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            revocations,
        }
    }

    /// Finds the endpoint `identifier` of the project at `path`, for whoever has its key.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn find(
        &self,
        database: &Database,
        path: FullPath,
        identifier: &'static str,
        key: &SecretDigest,
    ) -> Result<Endpoint, StoreError> {
        let name = EndpointName {
            project: path.lookup_key(),
            identifier,
        };
        let entry = self.cache.get(&name);
        let entry = entry.and_then(|entry| entry.if_valid(&self.revocations));
        if let Some(found) = entry.filter(|found| found.key == *key) {
            return Ok(Endpoint::Active(found));
        }
        let read_at = ReadAt::now();
        let found: Result<Option<Integration>, StoreError> = database
            .read_for_auth(move |tx| {
                let project = tx.find_project(&ProjectRef::Path(path))?;
                // No project has this number: one that does not exist is looked for all the same.
                let project = project.map_or(ProjectId::new(0), |project| project.id);
                tx.find_integration(project, identifier)
            })
            .await;
        let found = found?;
        let nobodys = SecretDigest::from_bytes([0; 32]);
        let known = found.as_ref().map_or(nobodys, |found| found.key);
        let Some(integration) = found.filter(|_| known == *key) else {
            return Ok(Endpoint::Unknown);
        };
        if !integration.active {
            return Ok(Endpoint::Inactive);
        }
        let integration = Arc::new(integration);
        let subjects = [Revoked::Endpoint(integration.id)];
        let entry = CacheEntry::new(Arc::clone(&integration), subjects, read_at);
        self.cache.insert(name, entry);
        Ok(Endpoint::Active(integration))
    }
}
