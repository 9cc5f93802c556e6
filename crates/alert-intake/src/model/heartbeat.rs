//! Heartbeats: signs of life that an endpoint expects regularly.

use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Rule of an endpoint that expects a heartbeat. Every request to such an endpoint is a sign of life, unless its body says that
/// something is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeartbeatRule {
    /// Seconds between two heartbeats: at least 1, at most [`MAX_SECONDS`](Self::MAX_SECONDS).
    pub interval: u32,
    /// Seconds for which a heartbeat may be late: at most [`MAX_SECONDS`](Self::MAX_SECONDS).
    pub grace: u32,
}

impl HeartbeatRule {
    /// Longest interval, and longest grace: 31 days.
    pub const MAX_SECONDS: u32 = 31 * 86_400;

    /// True if both numbers are within their bounds.
    pub fn is_valid(self) -> bool {
        (1..=Self::MAX_SECONDS).contains(&self.interval) && self.grace <= Self::MAX_SECONDS
    }

    /// Seconds without a heartbeat after which one is missing.
    pub fn patience(self) -> i64 {
        i64::from(self.interval) + i64::from(self.grace)
    }
}

/// State of the heartbeat of an endpoint, from its first sign of life on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Heartbeat {
    /// The endpoint.
    pub integration_id: IntegrationId,
    /// Project of the endpoint.
    pub project_id: ProjectId,
    /// Time of the last sign of life.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub last_at: Timestamp,
    /// Seconds without a heartbeat after which one is missing, by the rule at the last sign of life.
    pub patience: i64,
    /// Time from which the heartbeat is missing; `None` once that is reported, until the next sign of life.
    #[cfg_attr(
        feature = "serde",
        serde(with = "api_conventions::stored::optional_timestamp")
    )]
    pub due_at: Option<Timestamp>,
}

impl Heartbeat {
    /// Creates the state after a sign of life at `now`.
    pub fn at(
        (project_id, integration_id): (ProjectId, IntegrationId),
        rule: HeartbeatRule,
        now: Timestamp,
    ) -> Self {
        let patience = rule.patience();
        Self {
            integration_id,
            project_id,
            last_at: now,
            patience,
            due_at: Some(now.plus_seconds(patience)),
        }
    }

    /// True if the heartbeat is missing and that is reported.
    pub const fn is_missing(&self) -> bool {
        self.due_at.is_none()
    }
}
