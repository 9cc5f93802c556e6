//! List of the open alerts of several projects.

use std::fmt;

use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::time::Timestamp;

use super::{AlertSummary, Severity};

/// Status of an open alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenStatus {
    /// The alert is firing and nobody has acknowledged it.
    Triggered,
    /// Someone is working on the alert.
    Acknowledged,
}

impl OpenStatus {
    /// Both statuses.
    pub const ALL: [Self; 2] = [Self::Triggered, Self::Acknowledged];
    /// Names of both statuses, for documentation.
    pub const NAMES: [&str; 2] = ["triggered", "acknowledged"];

    /// Parses the name of a status.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "triggered" => Some(Self::Triggered),
            "acknowledged" => Some(Self::Acknowledged),
            _ => None,
        }
    }

    /// Returns the number of the [`AlertStatus`](super::AlertStatus) that is stored in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Triggered => 0,
            Self::Acknowledged => 1,
        }
    }
}

/// Filter of a list of the open alerts of several projects. All conditions must hold.
/// The list begins with the most severe alerts, and of one severity with the earliest started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenAlertFilter {
    /// The projects, each once.
    pub projects: Vec<ProjectId>,
    /// Only this status; `None` for both.
    pub status: Option<OpenStatus>,
    /// Only these severities; empty for any.
    pub severities: Vec<Severity>,
    /// Only alerts after this position in the list.
    pub after: Option<OpenAlertPosition>,
}

impl OpenAlertFilter {
    /// Returns the statuses that match.
    pub fn statuses(&self) -> &[OpenStatus] {
        match &self.status {
            Some(status) => std::slice::from_ref(status),
            None => &OpenStatus::ALL,
        }
    }
}

/// Position of an alert in the list of open alerts of several projects. Positions order as the list does: by severity, start,
/// number and project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenAlertPosition {
    /// Number of the [`Severity`], which decreases as alerts get more critical.
    pub severity: i16,
    /// Start of the first occurrence.
    pub started_at: Timestamp,
    /// Number of the alert within its project.
    pub iid: AlertIid,
    /// The project.
    pub project_id: ProjectId,
}

impl OpenAlertPosition {
    /// Regular expression of the text of a position, for documentation.
    pub const PATTERN: &str = "^[0-5](_-?[0-9]{1,19}){3}$";

    /// Returns the position of an alert.
    pub fn of(alert: &AlertSummary) -> Self {
        Self {
            severity: alert.severity.number(),
            started_at: alert.started_at,
            iid: alert.iid,
            project_id: alert.project_id,
        }
    }

    /// Parses the text of a position; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('_').map(str::parse::<i64>);
        let mut number = || parts.next()?.ok();
        let severity = i16::try_from(number()?).ok();
        let position = Self {
            severity: severity.filter(|number| (0..=5).contains(number))?,
            started_at: Timestamp::from_micros(number()?)?,
            iid: AlertIid::new(number()?),
            project_id: ProjectId::new(number()?),
        };
        parts.next().is_none().then_some(position)
    }
}

impl fmt::Display for OpenAlertPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.started_at.as_micros();
        let (severity, iid, project) = (self.severity, self.iid, self.project_id);
        write!(f, "{severity}_{micros}_{iid}_{project}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_are_written_and_nothing_else_is_one() {
        let position = OpenAlertPosition {
            severity: 5,
            started_at: Timestamp::from_micros(-1).unwrap(),
            iid: AlertIid::new(7),
            project_id: ProjectId::new(i64::MAX),
        };
        let text = position.to_string();
        assert_eq!(text, format!("5_-1_7_{}", i64::MAX));
        assert_eq!(OpenAlertPosition::parse(&text), Some(position));
        for other in [
            "",
            "5",
            "6_1_1_1",
            "-1_1_1_1",
            "5_1_1",
            "5_1_1_1_1",
            "5_1_1_x",
            "5_9223372036854775807_1_1",
        ] {
            assert_eq!(OpenAlertPosition::parse(other), None, "{other}");
        }
    }

    #[test]
    fn statuses_have_the_names_and_numbers_of_alerts() {
        use super::super::AlertStatus;
        let alerts = [AlertStatus::Triggered, AlertStatus::Acknowledged];
        for ((open, name), alert) in OpenStatus::ALL
            .into_iter()
            .zip(OpenStatus::NAMES)
            .zip(alerts)
        {
            assert_eq!(OpenStatus::parse(name), Some(open));
            assert_eq!((name, open.number()), (alert.as_str(), alert.number()));
        }
        assert_eq!(OpenStatus::parse("resolved"), None);
    }
}
