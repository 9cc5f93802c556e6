//! Job that carries out deletions of images in the container registry.

use std::sync::Arc;
use std::time::Duration;

use api_conventions::time::{Clock, Timestamp};
use projects::{ImageCleanup, ImageSelection};
use storage::StoreError;

use crate::background::Background;
use crate::container_registry::{ContainerRegistry, RegistryFailure};
use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Interval between checks for due deletions, unless one is stored by this process.
const INTERVAL: Duration = Duration::from_secs(30);
/// Time in seconds after which another process carries out a deletion that one began: more than an operation may take.
const LEASE_SECONDS: i64 = 900;
/// Time in seconds after which a failed deletion is repeated.
const RETRY_SECONDS: i64 = 300;
/// Time in seconds after which a failing deletion by a rule is given up: a day.
const GIVE_UP_SECONDS: i64 = 86_400;

/// Carries out deletions of images periodically, until the task is dropped.
pub async fn clean_images_regularly(
    jobs: BackgroundJobs,
    database: Arc<Database>,
    registry: Arc<ContainerRegistry>,
    clock: Arc<dyn Clock>,
) {
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = registry.cleanup_stored() => {}
        }
        let background = Background::new(&database);
        let cleaned = clean_due_images(&background, &registry, clock.as_ref()).await;
        jobs.record(BackgroundJob::CleanImages, &cleaned);
    }
}

/// Carries out all deletions of images that are due. Two processes never carry out the same one at the same time.
///
/// # Errors
/// Failures of the store. A failure of the registry postpones the deletion.
pub async fn clean_due_images(
    background: &Background<'_>,
    registry: &ContainerRegistry,
    clock: &dyn Clock,
) -> Result<(), StoreError> {
    while let Some(cleanup) = lease(background, clock.now()).await? {
        let outcome = registry.clean_up(cleanup.clone(), clock.now()).await;
        finish(background, cleanup, outcome, clock.now()).await?;
    }
    Ok(())
}

/// Reserves the deletion that is due first for this process. `None` if none is due.
async fn lease(
    background: &Background<'_>,
    now: Timestamp,
) -> Result<Option<ImageCleanup>, StoreError> {
    loop {
        let due = background.read(move |tx| tx.find_due_image_cleanup(now));
        let due: Option<ImageCleanup> = due.await?;
        let Some(mut due) = due else {
            return Ok(None);
        };
        let (until, found) = (Some(now.plus_seconds(LEASE_SECONDS)), due.clone());
        let lease = background.write(move |tx| tx.reschedule_image_cleanup(&found, until));
        let is_leased: Result<bool, StoreError> = lease.await;
        if is_leased? {
            due.due_at = until;
            return Ok(Some(due));
        }
    }
}

/// Stores the outcome of a deletion.
async fn finish(
    background: &Background<'_>,
    cleanup: ImageCleanup,
    outcome: Result<usize, RegistryFailure>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let name = cleanup.name.clone();
    let is_done = match outcome {
        Ok(deleted) => {
            tracing::info!(image.name = %name, image.tags = deleted, "images deleted");
            true
        }
        Err(error) => {
            let given_up = cleanup.selection != ImageSelection::All
                && cleanup.requested_at.plus_seconds(GIVE_UP_SECONDS) < now;
            let text = "cannot delete images in the container registry";
            tracing::warn!(image.name = %name, error = %error, given_up, "{text}");
            given_up
        }
    };
    let stored = background.write(move |tx| {
        if !is_done {
            let later = Some(now.plus_seconds(RETRY_SECONDS));
            return tx.reschedule_image_cleanup(&cleanup, later).map(drop);
        }
        match cleanup.selection {
            // The name is free from now on.
            ImageSelection::All => tx.delete_image_cleanup(&cleanup.name).map(drop),
            ImageSelection::Rule(_) => tx.reschedule_image_cleanup(&cleanup, None).map(drop),
        }
    });
    stored.await
}
