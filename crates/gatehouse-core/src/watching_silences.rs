//! Steps that time brings to alerts: silences begin and end, and alerts that are not reported again are over.

use std::collections::BTreeSet;

use alert_intake::flow::expire::{AT_ONCE, SLACK_SECONDS};
use alert_intake::model::{AlertExpiry, Silence};
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::background::Background;
use crate::flows::expire_alerts::expire_alerts;
use crate::flows::receive_alerts::FeedEntries;
use crate::flows::silences::advance_silence;

/// Silences that one query lists.
const SILENCES_AT_ONCE: usize = 100;

/// Takes the steps that are due at `now`. One that fails does not keep the others.
///
/// # Errors
/// The first failure of the store, after the others were tried.
pub(crate) async fn take_steps(
    background: &Background<'_>,
    feed: &FeedEntries,
    now: Timestamp,
) -> Result<(), StoreError> {
    let silences = advance_silences(background, now).await;
    silences.and(end_expired(background, feed, now).await)
}

/// Lets the silences that are due at `now` begin or end. One that fails does not keep those that are due with it.
///
/// # Errors
/// The first failure of the store, after the others were tried.
async fn advance_silences(background: &Background<'_>, now: Timestamp) -> Result<(), StoreError> {
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
async fn end_expired(
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
