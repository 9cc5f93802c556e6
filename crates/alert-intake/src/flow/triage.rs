//! Manual changes of an alert: its status, severity and assignee.

use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::set_status::{RequestedStatus, SetStatusError, set_status};
use crate::model::{Alert, Severity, TriageChange};
use crate::store::AlertRepository;

/// Requested changes of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlertEdit {
    /// New status.
    pub status: Option<RequestedStatus>,
    /// New severity.
    pub severity: Option<Severity>,
    /// New assignee; `Some(None)` removes the assignee. The caller checks that the user can read the alert.
    pub assignee_id: Option<Option<UserId>>,
}

/// Applies an edit; returns the alert before and after. Values that the alert already has change nothing.
///
/// # Errors
/// See [`SetStatusError`]. Nothing is written then, whatever else the edit contains.
pub fn triage<R: AlertRepository + ?Sized>(
    repos: &mut R,
    project_id: ProjectId,
    iid: AlertIid,
    edit: AlertEdit,
    now: Timestamp,
) -> Result<(Alert, Alert), SetStatusError> {
    // The status comes first, because only its change can be refused.
    let (before, mut after) = if let Some(status) = edit.status {
        set_status(repos, project_id, iid, status, now)?
    } else {
        repos.lock_alerts(&[project_id])?;
        let found = repos.find_alert(project_id, iid)?;
        let found = found.ok_or(SetStatusError::NotFound)?;
        (found.clone(), found)
    };
    let summary = &mut after.summary;
    let severity = edit.severity.unwrap_or(summary.severity);
    let assignee_id = edit.assignee_id.unwrap_or(summary.assignee_id);
    if (severity, assignee_id) == (summary.severity, summary.assignee_id) {
        return Ok((before, after));
    }
    let change = TriageChange {
        project_id,
        iid,
        severity,
        assignee_id,
        at: now,
    };
    if !repos.set_alert_triage(&change)? {
        return Err(SetStatusError::NotFound);
    }
    summary.severity = severity;
    summary.assignee_id = assignee_id;
    summary.updated_at = summary.updated_at.max(now);
    Ok((before, after))
}
