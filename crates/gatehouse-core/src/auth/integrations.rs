//! Cache of alert endpoints, so that an alert with a valid key costs no database read.

use std::sync::Arc;

use accounts::RevocationSubject;
use alert_intake::flow::authorize::{self, KeyOutcome, verify_key};
use alert_intake::model::Integration;
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::StoreError;

use super::cache_entry::{CacheEntry, ReadAt};
use super::revocations::RevocationTracker;
use crate::database::Database;

/// Maximum number of cached endpoints.
const CAPACITY: usize = 10_000;

/// The endpoint that a URL names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct EndpointName {
    /// Full path of the project, in lower case.
    project: String,
    /// Identifier of the endpoint in its project.
    identifier: String,
}

/// Result of looking up an endpoint by its URL and key.
pub type EndpointLookup = KeyOutcome<Arc<Integration>>;

/// Looks up alert endpoints.
/// A hit with the right key costs one probe and a few loads, without the database. Every other request costs the same
/// queries, whatever it names, so its response time reveals nothing.
#[derive(Debug)]
pub struct Endpoints {
    cache: Cache<EndpointName, CacheEntry<Arc<Integration>, 2>>,
    revocations: Arc<RevocationTracker>,
}

impl Endpoints {
    /// Creates an empty cache, invalidated by `revocations`.
    pub fn new(revocations: Arc<RevocationTracker>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            revocations,
        }
    }

    /// Finds the endpoint `identifier` of the project at `path`, if the caller has a key of it that is valid at `now`.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn find(
        &self,
        database: &Database,
        path: FullPath,
        identifier: &str,
        key: &SecretDigest,
        now: Timestamp,
    ) -> Result<EndpointLookup, StoreError> {
        let name = EndpointName {
            project: path.lookup_key(),
            identifier: identifier.to_owned(),
        };
        let entry = self.cache.get(&name);
        let entry = entry.and_then(|entry| entry.if_valid(&self.revocations));
        if let Some(found) = entry.filter(|found| found.accepts(key, now)) {
            return Ok(EndpointLookup::Authorized(found));
        }
        let read_at = ReadAt::now();
        let identifier = name.identifier.clone();
        let found: Result<Option<Integration>, StoreError> = database
            .read_for_auth(move |tx| {
                let project = tx.find_project(&ProjectRef::Path(path))?;
                authorize::find(tx, project.map(|project| project.id), &identifier)
            })
            .await;
        let integration = match verify_key(found?.map(Arc::new), Some(key), now) {
            KeyOutcome::Authorized(integration) => integration,
            other => return Ok(other),
        };
        let subjects = [
            RevocationSubject::Endpoint(integration.id),
            RevocationSubject::Paths,
        ];
        let entry = CacheEntry::new(Arc::clone(&integration), subjects, read_at);
        self.cache.insert(name, entry);
        Ok(EndpointLookup::Authorized(integration))
    }
}
