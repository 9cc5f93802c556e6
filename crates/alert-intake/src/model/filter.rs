//! Filters and order of alert lists.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{Position, SortOrder};

use super::{AlertSummary, Severity};

/// Sort column of an alert list. Ties break on the id, in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlertOrder {
    /// Order of storage: the default.
    #[default]
    Created,
    /// Start of the first occurrence.
    StartedAt,
    /// Time of the last change.
    UpdatedAt,
    /// Severity, from least to most critical.
    Severity,
    /// Number of occurrences.
    Occurrences,
    /// Urgency, the most urgent last: open alerts before others, the more severe ones first, and of one severity the one
    /// stored first. The descending list begins with the most urgent alert.
    Urgency,
}

impl AlertOrder {
    /// Names of all sort columns, for documentation.
    pub const NAMES: [&str; 6] = [
        "created_at",
        "started_at",
        "updated_at",
        "severity",
        "event_count",
        "urgency",
    ];

    /// Parses the name of a sort column.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "created_at" => Some(Self::Created),
            "started_at" => Some(Self::StartedAt),
            "updated_at" => Some(Self::UpdatedAt),
            "severity" => Some(Self::Severity),
            "event_count" => Some(Self::Occurrences),
            "urgency" => Some(Self::Urgency),
            _ => None,
        }
    }

    /// Returns the position of an alert in a list with this order.
    pub fn position(self, alert: &AlertSummary) -> Position {
        let number = alert.iid.get();
        let value = match self {
            Self::Created => number,
            Self::StartedAt => alert.started_at.as_micros(),
            Self::UpdatedAt => alert.updated_at.as_micros(),
            // The numbers of severities decrease as they get more critical.
            Self::Severity => -i64::from(alert.severity.number()),
            Self::Occurrences => alert.occurrences,
            // The alert that was stored first is the most urgent one of its rank.
            Self::Urgency => return Position::new(-urgency_rank(alert), -number),
        };
        Position::new(value, number)
    }

    /// True if a list by assignee has this order in an index.
    pub const fn is_indexed_by_assignee(self) -> bool {
        matches!(self, Self::Created | Self::Severity | Self::Urgency)
    }
}

/// Returns the rank of an alert in the order of urgency, 0 for the most urgent: critical, and triggered or acknowledged.
fn urgency_rank(alert: &AlertSummary) -> i64 {
    let is_over = i64::from(alert.status.number() > 1);
    6 * is_over + i64::from(alert.severity.number())
}

/// Filter and order of a project's alert list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only these statuses, by the numbers of [`AlertStatus`](super::AlertStatus); empty for any.
    pub statuses: Vec<i16>,
    /// Only these severities; empty for any.
    pub severities: Vec<Severity>,
    /// Only alerts assigned to this user. Use it only with an [order](AlertOrder::is_indexed_by_assignee) that has an
    /// index for it, and not together with an environment.
    pub assignee_id: Option<UserId>,
    /// Only alerts that name exactly this environment; upper and lower case differ.
    pub environment: Option<String>,
    /// Only alerts whose title, description, service or monitoring tool contains this text, ignoring case.
    pub search: Option<String>,
    /// Sort column.
    pub order_by: AlertOrder,
    /// Sort direction.
    pub sort: SortOrder,
    /// Only alerts after this [position](AlertOrder::position) in the list, to continue an earlier search.
    pub after: Option<Position>,
}

impl AlertFilter {
    /// Creates a filter for all alerts of a project, newest first.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            statuses: Vec::new(),
            severities: Vec::new(),
            assignee_id: None,
            environment: None,
            search: None,
            order_by: AlertOrder::default(),
            sort: SortOrder::default(),
            after: None,
        }
    }
}
