//! The cache of alert endpoints, so that an alert with a good key costs no reading of the database.

use std::sync::Arc;

use alert_intake::model::Integration;
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;
use storage::{Store as _, StoreError};

use super::epoch::Epoch;
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

/// Finds endpoints. A hit costs a probe and no work of the database.
#[derive(Debug)]
pub struct Endpoints {
    cache: Cache<EndpointName, Entry>,
    epoch: Arc<Epoch>,
}

#[derive(Debug, Clone)]
struct Entry {
    integration: Arc<Integration>,
    epoch: i64,
}

impl Endpoints {
    /// An empty cache under `epoch`.
    pub fn new(epoch: Arc<Epoch>) -> Self {
        Self {
            cache: Cache::new(CAPACITY),
            epoch,
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
        now: Timestamp,
    ) -> Result<Endpoint, StoreError> {
        let name = EndpointName {
            project: path.lookup_key(),
            identifier,
        };
        if let Some(epoch) = self.epoch.trusted(now)
            && let Some(entry) = self.cache.get(&name)
            && entry.epoch == epoch
        {
            return Ok(Endpoint::Active(entry.integration));
        }
        let (endpoint, epoch) = database
            .read(move |tx| {
                let epoch = tx.auth_epoch()?;
                let Some(project) = tx.find_project(&ProjectRef::Path(path))? else {
                    return Ok::<_, StoreError>((Endpoint::UnknownProject, epoch));
                };
                let found = tx
                    .find_integration(project.id, identifier)?
                    .filter(|found| found.active);
                Ok((
                    found.map_or(Endpoint::Inactive, |found| {
                        Endpoint::Active(Arc::new(found))
                    }),
                    epoch,
                ))
            })
            .await?;
        self.epoch.observe(epoch);
        if let Endpoint::Active(integration) = &endpoint {
            self.cache.insert(
                name,
                Entry {
                    integration: Arc::clone(integration),
                    epoch,
                },
            );
        }
        Ok(endpoint)
    }
}
