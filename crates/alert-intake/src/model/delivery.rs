//! What one POST brought, read and checked, before anything is stored.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;

use super::{AlertIdentity, DeliveryKey, Severity, Source};
use crate::rules::text::cut;

/// One POST to an intake endpoint. It is stored whole or not at all.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// When it came.
    pub received_at: Timestamp,
    /// The length of the body in bytes, after decompression.
    pub body_bytes: usize,
    /// The alerts in it, in the order of the body.
    pub alerts: Vec<IncomingAlert>,
    /// What the sender says about the POST as a whole.
    pub context: SenderContext,
    /// What the sender calls the POST, so that a retry of it is known as one.
    pub key: Option<DeliveryKey>,
}

/// What a sender says about a POST as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SenderContext {
    /// The `User-Agent`, cut to 200 characters.
    pub user_agent: Option<String>,
    /// Alertmanager's `groupKey`, cut to 1000 characters.
    pub group_key: Option<String>,
    /// Alerts that the sender left out of this POST (`truncatedAlerts`).
    pub truncated_alerts: i64,
    /// Items of this POST that were skipped: they are no objects, or lack a title or a start.
    pub skipped_alerts: i64,
    /// What could not be read as it was meant, one sentence each; for the receipt.
    pub notes: Vec<String>,
}

impl SenderContext {
    /// Creates the context of a sender that says nothing but its `User-Agent`, which is cut to its bound.
    pub fn of_sender(user_agent: Option<&str>) -> Self {
        Self {
            user_agent: user_agent.map(|agent| cut(&agent.replace('\0', "\u{fffd}"), 200)),
            ..Self::default()
        }
    }
}

/// One alert of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingAlert {
    /// What makes payloads the same alert.
    pub identity: AlertIdentity,
    /// How the payload was read.
    pub source: Source,
    /// The title, at most 200 characters.
    pub title: String,
    /// The description, at most 1000 characters; may be empty.
    pub description: String,
    /// How bad it is.
    pub severity: Severity,
    /// The affected service, at most 100 characters; may be empty.
    pub service: String,
    /// The name of the tool that sent it, at most 100 characters; may be empty.
    pub monitoring_tool: String,
    /// The affected hosts, at most 255 characters together.
    pub hosts: Vec<String>,
    /// The environment that it names, if any.
    pub environment_name: Option<String>,
    /// When this occurrence began, if the sender said so in a way that can be read.
    pub started_at: Option<Timestamp>,
    /// When it ended; `None` while it fires. A sender that says that it ended, but not when, gives the time
    /// of arrival.
    pub resolved_at: Option<Timestamp>,
    /// The payload as JSON text.
    pub payload: String,
}
