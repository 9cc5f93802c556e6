//! Changing an alert's status by hand, together with its entry in the feed.

use alert_intake::flow::set_status::{SetStatusError, WantedStatus, set_status};
use alert_intake::model::Alert;
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use storage::StoreError;

use crate::database::WriteTransaction;

/// Why a status is not changed. Nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum ChangeAlertError {
    /// The change is refused.
    #[error(transparent)]
    Status(#[from] SetStatusError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sets the status for `actor` at `now`. The feed tells of alerts that are over and of those that are open again.
///
/// # Errors
/// See [`ChangeAlertError`].
pub fn change_alert(
    tx: &mut dyn WriteTransaction,
    project_id: ProjectId,
    iid: AlertIid,
    wanted: WantedStatus,
    (actor, now): (UserId, Timestamp),
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
            created_at: now,
        }])?;
    }
    Ok(after)
}
