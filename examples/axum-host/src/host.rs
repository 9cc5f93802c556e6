//! State that the handlers share: the store, and the endpoint that is created at the start.

use std::fmt;
use std::sync::Arc;

use alert_intake::flow::create_integration::create_integration;
use alert_intake::model::{Integration, IntegrationSettings, KEY_PREFIX, NewIntegration, Source};
use api_conventions::ids::ProjectId;
use api_conventions::secret::PlainSecret;
use api_conventions::system::{OsRandomness, SystemClock};
use api_conventions::time::Clock as _;
use storage::{StoreError, StoreExt as _};
use storage_diesel::SqliteStore;

/// The state of the server. Clones share the store.
#[derive(Clone)]
pub struct Host {
    pub(crate) store: Arc<SqliteStore>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").finish_non_exhaustive()
    }
}

impl Host {
    /// Creates a server with one endpoint, that of the project, and returns its key. The key is shown only here.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn with_project(project: ProjectId) -> Result<(Self, PlainSecret), StoreError> {
        let store = Arc::new(SqliteStore::in_memory()?);
        let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness);
        let integration = NewIntegration {
            project_id: project,
            source: Source::Generic,
            name: "Alerts".to_owned(),
            endpoint_identifier: Integration::GENERIC_IDENTIFIER.to_owned(),
            active: true,
            key: key.digest(),
            settings: IntegrationSettings::default(),
            created_at: SystemClock.now(),
        };
        store
            .change(move |tx| create_integration(tx, &integration))
            .await?;
        Ok((Self { store }, key))
    }
}
