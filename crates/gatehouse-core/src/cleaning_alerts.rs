//! Cleanup of resolved alerts and of receipts that are older than they are kept. Open alerts, ignored ones included, are
//! kept for as long as they are open.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::background::Background;
use crate::cleaning::repeat;
use crate::database::ReadTransaction;
use crate::flows::delete_alerts::delete_resolved_alerts;

/// Maximum number of alerts, and of rows of each kind that refer to them, that one transaction deletes.
const LIMIT: usize = 200;
/// Projects that one query examines.
const PROJECTS_AT_ONCE: usize = 200;
const DAY: i64 = 86_400;

/// Time for which alerts and receipts are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertRetention {
    /// Days for which resolved alerts are kept after their last change; 0 for ever.
    pub alert_days: u32,
    /// Days for which receipts are kept, of stored and of refused deliveries; 0 for ever.
    pub receipt_days: u32,
}

impl AlertRetention {
    /// Time before which rows that are kept for a number of days are deleted; `None` if they are kept for ever.
    fn end(now: Timestamp, days: u32) -> Option<Timestamp> {
        (days > 0).then(|| now.plus_seconds(-DAY * i64::from(days)))
    }
}

/// Deletes the resolved alerts and the receipts of all projects that are no longer kept at `now`, in small steps.
///
/// # Errors
/// The first failure of the store, after all projects were tried; rows deleted before the failure stay deleted.
pub async fn clean_alerts(
    background: &Background<'_>,
    now: Timestamp,
    retention: AlertRetention,
) -> Result<(), StoreError> {
    let alerts = match AlertRetention::end(now, retention.alert_days) {
        Some(before) => clean_resolved(background, before).await,
        None => Ok(()),
    };
    let receipts = match AlertRetention::end(now, retention.receipt_days) {
        Some(before) => clean_receipts(background, before).await,
        None => Ok(()),
    };
    alerts.and(receipts)
}

/// Deletes resolved alerts that changed last before a time, with the rows of the search index that are about no other.
async fn clean_resolved(background: &Background<'_>, before: Timestamp) -> Result<(), StoreError> {
    clean_projects(
        background,
        |tx, beyond| {
            let oldest = tx.find_oldest_resolved(beyond)?;
            Ok(oldest.map(|oldest| (oldest.project_id, oldest.updated_at)))
        },
        before,
        async |project| {
            repeat(background, move |tx| {
                delete_resolved_alerts(tx, project, before, LIMIT)
            })
            .await?;
            repeat(background, move |tx| {
                Ok(tx.delete_unused_search_parts(project, LIMIT)? >= LIMIT)
            })
            .await
        },
    )
    .await
}

/// Deletes receipts of deliveries before a time.
async fn clean_receipts(background: &Background<'_>, before: Timestamp) -> Result<(), StoreError> {
    clean_projects(
        background,
        |tx, beyond| {
            let oldest = tx.find_oldest_receipt(beyond)?;
            Ok(oldest.map(|row| (row.receipt.project_id, Some(row.receipt.received_at))))
        },
        before,
        async |project| {
            repeat(background, move |tx| {
                Ok(tx.delete_receipts_before(project, before, LIMIT)? > 0)
            })
            .await
        },
    )
    .await
}

/// Next project with rows, and the time of its oldest row that can be deleted.
type OldestOfProject = Option<(ProjectId, Option<Timestamp>)>;
/// Query for the next project after one.
type FindOldest =
    fn(&mut dyn ReadTransaction, Option<ProjectId>) -> Result<OldestOfProject, StoreError>;

/// Deletes the rows of each project whose oldest row is from before a time.
async fn clean_projects(
    background: &Background<'_>,
    find_oldest: FindOldest,
    before: Timestamp,
    delete: impl AsyncFn(ProjectId) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut beyond: Option<ProjectId> = None;
    let mut outcome = Ok(());
    loop {
        let oldest = background.read(move |tx| list_oldest(tx, find_oldest, beyond));
        let oldest = oldest.await?;
        let Some((last, _)) = oldest.last() else {
            return outcome;
        };
        beyond = Some(*last);
        let is_old =
            |(_, time): &&(ProjectId, Option<Timestamp>)| time.is_some_and(|at| at < before);
        for (project, _) in oldest.iter().filter(is_old) {
            outcome = outcome.and(delete(*project).await);
        }
    }
}

/// Returns the oldest row of each of the next projects.
fn list_oldest(
    tx: &mut dyn ReadTransaction,
    find_oldest: FindOldest,
    mut beyond: Option<ProjectId>,
) -> Result<Vec<(ProjectId, Option<Timestamp>)>, StoreError> {
    let mut found = Vec::new();
    while found.len() < PROJECTS_AT_ONCE
        && let Some(oldest) = find_oldest(tx, beyond)?
    {
        beyond = Some(oldest.0);
        found.push(oldest);
    }
    Ok(found)
}
