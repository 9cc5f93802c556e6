//! Signs of life at alert endpoints, and the alerts about missing ones, with their incidents and feed entries.

use alert_intake::flow::heartbeat;
use alert_intake::model::{HeartbeatRule, Integration};
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::receive_alerts::{FeedEntries, store_reports};
use crate::database::WriteTransaction;

/// Records a sign of life at an endpoint. The alert about a missing heartbeat ends.
///
/// # Errors
/// Failures of the store.
pub fn beat(
    tx: &mut dyn WriteTransaction,
    endpoint: &Integration,
    rule: HeartbeatRule,
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<(), StoreError> {
    match heartbeat::beat(tx, endpoint, rule, now)? {
        Some(end) => store_reports(tx, &[end], feed).map(drop),
        None => Ok(()),
    }
}

/// Opens the alert about a heartbeat that is due at `now`, unless it arrived in the meantime. Returns true if it opened one.
///
/// # Errors
/// Failures of the store.
pub fn expire(
    tx: &mut dyn WriteTransaction,
    (project, endpoint): (ProjectId, IntegrationId),
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match heartbeat::expire(tx, (project, endpoint), now)? {
        Some(report) => store_reports(tx, &[report], feed).map(|stored| !stored.is_empty()),
        None => Ok(false),
    }
}
