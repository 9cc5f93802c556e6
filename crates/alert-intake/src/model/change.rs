//! Changes to stored alerts.

use api_conventions::ids::{AlertId, AlertIid, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::{AlertStatus, ReportDigest, Severity, Start};

/// Update of an existing alert by deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlertProgress {
    /// The alert.
    pub id: AlertId,
    /// Number of occurrences to add.
    pub occurrences: i64,
    /// Number of deliveries to add.
    pub deliveries: i64,
    /// Number of flaps to add.
    #[cfg_attr(feature = "serde", serde(default))]
    pub flaps: i64,
    /// Start of the latest occurrence.
    pub last_start: Start,
    /// Time at which the alert becomes stale if nothing else is reported.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "api_conventions::stored::optional_timestamp")
    )]
    pub stale_at: Option<Timestamp>,
    /// End time if these deliveries resolve the alert. An alert that is already resolved keeps its end time.
    #[cfg_attr(
        feature = "serde",
        serde(with = "api_conventions::stored::optional_timestamp")
    )]
    pub resolved_at: Option<Timestamp>,
    /// True if the sender reported the end of an alert that a user had resolved.
    #[cfg_attr(feature = "serde", serde(default))]
    pub confirms_end: bool,
    /// Time of the newest of these deliveries. An alert with a later change time keeps it.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub updated_at: Timestamp,
}

/// Newest report of an open alert, if it says something else than the one before. The first payload stays.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlertRevision {
    /// The alert.
    pub id: AlertId,
    /// The title, at most 200 characters.
    pub title: String,
    /// The description, at most 1000 characters; may be empty.
    pub description: String,
    /// The affected service, at most 100 characters; may be empty.
    pub service: String,
    /// Name of the monitoring tool that sent it, at most 100 characters; may be empty.
    pub monitoring_tool: String,
    /// The affected hosts of all reports, at most 255 characters together.
    pub hosts: Vec<String>,
    /// Environment named in the payload, if any.
    pub environment_name: Option<String>,
    /// The new severity.
    pub severity: Severity,
    /// Severity according to the sender.
    pub reported_severity: Severity,
    /// Digest of the report.
    pub report: ReportDigest,
    /// The payload as JSON text.
    pub payload: String,
}

/// Numbers reserved for new alerts of one project: `count` ids and `count` iids, each without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertNumbers {
    /// The project.
    pub project_id: ProjectId,
    /// First id.
    pub first_id: AlertId,
    /// First number within the project.
    pub first_iid: AlertIid,
    /// Number of ids, and of iids.
    pub count: i64,
}

/// Manual change of status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusChange {
    /// The project.
    pub project_id: ProjectId,
    /// Number of the alert within the project.
    pub iid: AlertIid,
    /// The new status.
    pub status: AlertStatus,
    /// Current time.
    pub at: Timestamp,
}

/// Manual change of the severity and the assignee of an alert. The severity according to the sender stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriageChange {
    /// The project.
    pub project_id: ProjectId,
    /// Number of the alert within the project.
    pub iid: AlertIid,
    /// The new severity.
    pub severity: Severity,
    /// The new assignee; `None` for nobody.
    pub assignee_id: Option<UserId>,
    /// Current time.
    pub at: Timestamp,
}
