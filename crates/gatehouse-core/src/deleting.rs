//! Job that carries out due deletions of projects, groups and users, in small steps in the [background](Background): other
//! writes come first.

use std::sync::Arc;

use accounts::UserDeletion;
use api_conventions::time::Timestamp;
use projects::ScheduledDeletion;
use storage::StoreError;

use crate::background::Background;
use crate::database::Database;
use crate::flows::delete_user::{UserDeletionProgress, run_user_deletion_step};
use crate::flows::deletion::{DeletionProgress, due, run_deletion_step};
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Maximum number of rows that one transaction deletes.
const LIMIT: usize = 200;

/// Maximum number of deletions of users that one run carries out.
const MAX_USERS: usize = 100;

/// Carries out due deletions periodically, until the task is dropped.
pub async fn delete_regularly(jobs: BackgroundJobs, database: Arc<Database>) {
    let run = async |now| {
        let background = Background::new(&database);
        let deleted = delete_due(&background, now).await;
        deleted.and(delete_users(&background, now).await)
    };
    jobs.repeat(BackgroundJob::Delete, run).await;
}

/// Carries out all deletions that are due at `now`. A deletion that fails does not keep those that are due with it.
///
/// # Errors
/// The first failure of the store, after the others were tried; rows deleted before the failure stay deleted.
pub async fn delete_due(background: &Background<'_>, now: Timestamp) -> Result<(), StoreError> {
    loop {
        let found: Result<_, StoreError> = background.read(move |tx| due(tx, now)).await;
        let found = found?;
        if found.is_empty() {
            return Ok(());
        }
        let mut outcome = Ok(());
        for deletion in found {
            let id = deletion.id;
            let carried_out = carry_out(background, deletion, now).await;
            if let Err(error) = &carried_out {
                tracing::warn!(deletion.id = %id, error = %error, "cannot carry out this deletion; retrying");
            }
            outcome = outcome.and(carried_out);
        }
        // Those that failed are due again, and would be listed again at once.
        outcome?;
    }
}

/// Carries out one deletion of a project or a group.
async fn carry_out(
    background: &Background<'_>,
    deletion: ScheduledDeletion,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut step = DeletionProgress::Incomplete;
    while step == DeletionProgress::Incomplete {
        step = background
            .write(move |tx| run_deletion_step(tx, &deletion, LIMIT, now))
            .await?;
    }
    tracing::info!(deletion.id = %deletion.id, "scheduled deletion completed");
    Ok(())
}

/// Carries out the deletions of users that are under way, as far as possible at `now`: a user is deleted after their personal
/// namespace. A deletion that fails does not keep the others.
///
/// # Errors
/// The first failure of the store, after the others were tried; rows deleted before the failure stay deleted.
pub async fn delete_users(background: &Background<'_>, now: Timestamp) -> Result<(), StoreError> {
    let found: Result<_, StoreError> = background
        .read(|tx| tx.list_user_deletions(MAX_USERS))
        .await;
    let mut outcome = Ok(());
    for deletion in found? {
        let advanced = advance_user_deletion(background, deletion, now).await;
        if let Err(error) = &advanced {
            tracing::warn!(user.id = %deletion.user_id, error = %error, "cannot delete this user; retrying");
        }
        outcome = outcome.and(advanced);
    }
    outcome
}

/// Carries out the deletion of one user as far as possible.
async fn advance_user_deletion(
    background: &Background<'_>,
    deletion: UserDeletion,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut progress = UserDeletionProgress::Incomplete;
    while progress == UserDeletionProgress::Incomplete {
        progress = background
            .write(move |tx| run_user_deletion_step(tx, deletion, LIMIT, now))
            .await?;
    }
    if progress == UserDeletionProgress::Done {
        tracing::info!(user.id = %deletion.user_id, "user deleted");
    }
    Ok(())
}
