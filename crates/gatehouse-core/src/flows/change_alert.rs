//! Changes to the status of an alert, with the entry in the feed.

use alert_intake::flow::set_status::{RequestedStatus, SetStatusError, set_status};
use alert_intake::model::{Alert, AlertStatus};
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::NewNote;
use storage::StoreError;

use super::notes::on_alert;
use crate::database::WriteTransaction;

/// Reason why a status is not changed. Nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum ChangeAlertError {
    /// The change is refused.
    #[error(transparent)]
    Status(#[from] SetStatusError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sets the status for `actor` at `now`.
/// A system note says who changed it; the feed gets an entry if the alert is closed or reopened.
///
/// # Errors
/// See [`ChangeAlertError`].
pub fn change_alert(
    tx: &mut dyn WriteTransaction,
    project_id: ProjectId,
    iid: AlertIid,
    wanted: RequestedStatus,
    actor: UserId,
    now: Timestamp,
) -> Result<Alert, ChangeAlertError> {
    let (before, after) = set_status(tx, project_id, iid, wanted, now)?;
    let action = match (
        before.summary.status.is_open(),
        after.summary.status.is_open(),
    ) {
        (true, false) => Some(Action::Closed),
        (false, true) => Some(Action::Reopened),
        _ => None,
    };
    note_status(tx, &before, &after, actor, now)?;
    if let Some(action) = action {
        tx.insert_events(&[NewEvent {
            project_id,
            author_id: actor,
            action,
            target: Some(EventTarget {
                kind: TargetType::Alert,
                id: after.summary.id.get(),
                iid: iid.get(),
                title: Some(after.summary.title.clone()),
            }),
            audience: Audience::Developers,
            push: None,
            created_at: now,
        }])?;
    }
    Ok(after)
}

/// Returns the text of the system note about a status change, as the service writes it.
pub fn status_note(status: AlertStatus) -> &'static str {
    match status {
        AlertStatus::Triggered => "changed the status to **Triggered**",
        AlertStatus::Acknowledged => "changed the status to **Acknowledged**",
        AlertStatus::Resolved { .. } => "changed the status to **Resolved**",
        AlertStatus::Ignored => "changed the status to **Ignored**",
    }
}

/// Writes the system note about a status change, unless the alert already had this status.
fn note_status(
    tx: &mut dyn WriteTransaction,
    before: &Alert,
    after: &Alert,
    actor: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let body = status_note(after.summary.status);
    if body == status_note(before.summary.status) {
        return Ok(());
    }
    let note = NewNote {
        on: on_alert(&after.summary),
        author_id: actor,
        body: body.to_owned(),
        system: true,
        internal: false,
        created_at: now,
    };
    tx.insert_notes(&[note]).map(drop)
}
