//! Preparing alerts for searches, some time after they were stored, so that intake does not wait for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use storage::{Lane, Store as _, StoreError};

use crate::database::Database;

/// How long to wait when nothing is left to prepare.
const IDLE: Duration = Duration::from_secs(5);
/// How much longer than the work the rest after it is, so that a server under load gives it a tenth of a core at most.
const REST: u32 = 10;

/// Prepares alerts for searches again and again, until the task is dropped.
pub async fn prepare_regularly(database: Arc<Database>) {
    loop {
        let started = Instant::now();
        let rest = match prepare(&database).await {
            Ok(true) => started.elapsed().saturating_mul(REST).min(IDLE),
            Ok(false) => IDLE,
            Err(error) => {
                tracing::warn!(error = %error, "cannot prepare alerts for searches, will retry");
                IDLE
            }
        };
        tokio::time::sleep(rest).await;
    }
}

/// Prepares the alerts that wait for it most. Whether there were any: searches over what is left read every alert.
///
/// The texts are read and taken apart in a read transaction, so that writers wait only while the outcome is written.
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
