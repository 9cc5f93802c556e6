//! Readiness of the server to do its work.

use std::time::{Duration, Instant};

use storage::StoreError;
use tokio::sync::Mutex;

use crate::database::Database;

/// Time for which a health check stays valid. A check costs a commit, and anyone may request it.
const STANDS: Duration = Duration::from_secs(1);

/// The last health check of the database.
///
/// Concurrent callers wait for a running check, so that they cost at most one commit a second together.
#[derive(Debug, Default)]
pub struct Readiness {
    last: Mutex<Option<(Instant, bool)>>,
}

impl Readiness {
    /// True if the database is healthy: it accepts a write and reads it back, has the schema of this program and the
    /// files that were opened, has room on its disk, and shows no damage.
    pub async fn is_ready(&self, database: &Database) -> bool {
        let mut last = self.last.lock().await;
        if let Some((at, ready)) = *last
            && at.elapsed() < STANDS
        {
            return ready;
        }
        let proof = health_check(database).await;
        if let Err(error) = &proof {
            tracing::error!(error = %error, "not ready: the database check failed");
        }
        *last = Some((Instant::now(), proof.is_ok()));
        proof.is_ok()
    }
}

async fn health_check(database: &Database) -> Result<(), StoreError> {
    database.health_check().await?;
    let epoch: Result<i64, StoreError> = database.read_for_auth(|tx| tx.auth_epoch()).await;
    epoch.map(drop)
}
