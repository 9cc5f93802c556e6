//! Steps that time brings to alerts: silences begin and end, and alerts that are not reported again are over.
//!
//! A server that was down received no reports. So when it starts, each alert gets the time in which its sender reports it
//! again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use alert_intake::flow::expire::{AT_ONCE, SLACK_SECONDS};
use alert_intake::model::{AlertExpiry, Silence};
use alert_intake::payload::RESOLVE_TIMEOUT;
use api_conventions::ids::ProjectId;
use api_conventions::time::{Clock, Timestamp};
use storage::StoreError;

use crate::background::Background;
use crate::database::Database;
use crate::flows::expire_alerts::expire_alerts;
use crate::flows::receive_alerts::FeedEntries;
use crate::flows::silences::advance_silence;

/// Interval between two looks.
const INTERVAL: Duration = Duration::from_secs(2);
/// Silences that one query lists.
const SILENCES_AT_ONCE: usize = 100;

/// Watches over silences and expiries, until the task is dropped.
pub async fn watch_silences(database: Arc<Database>, clock: Arc<dyn Clock>, feed: FeedEntries) {
    let mut ticks = tokio::time::interval(INTERVAL);
    let (first, mut is_postponed) = (clock.now().plus_seconds(RESOLVE_TIMEOUT), false);
    loop {
        ticks.tick().await;
        let background = Background::new(&database);
        let watched = async {
            if !is_postponed {
                background
                    .write(move |tx| tx.postpone_expiries(first))
                    .await?;
                is_postponed = true;
            }
            let silences = advance_silences(&background, clock.now()).await;
            silences.and(end_expired(&background, &feed, clock.now()).await)
        };
        let watched: Result<(), StoreError> = watched.await;
        if let Err(error) = watched {
            tracing::warn!(error = %error, "cannot look for silences and alerts that end; retrying");
        }
    }
}

/// Lets the silences that are due at `now` begin or end. One that fails does not keep those that are due with it.
///
/// # Errors
/// The first failure of the store, after the others were tried.
pub async fn advance_silences(
    background: &Background<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    loop {
        let due = background.read(move |tx| tx.list_due_silences(now, SILENCES_AT_ONCE));
        let due: Vec<Silence> = due.await?;
        let mut outcome = Ok(());
        for silence in &due {
            let (project, id) = (silence.content.project_id, silence.id);
            let advanced: Result<(), StoreError> = background
                .write(move |tx| advance_silence(tx, project, id, now))
                .await;
            outcome = outcome.and(advanced);
        }
        // Those that failed are due again, and would be listed again at once.
        outcome?;
        if due.len() < SILENCES_AT_ONCE {
            return Ok(());
        }
    }
}

/// Resolves the alerts that expired by `now`. A project that fails does not keep the others.
///
/// # Errors
/// The first failure of the store, after the others were tried.
pub async fn end_expired(
    background: &Background<'_>,
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<(), StoreError> {
    loop {
        let due = now.plus_seconds(-SLACK_SECONDS);
        let due = background.read(move |tx| tx.list_due_expiries(due, AT_ONCE));
        let due: Vec<AlertExpiry> = due.await?;
        let projects: BTreeSet<ProjectId> = due.iter().map(|expiry| expiry.project_id).collect();
        let mut outcome = Ok(());
        for project in projects {
            let feed = feed.clone();
            let ended: Result<(), StoreError> = background
                .write(move |tx| expire_alerts(tx, project, &feed, now))
                .await;
            outcome = outcome.and(ended);
        }
        outcome?;
        if due.len() < AT_ONCE {
            return Ok(());
        }
    }
}
