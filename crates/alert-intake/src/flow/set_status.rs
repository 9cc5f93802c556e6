//! Manual changes of an alert's status.

use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Alert, AlertStatus, StatusChange};
use crate::store::{AlertRepository, SetStatus};

/// Requested status of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestedStatus {
    /// Triggered.
    #[default]
    Triggered,
    /// Acknowledged.
    Acknowledged,
    /// Resolved, now.
    Resolved,
    /// Ignored.
    Ignored,
}

impl RequestedStatus {
    /// Names of all statuses, for documentation.
    pub const NAMES: [&str; 4] = ["triggered", "acknowledged", "resolved", "ignored"];

    /// Parses the name of a status.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "triggered" => Some(Self::Triggered),
            "acknowledged" => Some(Self::Acknowledged),
            "resolved" => Some(Self::Resolved),
            "ignored" => Some(Self::Ignored),
            _ => None,
        }
    }

    /// Returns the number used in rows and filters.
    pub const fn number(self) -> i16 {
        self.at(Timestamp::MIN).number()
    }

    /// Returns the status as set at `now`.
    pub const fn at(self, now: Timestamp) -> AlertStatus {
        match self {
            Self::Triggered => AlertStatus::Triggered,
            Self::Acknowledged => AlertStatus::Acknowledged,
            Self::Resolved => AlertStatus::Resolved { ended_at: now },
            Self::Ignored => AlertStatus::Ignored,
        }
    }
}

/// Reasons to refuse a status change. Nothing is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetStatusError {
    /// There is no such alert.
    #[error("the alert does not exist")]
    NotFound,
    /// Another alert of the same identity is open.
    #[error(
        "An alert with the same fingerprint is already open (alert {0}). To change the status of this alert, resolve the linked alert."
    )]
    IdentityOpen(AlertIid),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SetStatusError> for ApiError {
    fn from(error: SetStatusError) -> Self {
        match error {
            SetStatusError::NotFound => Self::not_found("Alert"),
            SetStatusError::IdentityOpen(_) => Self::bad_request(&error.to_string()),
            SetStatusError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Sets the status; returns the alert before and after. Setting the current status changes nothing, so a second
/// "resolved" keeps the first end time.
///
/// # Errors
/// See [`SetStatusError`].
pub fn set_status<R: AlertRepository + ?Sized>(
    repos: &mut R,
    project_id: ProjectId,
    iid: AlertIid,
    requested: RequestedStatus,
    now: Timestamp,
) -> Result<(Alert, Alert), SetStatusError> {
    repos.lock_alerts(&[project_id])?;
    let before = repos
        .find_alert(project_id, iid)?
        .ok_or(SetStatusError::NotFound)?;
    let status = requested.at(now);
    if status.number() == before.summary.status.number() {
        return Ok((before.clone(), before));
    }
    match repos.set_alert_status(&StatusChange {
        project_id,
        iid,
        status,
        at: now,
    })? {
        SetStatus::Changed => {}
        SetStatus::NotFound => return Err(SetStatusError::NotFound),
        SetStatus::IdentityOpen(other) => return Err(SetStatusError::IdentityOpen(other)),
    }
    let mut after = before.clone();
    after.summary.status = status;
    after.summary.updated_at = before.summary.updated_at.max(now);
    Ok((before, after))
}
