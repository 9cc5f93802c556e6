//! Ends of alerts that their sender does not report any more, with their incidents, feed entries and messages.

use alert_intake::flow::expire::expire;
use alert_intake::flow::receive::{DeliveryOutcome, receive};
use alert_intake::model::Delivery;
use alert_intake::work::AfterReceive as _;
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::receive_alerts::FeedEntries;
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
    let outcomes = receive(tx, &ends.iter().collect::<Vec<&Delivery>>())?;
    // The reports have no idempotency key, so none is refused.
    let outcomes: Vec<DeliveryOutcome> = outcomes.into_iter().flatten().collect();
    let stored: Vec<_> = outcomes.iter().map(|outcome| (feed, outcome)).collect();
    FeedEntries::write(tx, &stored)
}
