//! Indexing of alerts for search, some time after they are stored, so that intake does not wait for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::{Lane, Store as _, StoreError};

use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Pause when nothing is left to index.
const IDLE: Duration = Duration::from_secs(5);
/// Length of the pause in multiples of the work, so that indexing takes at most a tenth of a core under load.
const REST: u32 = 10;

/// Indexes alerts periodically, until the task is dropped.
pub async fn prepare_regularly(jobs: BackgroundJobs, database: Arc<Database>) {
    loop {
        let started = Instant::now();
        let prepared = prepare(&database).await;
        jobs.record(BackgroundJob::IndexAlerts, &prepared);
        let rest = match prepared {
            Ok(true) => started.elapsed().saturating_mul(REST).min(IDLE),
            Ok(false) | Err(_) => IDLE,
        };
        tokio::time::sleep(rest).await;
    }
}

/// Indexes the next batch of alerts. Returns false if nothing was left to index.
/// Searches read every alert that is not indexed yet.
///
/// The texts are read and split in a read transaction, so that writers wait only while the result is written.
///
/// # Errors
/// Failures of the store.
pub async fn prepare(database: &Database) -> Result<bool, StoreError> {
    let found: Result<_, StoreError> = database
        .read(Lane::Shared, |tx| tx.find_search_part())
        .await;
    let Some(part) = found? else {
        return Ok(false);
    };
    let kept: Result<bool, StoreError> =
        database.write(move |tx| tx.insert_search_part(&part)).await;
    kept?;
    Ok(true)
}
