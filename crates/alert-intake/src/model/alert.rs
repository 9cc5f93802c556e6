//! Alerts and their states.

use std::fmt;

use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::ReportDigest;

/// Severity of an alert, per the specification's severity table. Ordered from least to most critical; the numbers in
/// rows are in reverse order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Explicitly unknown, according to the sender.
    Unknown,
    /// Informational.
    Info,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical; also the default if the sender gave no severity or an unrecognized one.
    Critical,
}

impl Severity {
    /// All severities, from least to most critical.
    pub const ALL: [Self; 6] = [
        Self::Unknown,
        Self::Info,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::Critical,
    ];

    /// Names of all severities, for documentation.
    pub const NAMES: [&str; 6] = ["unknown", "info", "low", "medium", "high", "critical"];

    /// Name in bodies and parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Info => "info",
            Self::Unknown => "unknown",
        }
    }

    /// Parses the exact name of a severity.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|severity| severity.as_str() == word)
    }

    /// Returns the number stored in rows: 0 for critical to 5 for unknown.
    pub const fn number(self) -> i16 {
        5 - self as i16
    }

    /// Returns the severity with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|severity| severity.number() == number)
    }
}

/// Status of an alert. Every status except resolved is open: the alert absorbs repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum AlertStatus {
    /// The alert is firing and nobody has acknowledged it.
    Triggered,
    /// Someone is working on the alert.
    Acknowledged,
    /// The alert ended.
    Resolved {
        /// End time.
        #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
        ended_at: Timestamp,
    },
    /// The alert is not going to be investigated.
    Ignored,
}

impl AlertStatus {
    /// Name in bodies and parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Triggered => "triggered",
            Self::Acknowledged => "acknowledged",
            Self::Resolved { .. } => "resolved",
            Self::Ignored => "ignored",
        }
    }

    /// Returns the number stored in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Triggered => 0,
            Self::Acknowledged => 1,
            Self::Resolved { .. } => 2,
            Self::Ignored => 3,
        }
    }

    /// Returns the status with this number and end time; `None` if they contradict each other.
    pub fn from_row(number: i16, ended_at: Option<Timestamp>) -> Option<Self> {
        match (number, ended_at) {
            (0, None) => Some(Self::Triggered),
            (1, None) => Some(Self::Acknowledged),
            (2, Some(ended_at)) => Some(Self::Resolved { ended_at }),
            (3, None) => Some(Self::Ignored),
            _ => None,
        }
    }

    /// Returns the end time of a resolved alert.
    pub const fn ended_at(self) -> Option<Timestamp> {
        match self {
            Self::Resolved { ended_at } => Some(ended_at),
            Self::Triggered | Self::Acknowledged | Self::Ignored => None,
        }
    }

    /// True if repeats are counted on this alert.
    pub const fn is_open(self) -> bool {
        self.ended_at().is_none()
    }
}

/// Payload format that an alert was parsed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Any JSON object.
    Generic,
    /// An item of a metrics-alerting system's webhook.
    Metrics,
}

impl Source {
    /// Returns the number stored in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Generic => 0,
            Self::Metrics => 1,
        }
    }

    /// Returns the source with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::Generic, Self::Metrics]
            .into_iter()
            .find(|source| source.number() == number)
    }
}

#[cfg(feature = "serde")]
api_conventions::stored_as_number!(Severity, Source);

/// Identity of an alert: a digest that equal alerts share, unique per project among open alerts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct AlertIdentity([u8; 32]);

impl AlertIdentity {
    /// Creates an identity from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for AlertIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .take(8)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Start of an occurrence, and whether a sender stated it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Start {
    /// Start time.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub at: Timestamp,
    /// True if a sender stated the start. Otherwise it is the arrival time, used as a substitute; the actual start is
    /// earlier.
    pub is_stated: bool,
}

impl Start {
    /// Creates a start that a sender stated.
    pub const fn stated(at: Timestamp) -> Self {
        Self {
            at,
            is_stated: true,
        }
    }

    /// Creates a substitute start from the arrival time, for a payload without one.
    pub const fn arrival(at: Timestamp) -> Self {
        Self {
            at,
            is_stated: false,
        }
    }

    /// Returns the later of two starts; for equal times, the stated one.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        if (other.at, other.is_stated) > (self.at, self.is_stated) {
            other
        } else {
            self
        }
    }
}

/// An alert as shown in lists: everything except its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlertSummary {
    /// Id.
    pub id: AlertId,
    /// Number of the alert within the project.
    pub iid: AlertIid,
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// Format of its payload.
    pub source: Source,
    /// The title, at most 200 characters.
    pub title: String,
    /// The description, at most 1000 characters; may be empty.
    pub description: String,
    /// Severity.
    pub severity: Severity,
    /// Status.
    pub status: AlertStatus,
    /// The affected service, at most 100 characters; may be empty.
    pub service: String,
    /// Name of the monitoring tool that sent it, at most 100 characters; may be empty.
    pub monitoring_tool: String,
    /// The affected hosts, at most 255 characters together.
    pub hosts: Vec<String>,
    /// Environment named in the payload, if any.
    pub environment_name: Option<String>,
    /// User assigned to the alert, if any. A new alert has none.
    pub assignee_id: Option<UserId>,
    /// Start of the first occurrence.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub started_at: Timestamp,
    /// Start of the latest occurrence.
    pub last_start: Start,
    /// Number of occurrences: metrics items with a start of their own, and generic payloads.
    pub occurrences: i64,
    /// Number of payloads received for it, including retries and repeats, except retries recognized by an idempotency
    /// key.
    pub deliveries: i64,
    /// Number of times in a row that the alert fired again within an hour of its end.
    #[cfg_attr(feature = "serde", serde(default))]
    pub flaps: i64,
    /// Time at which the open alert becomes stale, if its sender stays silent until then. `None` if silence means nothing.
    #[cfg_attr(
        feature = "serde",
        serde(default, with = "api_conventions::stored::optional_timestamp")
    )]
    pub stale_at: Option<Timestamp>,
    /// Time at which it was stored.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub updated_at: Timestamp,
}

impl AlertSummary {
    /// Smallest number of flaps of an alert that is flapping.
    pub const FLAPPING: i64 = 3;

    /// True if the alert keeps firing and ending.
    pub const fn is_flapping(&self) -> bool {
        self.flaps >= Self::FLAPPING
    }

    /// True if the alert is open and its sender has been silent for too long at `now`.
    pub fn is_stale(&self, now: Timestamp) -> bool {
        self.status.is_open() && self.stale_at.is_some_and(|at| at <= now)
    }
}

/// An alert with its first and its newest payload. Its texts are those of the newest report, and its hosts those of all
/// reports.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alert {
    /// Everything except the payload.
    pub summary: AlertSummary,
    /// The payload that opened it as JSON text: the body of a generic alert, or the item of a metrics webhook.
    pub payload: String,
    /// The payload of the newest report, if one since the first says something else.
    #[cfg_attr(feature = "serde", serde(default))]
    pub latest_payload: Option<String>,
}

impl Alert {
    /// Returns the payload of the newest report.
    pub fn newest_payload(&self) -> &str {
        self.latest_payload.as_deref().unwrap_or(&self.payload)
    }
}

/// Alert to insert, with reserved numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewAlert {
    /// The alert, with the payload of the first delivery.
    pub alert: Alert,
    /// Identity of the alert.
    pub identity: AlertIdentity,
    /// Digest of the newest report.
    #[cfg_attr(feature = "serde", serde(default))]
    pub report: ReportDigest,
}

/// The newest report of an alert, as far as intake needs it to recognise one that says something new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReportState {
    /// Format of the alert's payloads.
    pub source: Source,
    /// Digest of the newest report.
    pub digest: ReportDigest,
    /// Severity of the alert, which a user may have changed.
    pub severity: Severity,
    /// Severity according to the sender.
    pub reported_severity: Severity,
}

/// The data of an existing alert that intake needs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KnownAlert {
    /// Project of the alert.
    pub project_id: ProjectId,
    /// Identity of the alert.
    pub identity: AlertIdentity,
    /// Id.
    pub id: AlertId,
    /// Number of the alert within the project.
    pub iid: AlertIid,
    /// Title.
    pub title: String,
    /// Status.
    pub status: AlertStatus,
    /// Start of the latest occurrence.
    pub last_start: Start,
    /// True if a user resolved the alert, and its sender has not reported the end.
    pub resolved_by_hand: bool,
    /// The affected hosts of all its reports.
    pub hosts: Vec<String>,
    /// Newest report.
    pub report: ReportState,
    /// Number of times in a row that the alert fired again within an hour of its end.
    pub flaps: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_round_trip_through_names_and_numbers() {
        for severity in Severity::ALL {
            assert_eq!(Severity::parse(severity.as_str()), Some(severity));
            assert_eq!(Severity::from_number(severity.number()), Some(severity));
        }
        assert_eq!(
            (Severity::Critical.number(), Severity::Unknown.number()),
            (0, 5)
        );
        assert!(Severity::ALL.is_sorted());
    }

    #[test]
    fn a_row_that_contradicts_itself_has_no_status() {
        let end = Some(Timestamp::MIN);
        for (number, ended_at) in [(0, end), (1, end), (2, None), (3, end), (4, None)] {
            assert_eq!(AlertStatus::from_row(number, ended_at), None);
        }
        for status in [
            AlertStatus::Triggered,
            AlertStatus::Acknowledged,
            AlertStatus::Resolved {
                ended_at: Timestamp::MIN,
            },
            AlertStatus::Ignored,
        ] {
            assert_eq!(
                AlertStatus::from_row(status.number(), status.ended_at()),
                Some(status)
            );
        }
    }
}
