//! Statuses for display: a word and a shape, so that color is never the only cue.

use alert_intake::model::{AlertStatus, Severity, SilenceState};
use api_conventions::access::Visibility;
use error_tracking::model::Level;
use error_tracking::rules::status::Status;
use pipelines::model::{CiStatus, DeploymentStatus};
use projects::{IssueSeverity, IssueState, MilestoneState};

/// Word with a matching shape and color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pill {
    /// Displayed word.
    pub word: &'static str,
    /// Name of the color in the stylesheet.
    pub tone: &'static str,
    /// Shape: the `d` attribute of a path in a 12 by 12 square.
    pub shape: &'static str,
}

const DIAMOND: &str = "M6 0.5 11.5 6 6 11.5 0.5 6z";
const UP: &str = "M6 1 11.5 10.5H0.5z";
const SQUARE: &str = "M1.5 1.5h9v9h-9z";
const DOWN: &str = "M6 11 0.5 1.5h11z";
const DISC: &str = "M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1z";
const RING: &str = "M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6z";
const HALF: &str = "M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1zm0 1.8v6.4a3.2 3.2 0 0 0 0-6.4z";
const CHECK: &str = "M4.6 10.3.9 6.6l1.5-1.5 2.2 2.2 5-5 1.5 1.5z";
const DASH: &str = "M1 4.8h10v2.4H1z";
const LOCK: &str = "M3 5V4a3 3 0 0 1 6 0v1h1v6H2V5zm1.5 0h3V4a1.5 1.5 0 0 0-3 0z";
const SHIELD: &str = "M6 .5 11 2v4c0 3-2.2 4.8-5 5.7C3.2 10.8 1 9 1 6V2z";

impl Pill {
    /// Resource that only some of the project's viewers can see.
    pub const CONFIDENTIAL: Self = Self::new("Confidential", "medium", LOCK);
    /// An issue that is an incident.
    pub const INCIDENT: Self = Self::new("Incident", "high", UP);

    /// Heartbeat without a sign of life so far.
    pub const NEW: Self = Self::new("New", "unknown", RING);
    /// Heartbeat that arrives in time.
    pub const ALIVE: Self = Self::new("Alive", "ok", CHECK);
    /// Heartbeat that is missing.
    pub const MISSING: Self = Self::new("Missing", "critical", DIAMOND);

    /// Job whose run did not end in time.
    pub const TIMED_OUT: Self = Self::new("Timed out", "high", UP);
    /// Job with a run in progress.
    pub const RUNNING: Self = Self::new("Running", "info", HALF);

    /// Message that waits to be sent.
    pub const WAITING: Self = Self::new("Waiting", "unknown", RING);
    /// Message that is being sent.
    pub const SENDING: Self = Self::new("Sending", "info", HALF);
    /// Message that the receiver accepted.
    pub const SENT: Self = Self::new("Sent", "ok", CHECK);
    /// Message that the receiver refused.
    pub const FAILED: Self = Self::new("Failed", "high", UP);
    /// Message whose reason ended before it was sent.
    pub const CANCELLED: Self = Self::new("Cancelled", "unknown", DASH);
    /// Message that waited for too long.
    pub const DROPPED: Self = Self::new("Dropped", "medium", DOWN);
    /// Channel whose last attempt failed.
    pub const FAILING: Self = Self::new("Failing", "high", UP);

    /// An alert that keeps firing and ending.
    pub const FLAPPING: Self = Self::new("Flapping", "medium", HALF);
    /// Open alert whose sender fell silent.
    pub const STALE: Self = Self::new("Stale", "unknown", RING);

    /// Open alert that a silence hides.
    pub const SILENCED: Self = Self::new("Silenced", "info", DASH);

    /// An error that was resolved and happened again.
    pub const REGRESSED: Self = Self::new("Regressed", "high", UP);

    /// Change that breaks clients.
    pub const BREAKING: Self = Self::new("Breaking", "high", UP);
    /// Feature available in a release.
    pub const AVAILABLE: Self = Self::new("Available", "ok", CHECK);
    /// Feature of a release that a later one removes.
    pub const DEPRECATED: Self = Self::new("Deprecated", "medium", HALF);
    /// Feature removed in a release.
    pub const REMOVED: Self = Self::new("Removed", "unknown", DASH);
    /// Feature not yet in a release.
    pub const UPCOMING: Self = Self::new("Upcoming", "info", RING);

    /// Enabled endpoint or feature.
    pub const ON: Self = Self::new("On", "ok", CHECK);
    /// Disabled endpoint or feature.
    pub const OFF: Self = Self::new("Off", "unknown", DASH);

    /// A delivery that was stored.
    pub const STORED: Self = Self::new("Stored", "ok", CHECK);
    /// Delivery that was refused.
    pub const REFUSED: Self = Self::new("Refused", "high", UP);

    const fn new(word: &'static str, tone: &'static str, shape: &'static str) -> Self {
        Self { word, tone, shape }
    }
}

impl From<Severity> for Pill {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Critical => Self::new("Critical", "critical", DIAMOND),
            Severity::High => Self::new("High", "high", UP),
            Severity::Medium => Self::new("Medium", "medium", SQUARE),
            Severity::Low => Self::new("Low", "low", DOWN),
            Severity::Info => Self::new("Info", "info", DISC),
            Severity::Unknown => Self::new("Unknown", "unknown", RING),
        }
    }
}

impl From<SilenceState> for Pill {
    fn from(state: SilenceState) -> Self {
        match state {
            SilenceState::Active => Self::new("Active", "ok", CHECK),
            SilenceState::Pending => Self::new("Pending", "info", RING),
            SilenceState::Expired => Self::new("Expired", "unknown", DASH),
        }
    }
}

impl From<Level> for Pill {
    fn from(level: Level) -> Self {
        match level {
            Level::Fatal => Self::new("Fatal", "critical", DIAMOND),
            Level::Error => Self::new("Error", "high", UP),
            Level::Warning => Self::new("Warning", "medium", SQUARE),
            Level::Info => Self::new("Info", "info", DISC),
            Level::Debug => Self::new("Debug", "unknown", RING),
        }
    }
}

impl From<&Status> for Pill {
    fn from(status: &Status) -> Self {
        match status {
            Status::Unresolved => Self::new("Unresolved", "firing", DISC),
            Status::Resolved(_) => Self::new("Resolved", "ok", CHECK),
            Status::Ignored(_) => Self::new("Ignored", "unknown", DASH),
        }
    }
}

impl From<AlertStatus> for Pill {
    fn from(status: AlertStatus) -> Self {
        match status {
            AlertStatus::Triggered => Self::new("Triggered", "firing", DISC),
            AlertStatus::Acknowledged => Self::new("Acknowledged", "medium", HALF),
            AlertStatus::Resolved { .. } => Self::new("Resolved", "ok", CHECK),
            AlertStatus::Ignored => Self::new("Ignored", "unknown", DASH),
        }
    }
}

impl From<MilestoneState> for Pill {
    fn from(state: MilestoneState) -> Self {
        match state {
            MilestoneState::Active => Self::new("Open", "ok", RING),
            MilestoneState::Closed => Self::new("Closed", "unknown", CHECK),
        }
    }
}

impl From<IssueSeverity> for Pill {
    fn from(severity: IssueSeverity) -> Self {
        let same = match severity {
            IssueSeverity::Critical => Severity::Critical,
            IssueSeverity::High => Severity::High,
            IssueSeverity::Medium => Severity::Medium,
            IssueSeverity::Low => Severity::Low,
            IssueSeverity::Unknown => Severity::Unknown,
        };
        same.into()
    }
}

impl From<IssueState> for Pill {
    fn from(state: IssueState) -> Self {
        match state {
            IssueState::Opened => Self::new("Open", "ok", RING),
            IssueState::Closed => Self::new("Closed", "unknown", CHECK),
        }
    }
}

impl From<CiStatus> for Pill {
    fn from(status: CiStatus) -> Self {
        match status {
            CiStatus::Created => Self::new("Created", "unknown", RING),
            CiStatus::Pending => Self::new("Pending", "medium", RING),
            CiStatus::Running => Self::new("Running", "info", HALF),
            CiStatus::Success => Self::new("Passed", "ok", CHECK),
            CiStatus::Failed => Self::new("Failed", "critical", DIAMOND),
            CiStatus::Canceled => Self::new("Canceled", "unknown", SQUARE),
            CiStatus::Skipped => Self::new("Skipped", "unknown", DASH),
        }
    }
}

impl From<DeploymentStatus> for Pill {
    fn from(status: DeploymentStatus) -> Self {
        match status {
            DeploymentStatus::Created => Self::new("Created", "unknown", RING),
            DeploymentStatus::Running => Self::new("Running", "info", HALF),
            DeploymentStatus::Success => Self::new("Deployed", "ok", CHECK),
            DeploymentStatus::Failed => Self::new("Failed", "critical", DIAMOND),
            DeploymentStatus::Canceled => Self::new("Canceled", "unknown", SQUARE),
        }
    }
}

impl From<Visibility> for Pill {
    fn from(visibility: Visibility) -> Self {
        match visibility {
            Visibility::Private => Self::new("Private", "unknown", LOCK),
            Visibility::Internal => Self::new("Internal", "unknown", SHIELD),
            Visibility::Public => Self::new("Public", "unknown", RING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_severities_have_the_same_shape() {
        let mut shapes = Severity::ALL.map(|severity| Pill::from(severity).shape);
        shapes.sort_unstable();
        assert!(shapes.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
