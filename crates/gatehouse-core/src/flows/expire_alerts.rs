//! Ends of alerts that their sender does not report any more, with their incidents, feed entries and messages.

use alert_intake::flow::expire::expire;
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::receive_alerts::{FeedEntries, store_reports};
use crate::database::WriteTransaction;

/// Resolves the alerts of a project that expired by `now`.
///
/// # Errors
/// Failures of the store.
pub fn expire_alerts(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<(), StoreError> {
    let ends = expire(tx, project, now)?;
    if ends.is_empty() {
        return Ok(());
    }
    store_reports(tx, &ends, feed).map(drop)
}
