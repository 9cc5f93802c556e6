//! The cache of alert endpoints, so that an alert with a good key costs no reading of the database.

use std::sync::Arc;

use accounts::Revoked;
use alert_intake::model::Integration;
use api_conventions::reference::{FullPath, ProjectRef};
use quick_cache::sync::Cache;
use storage::StoreError;

use super::kept::{Kept, ReadAt};
use super::trust::Trust;
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

/// What a URL leads to.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// No such project.
    UnknownProject,
    /// The project has no active endpoint of this name.
    Inactive,
    /// An endpoint that takes alerts.
    Active(Arc<Integration>),
}

/// Finds endpoints. A hit costs a probe and a few loads, and no work of the database.
#[derive(Debug)]
pub struct Endpoints {
    cache: Cache<EndpointName, Kept<Arc<Integration>, 1>>,
    trust: Arc<Trust>,
}

impl Endpoints {
    /// An empty cache, trusted by `trust`.
    pub fn new(trust: Arc<Trust>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            trust,
        }
    }

    /// Finds the endpoint `identifier` of the project at `path`.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn find(
        &self,
        database: &Database,
        path: FullPath,
        identifier: &'static str,
    ) -> Result<Endpoint, StoreError> {
        let name = EndpointName {
            project: path.lookup_key(),
            identifier,
        };
        let kept = self.cache.get(&name);
        if let Some(found) = kept.and_then(|kept| kept.trusted(&self.trust)) {
            return Ok(Endpoint::Active(found));
        }
        let read_at = ReadAt::now();
        let endpoint = database
            .read_for_auth(move |tx| {
                let Some(project) = tx.find_project(&ProjectRef::Path(path))? else {
                    return Ok::<_, StoreError>(Endpoint::UnknownProject);
                };
                let found = tx
                    .find_integration(project.id, identifier)?
                    .filter(|found| found.active);
                Ok(found.map_or(Endpoint::Inactive, |found| {
                    Endpoint::Active(Arc::new(found))
                }))
            })
            .await?;
        if let Endpoint::Active(integration) = &endpoint {
            let subjects = [Revoked::Endpoint(integration.id)];
            let kept = Kept::new(Arc::clone(integration), subjects, read_at);
            self.cache.insert(name, kept);
        }
        Ok(endpoint)
    }
}
