//! Silences: times during which nobody hears of certain alerts.

use api_conventions::ids::{IntegrationId, ProjectId, SilenceId};
use api_conventions::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::AlertIdentity;

/// Condition on a label of an alert, in the form of Alertmanager's API. A label that the alert lacks counts as empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LabelMatcher {
    /// Name of the label.
    pub name: String,
    /// Value, or a regular expression for the whole value.
    pub value: String,
    /// True if the value is a regular expression.
    pub is_regex: bool,
    /// False for the opposite condition: another value, or one that the expression does not match.
    #[serde(default = "equal")]
    pub is_equal: bool,
}

const fn equal() -> bool {
    true
}

/// State of a silence, which follows from its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SilenceState {
    /// Hides alerts.
    Active,
    /// Begins later.
    Pending,
    /// Over.
    Expired,
}

impl SilenceState {
    /// Name in bodies and parameters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Pending => "pending",
            Self::Expired => "expired",
        }
    }
}

/// Silence to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewSilence {
    /// The project.
    pub project_id: ProjectId,
    /// Conditions on the labels of alerts, all of which must hold: 1 to [`Silence::MAX_MATCHERS`]. They never change.
    pub matchers: Vec<LabelMatcher>,
    /// First instant of the silence.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub starts_at: Timestamp,
    /// First instant after the silence.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub ends_at: Timestamp,
    /// Author, at most [`Silence::MAX_AUTHOR`] characters.
    pub created_by: String,
    /// Reason, at most [`Silence::MAX_COMMENT`] characters.
    pub comment: String,
    /// Time of the last change.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub updated_at: Timestamp,
    /// Time at which the silence begins or ends; `None` once the end is dealt with.
    #[cfg_attr(
        feature = "serde",
        serde(with = "api_conventions::stored::optional_timestamp")
    )]
    pub due_at: Option<Timestamp>,
}

/// Time during which nobody hears of the alerts of a project that match. They are stored and listed all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Silence {
    /// Id.
    pub id: SilenceId,
    /// Everything else.
    pub content: NewSilence,
}

impl Silence {
    /// Largest number of matchers.
    pub const MAX_MATCHERS: usize = 50;
    /// Longest name and value of a matcher, in characters.
    pub const MAX_TEXT: usize = 1000;
    /// Longest author, in characters.
    pub const MAX_AUTHOR: usize = 255;
    /// Longest comment, in characters.
    pub const MAX_COMMENT: usize = 1000;
    /// Longest silence in seconds: ten years.
    pub const MAX_SECONDS: i64 = 10 * 366 * 86_400;
    /// Largest number of silences of a project that are not over.
    pub const MAX_UNEXPIRED: usize = 500;
    /// Seconds for which a silence is kept after its end: five days, as in Alertmanager.
    pub const RETENTION_SECONDS: i64 = 5 * 86_400;

    /// Returns the state at `now`.
    pub fn state(&self, now: Timestamp) -> SilenceState {
        if self.content.ends_at <= now {
            SilenceState::Expired
        } else if self.content.starts_at > now {
            SilenceState::Pending
        } else {
            SilenceState::Active
        }
    }
}

/// Time at which an alert counts as resolved unless its sender reports it again, as Alertmanager's API defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AlertExpiry {
    /// The project.
    pub project_id: ProjectId,
    /// Identity of the alert.
    pub identity: AlertIdentity,
    /// Endpoint that received the last report.
    pub integration_id: IntegrationId,
    /// End according to the last report.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub expires_at: Timestamp,
}
