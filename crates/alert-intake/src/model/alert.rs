//! An alert and its states.

use std::fmt;

use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId};
use api_conventions::time::Timestamp;

/// How bad it is, as the specification's severity table says. Ordered from least to most critical; the numbers
/// of rows grow the other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The sender said that it does not know.
    Unknown,
    /// For information.
    Info,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Critical, also when the sender said nothing or something that has no meaning here.
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

    /// The words of all severities, for documents.
    pub const NAMES: [&str; 6] = ["unknown", "info", "low", "medium", "high", "critical"];

    /// The word in bodies and parameters.
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

    /// The severity with exactly this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|severity| severity.as_str() == word)
    }

    /// The number in rows: 0 for critical to 5 for unknown.
    pub const fn number(self) -> i16 {
        5 - self as i16
    }

    /// The severity with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|severity| severity.number() == number)
    }
}

/// Where an alert stands. Every status but resolved is open: it absorbs repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum AlertStatus {
    /// It fires and nobody has looked.
    Triggered,
    /// Somebody looks into it.
    Acknowledged,
    /// It is over.
    Resolved {
        /// When it ended.
        #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
        ended_at: Timestamp,
    },
    /// Nobody will look.
    Ignored,
}

impl AlertStatus {
    /// The word in bodies and parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Triggered => "triggered",
            Self::Acknowledged => "acknowledged",
            Self::Resolved { .. } => "resolved",
            Self::Ignored => "ignored",
        }
    }

    /// The number in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Triggered => 0,
            Self::Acknowledged => 1,
            Self::Resolved { .. } => 2,
            Self::Ignored => 3,
        }
    }

    /// The status with this number and end; `None` when the two contradict each other.
    pub fn from_row(number: i16, ended_at: Option<Timestamp>) -> Option<Self> {
        match (number, ended_at) {
            (0, None) => Some(Self::Triggered),
            (1, None) => Some(Self::Acknowledged),
            (2, Some(ended_at)) => Some(Self::Resolved { ended_at }),
            (3, None) => Some(Self::Ignored),
            _ => None,
        }
    }

    /// When it ended, if it did.
    pub const fn ended_at(self) -> Option<Timestamp> {
        match self {
            Self::Resolved { ended_at } => Some(ended_at),
            Self::Triggered | Self::Acknowledged | Self::Ignored => None,
        }
    }

    /// Whether repeats are counted on this alert.
    pub const fn is_open(self) -> bool {
        self.ended_at().is_none()
    }
}

/// Which reading of a payload an alert came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Any JSON object.
    Generic,
    /// An item of a metrics-alerting system's webhook.
    Metrics,
}

impl Source {
    /// The number in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Generic => 0,
            Self::Metrics => 1,
        }
    }

    /// The source with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::Generic, Self::Metrics]
            .into_iter()
            .find(|source| source.number() == number)
    }
}

#[cfg(feature = "serde")]
api_conventions::stored_as_number!(Severity, Source);

/// What makes two payloads the same alert: a digest, unique per project among open alerts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct AlertIdentity([u8; 32]);

impl AlertIdentity {
    /// The identity with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
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

/// When an occurrence began, and on whose word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Start {
    /// When.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub at: Timestamp,
    /// Whether a sender said so. Otherwise it is the time of an arrival that stands in for what nobody said, and that
    /// is later than the true one.
    pub is_stated: bool,
}

impl Start {
    /// A start that a sender named.
    pub const fn stated(at: Timestamp) -> Self {
        Self {
            at,
            is_stated: true,
        }
    }

    /// The time that stands in for a start that no sender named.
    pub const fn arrival(at: Timestamp) -> Self {
        Self {
            at,
            is_stated: false,
        }
    }

    /// The later of two starts. Of two at the same time the stated one.
    #[must_use]
    pub fn or_later(self, other: Self) -> Self {
        if (other.at, other.is_stated) > (self.at, self.is_stated) {
            other
        } else {
            self
        }
    }
}

/// An alert as lists show it: everything but its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlertSummary {
    /// Its id.
    pub id: AlertId,
    /// Its number within the project.
    pub iid: AlertIid,
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// How its payload is to be read.
    pub source: Source,
    /// The title, at most 200 characters.
    pub title: String,
    /// The description, at most 1000 characters; may be empty.
    pub description: String,
    /// How bad it is.
    pub severity: Severity,
    /// Where it stands.
    pub status: AlertStatus,
    /// The affected service, at most 100 characters; may be empty.
    pub service: String,
    /// The name of the tool that sent it, at most 100 characters; may be empty.
    pub monitoring_tool: String,
    /// The affected hosts, at most 255 characters together.
    pub hosts: Vec<String>,
    /// The environment that it names, if any.
    pub environment_name: Option<String>,
    /// When it first fired.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub started_at: Timestamp,
    /// When its latest occurrence began.
    pub last_start: Start,
    /// How often it fired: items of a webhook with a start of their own, and generic payloads.
    pub occurrences: i64,
    /// How often a payload about it came, retries and repeats included, but for those that an idempotency key told.
    pub deliveries: i64,
    /// When it was stored.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
    /// When it last changed.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub updated_at: Timestamp,
}

/// An alert with the payload that opened it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Alert {
    /// Everything else.
    pub summary: AlertSummary,
    /// The payload as JSON text: the body of a generic alert, or the item of a metrics webhook.
    pub payload: String,
}

/// An alert to be written, with numbers reserved for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewAlert {
    /// The alert. Its payload is the one of the first delivery.
    pub alert: Alert,
    /// What makes payloads the same alert.
    pub identity: AlertIdentity,
}

/// What intake needs to know of an alert that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KnownAlert {
    /// Its project.
    pub project_id: ProjectId,
    /// Its identity.
    pub identity: AlertIdentity,
    /// Its id.
    pub id: AlertId,
    /// Its number within the project.
    pub iid: AlertIid,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub status: AlertStatus,
    /// When its latest occurrence began.
    pub last_start: Start,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_of_severities_lead_back() {
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
