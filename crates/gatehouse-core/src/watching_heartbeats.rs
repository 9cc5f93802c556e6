//! Watch over what is due: heartbeats and monitors of jobs that are missing, silences, and alerts that expire.
//!
//! A server that was down received no signs of life. So when it starts, each heartbeat gets its whole time again, and each
//! alert the time in which its sender reports it again: a sender that is silent is noticed that long after the start.

use std::sync::Arc;

use alert_intake::payload::RESOLVE_TIMEOUT;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::background::Background;
use crate::database::Database;
use crate::flows::heartbeats::expire;
use crate::flows::monitors;
use crate::flows::receive_alerts::FeedEntries;
use crate::jobs::{BackgroundJob, BackgroundJobs};
use crate::watching_silences::take_steps;

/// Heartbeats or monitors that one query lists.
const AT_ONCE: usize = 100;

/// Watches over what is due, on a server that runs since `start`, until the task is dropped.
pub async fn watch_heartbeats(
    jobs: BackgroundJobs,
    database: Arc<Database>,
    start: Timestamp,
    feed: FeedEntries,
) {
    let mut is_postponed = false;
    let run = async |now| {
        let background = Background::new(&database);
        if !is_postponed {
            let postponed: Result<(), StoreError> = background
                .write(move |tx| {
                    tx.postpone_expiries(start.plus_seconds(RESOLVE_TIMEOUT))?;
                    tx.postpone_heartbeats(start)
                })
                .await;
            postponed?;
            is_postponed = true;
        }
        let missing = report_missing(&background, &feed, now).await;
        let monitors = expire_monitors(&background, &feed, now, start).await;
        let steps = take_steps(&background, &feed, now).await;
        missing.and(monitors).and(steps)
    };
    jobs.repeat(BackgroundJob::WatchHeartbeats, run).await;
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
