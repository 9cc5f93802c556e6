//! Job that carries out due deletions of projects and groups, in small steps in the [background](Background): other
//! writes come first.

use std::sync::Arc;
use std::time::Duration;

use api_conventions::time::{Clock, Timestamp};
use storage::StoreError;

use crate::background::Background;
use crate::database::Database;
use crate::flows::deletion::{DeletionProgress, due, run_deletion_step};

/// Interval between checks for due deletions.
const INTERVAL: Duration = Duration::from_secs(30);
/// Maximum number of rows that one transaction deletes.
const LIMIT: usize = 200;

/// Carries out due deletions periodically, until the task is dropped.
pub async fn delete_regularly(database: Arc<Database>, clock: Arc<dyn Clock>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        ticks.tick().await;
        let background = Background::new(&database);
        if let Err(error) = delete_due(&background, clock.now()).await {
            tracing::warn!(error = %error, "cannot carry out a scheduled deletion; retrying");
        }
    }
}

/// Carries out all deletions that are due at `now`.
///
/// # Errors
/// Failures of the store; rows deleted before the failure stay deleted.
pub async fn delete_due(background: &Background<'_>, now: Timestamp) -> Result<(), StoreError> {
    loop {
        let found: Result<_, StoreError> = background.read(move |tx| due(tx, now)).await;
        let found = found?;
        if found.is_empty() {
            return Ok(());
        }
        for deletion in found {
            let mut step = DeletionProgress::Incomplete;
            while step == DeletionProgress::Incomplete {
                step = background
                    .write(move |tx| run_deletion_step(tx, &deletion, LIMIT, now))
                    .await?;
            }
            tracing::info!(deletion.id = %deletion.id, "scheduled deletion completed");
        }
    }
}
