//! Cleanup of expired data: grants and authorization requests past their end, sessions, invitations, statuses of users,
//! failure counts, stored answers for retries of alerts, old alerts and receipts, expired roles and shares, error events past the retention of their project, old entries of
//! the feed and of the spam log, messages of notification channels, and counts of deprecated features that are no longer used.
//!
//! Ended grants are kept for a while, so that the server can still say why a token no longer works, and detect the
//! reuse of a token for as long as its grant could have lived.

use std::sync::Arc;

use alert_intake::model::{IdempotencyRecord, Silence};
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use error_tracking::model::Settings;
use events::FeedEvent;
use notifications::model::ScheduleOverride;
use projects::flow::members::expire_members;
use storage::StoreError;

use crate::background::Background;
use crate::cleaning_alerts::{AlertRetention, clean_alerts};
use crate::database::{Database, ReadTransaction, WriteTransaction};
use crate::flows::account_mail::{OutgoingMail, announce_token_expiries};
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Maximum number of rows that one transaction deletes, so that no other write waits long for it.
const LIMIT: usize = 200;
/// Time for which grants are kept after their end, in seconds: a week.
const RETENTION_SECONDS: i64 = 7 * 86_400;
/// Time for which failure counts are kept, in seconds: far longer than any of them counts.
const FAILURES_SECONDS: i64 = 2 * 86_400;
/// Time for which records of held spam are kept after they were last held, in seconds: 90 days.
const SPAM_SECONDS: i64 = 90 * 86_400;
/// Time for which messages of notification channels are kept after their end, in seconds: 30 days.
const MESSAGES_SECONDS: i64 = 30 * 86_400;
/// Time for which uses of deprecated features are kept after the last use, in seconds: 90 days.
const USES_SECONDS: i64 = 90 * 86_400;

/// Configured times after which data expires, and the notice before the expiry of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Idle timeout of sessions, in seconds.
    pub idle_seconds: i64,
    /// Time for which alerts and receipts are kept.
    pub alerts: AlertRetention,
    /// Setting of outgoing mail, which announces tokens that expire.
    pub mail: OutgoingMail,
}

/// Runs the cleanup periodically, until the task is dropped.
pub async fn clean_regularly(jobs: BackgroundJobs, database: Arc<Database>, retention: Retention) {
    let run = async |now| clean(&Background::new(&database), now, retention).await;
    jobs.repeat(BackgroundJob::Clean, run).await;
}

/// Deletes everything that has expired at `now`, in small steps.
///
/// A kind of data that cannot be deleted does not keep the others.
///
/// # Errors
/// The first failure of the store, after all kinds were tried; rows deleted before the failure stay deleted.
pub async fn clean(
    background: &Background<'_>,
    now: Timestamp,
    retention: Retention,
) -> Result<(), StoreError> {
    let grants_before = now.plus_seconds(-RETENTION_SECONDS);
    let unused_since = now.plus_seconds(-retention.idle_seconds);
    let answers_before = now.plus_seconds(-IdempotencyRecord::RETENTION_SECONDS);
    let used_before = now.plus_seconds(-USES_SECONDS);
    let messages_before = now.plus_seconds(-MESSAGES_SECONDS);
    let silences_before = now.plus_seconds(-Silence::RETENTION_SECONDS);
    let overrides_before = now.plus_seconds(-ScheduleOverride::RETENTION_SECONDS);
    let held_before = now.plus_seconds(-SPAM_SECONDS);
    let failures_before = now.plus_seconds(-FAILURES_SECONDS);
    let outcomes = [
        repeat(background, move |tx| {
            let grants = tx.delete_spent_grants(grants_before, LIMIT)?;
            let sessions = tx.delete_ended_sessions(now, unused_since, LIMIT)?;
            Ok(grants >= LIMIT || sessions >= LIMIT)
        })
        .await,
        repeat(background, move |tx| expire_members(tx, now, LIMIT)).await,
        repeat(background, move |tx| {
            Ok(tx.delete_idempotency_records(answers_before, LIMIT)? >= LIMIT)
        })
        .await,
        repeat(background, move |tx| {
            let invitations = tx.delete_expired_invitations(now, LIMIT)?;
            let statuses = tx.delete_cleared_statuses(now, LIMIT)?;
            let expiring = match retention.mail {
                OutgoingMail::On => announce_token_expiries(tx, now, LIMIT)?,
                OutgoingMail::Off => 0,
            };
            Ok([invitations, statuses, expiring]
                .iter()
                .any(|count| *count >= LIMIT))
        })
        .await,
        clean_events(background, now).await,
        repeat(background, move |tx| {
            Ok(tx.delete_uses_before(used_before, LIMIT)? >= LIMIT)
        })
        .await,
        repeat(background, move |tx| {
            Ok(tx.delete_spam_logs_before(held_before, LIMIT)? >= LIMIT)
        })
        .await,
        repeat(background, move |tx| {
            let messages = tx.delete_messages_before(messages_before, LIMIT)?;
            let mailboxes = tx.delete_mailboxes_before(messages_before, LIMIT)?;
            let silences = tx.delete_silences_before(silences_before, LIMIT)?;
            let overrides = tx.delete_overrides_before(overrides_before, LIMIT)?;
            Ok([messages, mailboxes, silences, overrides]
                .iter()
                .any(|deleted| *deleted >= LIMIT))
        })
        .await,
        clean_feeds(background, now).await,
        clean_alerts(background, now, retention.alerts).await,
        repeat(background, move |tx| {
            tx.delete_old_failures(failures_before).map(|_| false)
        })
        .await,
    ];
    outcomes.into_iter().collect()
}

/// Repeats a step until it returns false: there is no more to delete.
pub(crate) async fn repeat<F>(background: &Background<'_>, step: F) -> Result<(), StoreError>
where
    F: Fn(&mut dyn WriteTransaction) -> Result<bool, StoreError> + Copy + Send + 'static,
{
    while background.write(move |tx| step(tx)).await? {}
    Ok(())
}

/// Deletes the error events that are older than the retention of their project.
async fn clean_events(background: &Background<'_>, now: Timestamp) -> Result<(), StoreError> {
    const DAY: i64 = 86_400;
    let mut beyond: Option<ProjectId> = None;
    let mut outcome = Ok(());
    loop {
        let some = background.read(move |tx| tx.list_error_settings(beyond, LIMIT));
        let some: Vec<Settings> = some.await?;
        let Some(last) = some.last() else {
            return outcome;
        };
        beyond = Some(last.project_id);
        for settings in &some {
            let project = settings.project_id;
            let before = now.plus_seconds(-DAY * i64::from(settings.options.retention_days));
            let delete = repeat(background, move |tx| {
                Ok(tx.delete_old_events(project, before, LIMIT)? >= LIMIT)
            });
            outcome = outcome.and(delete.await);
        }
    }
}

/// Deletes the entries of all feeds that are older than the feed is kept.
async fn clean_feeds(background: &Background<'_>, now: Timestamp) -> Result<(), StoreError> {
    let before = now.plus_seconds(-FeedEvent::RETENTION_SECONDS);
    let mut beyond: Option<ProjectId> = None;
    let mut outcome = Ok(());
    loop {
        let oldest = background.read(move |tx| list_oldest_events(tx, beyond));
        let oldest = oldest.await?;
        let Some(last) = oldest.last() else {
            return outcome;
        };
        beyond = Some(last.project_id);
        for event in oldest.iter().filter(|event| event.created_at < before) {
            let project = event.project_id;
            let delete = repeat(background, move |tx| {
                Ok(tx.delete_events_before(project, before, LIMIT)? > 0)
            });
            outcome = outcome.and(delete.await);
        }
    }
}

/// Oldest event of each of the next projects with events.
fn list_oldest_events(
    tx: &mut dyn ReadTransaction,
    mut beyond: Option<ProjectId>,
) -> Result<Vec<FeedEvent>, StoreError> {
    let mut found = Vec::new();
    while found.len() < LIMIT
        && let Some(event) = tx.find_oldest_event(beyond)?
    {
        beyond = Some(event.project_id);
        found.push(event);
    }
    Ok(found)
}
