//! Watch over heartbeats and the monitors of jobs: an alert opens for each that is missing.
//!
//! A server that was down received no signs of life. So when it starts, each heartbeat gets its whole time again: a sender
//! that is silent is reported that long after the start, and the others are not reported at all.

use std::sync::Arc;
use std::time::Duration;

use api_conventions::time::{Clock, Timestamp};
use storage::StoreError;

use crate::background::Background;
use crate::database::Database;
use crate::flows::heartbeats::expire;
use crate::flows::monitors;
use crate::flows::receive_alerts::FeedEntries;

/// Interval between two looks.
const INTERVAL: Duration = Duration::from_secs(2);
/// Heartbeats or monitors that one query lists.
const AT_ONCE: usize = 100;

/// Watches over heartbeats and monitors, until the task is dropped.
pub async fn watch_heartbeats(database: Arc<Database>, clock: Arc<dyn Clock>, feed: FeedEntries) {
    let mut ticks = tokio::time::interval(INTERVAL);
    let (start, mut is_postponed) = (clock.now(), false);
    loop {
        ticks.tick().await;
        let background = Background::new(&database);
        let watched = async {
            if !is_postponed {
                background
                    .write(move |tx| tx.postpone_heartbeats(start))
                    .await?;
                is_postponed = true;
            }
            let missing = report_missing(&background, &feed, clock.now()).await;
            missing.and(expire_monitors(&background, &feed, clock.now(), start).await)
        };
        let watched: Result<(), StoreError> = watched.await;
        if let Err(error) = watched {
            tracing::warn!(error = %error, "cannot look for missing heartbeats and check-ins; retrying");
        }
    }
}

/// Opens an alert for each heartbeat that is due at `now`. One that fails does not keep those that are due with it.
///
/// # Errors
/// The first failure of the store, after the others were tried.
pub async fn report_missing(
    background: &Background<'_>,
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<(), StoreError> {
    loop {
        let due = background.read(move |tx| tx.list_due_heartbeats(now, AT_ONCE));
        let due: Vec<alert_intake::model::Heartbeat> = due.await?;
        let mut outcome = Ok(());
        for heartbeat in &due {
            let place = (heartbeat.project_id, heartbeat.integration_id);
            let feed = feed.clone();
            let expired: Result<bool, StoreError> = background
                .write(move |tx| expire(tx, place, &feed, now))
                .await;
            outcome = outcome.and(expired.map(drop));
        }
        // Those that failed are due again, and would be listed again at once.
        outcome?;
        if due.len() < AT_ONCE {
            return Ok(());
        }
    }
}

/// Applies the deadlines of monitors that are due at `now`, on a server that was down until `up_since`. One that fails does
/// not keep those that are due with it.
///
/// # Errors
/// The first failure of the store, after the others were tried.
pub async fn expire_monitors(
    background: &Background<'_>,
    feed: &FeedEntries,
    now: Timestamp,
    up_since: Timestamp,
) -> Result<(), StoreError> {
    loop {
        let due = background.read(move |tx| tx.list_due_monitors(now, AT_ONCE));
        let due: Vec<error_tracking::monitors::Monitor> = due.await?;
        let (count, mut outcome) = (due.len(), Ok(()));
        for monitor in due {
            let (key, feed) = (monitor.key, feed.clone());
            let expired: Result<(), StoreError> = background
                .write(move |tx| monitors::expire(tx, &key, &feed, now, up_since))
                .await;
            outcome = outcome.and(expired);
        }
        outcome?;
        if count < AT_ONCE {
            return Ok(());
        }
    }
}
