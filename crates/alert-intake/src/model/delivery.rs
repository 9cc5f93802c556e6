//! Parsed and validated content of one POST, before anything is stored.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;

use super::{AlertIdentity, DeliveryKey, Severity, Source};
use crate::rules::text::cut;

/// A POST to an intake endpoint. Stored completely or not at all.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// Length of the body in bytes, after decompression.
    pub body_bytes: usize,
    /// Alerts in the POST, in the order of the body.
    pub alerts: Vec<IncomingAlert>,
    /// Identity of the alert that the POST acknowledges, if it reports that somebody works on it.
    pub acknowledged: Option<AlertIdentity>,
    /// Information about the POST as a whole.
    pub context: SenderContext,
    /// Idempotency key of the POST, by which retries are recognized.
    pub key: Option<DeliveryKey>,
}

/// Information from the sender about a POST as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SenderContext {
    /// `User-Agent`, truncated to 200 characters.
    pub user_agent: Option<String>,
    /// Alertmanager's `groupKey`, truncated to 1000 characters.
    pub group_key: Option<String>,
    /// Number of alerts that the sender left out of this POST (`truncatedAlerts`).
    pub truncated_alerts: i64,
    /// Number of skipped items: items that are not objects, or lack a title or a start.
    pub skipped_alerts: i64,
    /// Problems found in the payload, one sentence each; for the receipt.
    pub notes: Vec<String>,
}

impl SenderContext {
    /// Creates a context that has only a `User-Agent`, truncated to its bound.
    pub fn of_sender(user_agent: Option<&str>) -> Self {
        Self {
            user_agent: user_agent.map(|agent| cut(&agent.replace('\0', "\u{fffd}"), 200)),
            ..Self::default()
        }
    }
}

/// An alert of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingAlert {
    /// Identity of the alert.
    pub identity: AlertIdentity,
    /// Format that the payload was parsed as.
    pub source: Source,
    /// The title, at most 200 characters.
    pub title: String,
    /// The description, at most 1000 characters; may be empty.
    pub description: String,
    /// Severity.
    pub severity: Severity,
    /// The affected service, at most 100 characters; may be empty.
    pub service: String,
    /// Name of the monitoring tool that sent it, at most 100 characters; may be empty.
    pub monitoring_tool: String,
    /// The affected hosts, at most 255 characters together.
    pub hosts: Vec<String>,
    /// Environment named in the payload, if any.
    pub environment_name: Option<String>,
    /// Start of this occurrence, if the sender stated one that can be parsed.
    pub started_at: Option<Timestamp>,
    /// End of the alert; `None` while it fires. The arrival time if the sender reports an end without a time.
    pub resolved_at: Option<Timestamp>,
    /// True if an end without an open alert is stored as an alert that is already resolved, as for the fields of the
    /// specification. Otherwise such an end stores nothing, and the receipt says so.
    pub stores_end: bool,
    /// The payload as JSON text.
    pub payload: String,
}
