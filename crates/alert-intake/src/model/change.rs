//! What becomes of an alert after it was stored.

use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;

use super::{AlertStatus, Start};

/// What deliveries add to an alert that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlertProgress {
    /// The alert.
    pub id: AlertId,
    /// Occurrences to add.
    pub occurrences: i64,
    /// Deliveries to add.
    pub deliveries: i64,
    /// When the latest occurrence began.
    pub last_start: Start,
    /// When it ended, if these deliveries end it. An alert that is resolved already keeps its end.
    #[cfg_attr(
        feature = "serde",
        serde(with = "api_conventions::stored::optional_timestamp")
    )]
    pub resolved_at: Option<Timestamp>,
    /// Now. An alert that changed later already keeps that time.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub updated_at: Timestamp,
}

/// Numbers reserved for new alerts of one project: `count` ids and `count` iids, each without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertNumbers {
    /// The project.
    pub project_id: ProjectId,
    /// The first id.
    pub first_id: AlertId,
    /// The first number within the project.
    pub first_iid: AlertIid,
    /// How many.
    pub count: i64,
}

/// A change of status by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusChange {
    /// The project.
    pub project_id: ProjectId,
    /// The alert within it.
    pub iid: AlertIid,
    /// The new status.
    pub status: AlertStatus,
    /// Now.
    pub at: Timestamp,
}
