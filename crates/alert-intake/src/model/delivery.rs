//! Parsed and validated content of one POST, before anything is stored.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{AlertExpiry, AlertIdentity, DeliveryKey, Severity, Source};
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
    /// True if a lower severity in a newer report lowers that of an open alert.
    pub lowers_severity: bool,
    /// Minutes of silence after which an open alert becomes stale; `None` for never.
    pub stale_after: Option<u32>,
    /// Ends of its alerts that fire until then unless they are reported again, in the order of the body.
    pub expiries: Vec<AlertExpiry>,
    /// Information about the POST as a whole.
    pub context: SenderContext,
    /// Idempotency key of the POST, by which retries are recognized.
    pub key: Option<DeliveryKey>,
}

impl Delivery {
    /// True if every alert of the POST is over, of at least one.
    pub fn is_end(&self) -> bool {
        let is_over = |alert: &IncomingAlert| alert.resolved_at.is_some();
        !self.alerts.is_empty() && self.alerts.iter().all(is_over)
    }

    /// True if Prometheus posted it as to an Alertmanager. Several replicas may report the same alerts, each with a start of
    /// its own.
    pub const fn is_posted(&self) -> bool {
        !self.expiries.is_empty()
    }

    /// Time at which its alerts become stale if nothing else is reported.
    pub fn stale_at(&self) -> Option<Timestamp> {
        let seconds = self.stale_after.map(|minutes| i64::from(minutes) * 60);
        seconds.map(|seconds| self.received_at.plus_seconds(seconds))
    }
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
    /// Digest of everything above that a user reads.
    pub report: ReportDigest,
}

impl IncomingAlert {
    /// Sets the digest of the report from its content.
    #[must_use]
    pub fn digested(mut self) -> Self {
        self.report = ReportDigest::of(&self);
        self
    }
}

/// Digest of the content of a report, by which intake recognises one that says something new about an open alert.
/// Equal digests are taken for equal reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct ReportDigest(i64);

impl ReportDigest {
    /// Creates the digest from its number in rows.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Number to store.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// Returns the digest of a report: of its texts, severity and payload, but not of its times.
    pub fn of(alert: &IncomingAlert) -> Self {
        let mut hash = Sha256::new();
        let texts = [
            alert.title.as_str(),
            &alert.description,
            alert.severity.as_str(),
            &alert.service,
            &alert.monitoring_tool,
            alert.environment_name.as_deref().unwrap_or_default(),
            &alert.payload,
        ];
        let hosts = alert.hosts.iter().map(String::as_str);
        for text in texts.into_iter().chain(hosts) {
            hash.update(text.len().to_be_bytes());
            hash.update(text);
        }
        let mut number = [0; 8];
        number
            .iter_mut()
            .zip(hash.finalize())
            .for_each(|(byte, digit)| *byte = digit);
        Self(i64::from_be_bytes(number))
    }
}
