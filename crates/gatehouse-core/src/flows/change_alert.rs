//! Changes to the status of an alert, with the entry in the feed.

use alert_intake::flow::set_status::{RequestedStatus, SetStatusError};
use alert_intake::flow::triage::AlertEdit;
use alert_intake::model::{AlertStatus, AlertSummary};
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::triage_alerts::{AlertEditor, edit_alert};
use crate::database::WriteTransaction;

/// Reason why an alert is not changed. Nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum ChangeAlertError {
    /// The change is refused.
    #[error(transparent)]
    Status(#[from] SetStatusError),
    /// The assignee cannot read the alerts of the project.
    #[error("Assignee has no permissions")]
    Assignee,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sets the status for `actor` at `now`.
/// A system note says who changed it; the feed gets an entry if the alert is closed or reopened. Resolving the last open
/// alert of an incident closes the incident, if the project's settings say so.
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
) -> Result<AlertSummary, ChangeAlertError> {
    let edit = AlertEdit {
        status: Some(wanted),
        ..AlertEdit::default()
    };
    let by = AlertEditor { user: actor, now };
    edit_alert(tx, project_id, iid, edit, by)
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
