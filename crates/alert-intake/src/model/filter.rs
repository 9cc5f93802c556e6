//! Which alerts a list holds, and in which order.

use api_conventions::ids::ProjectId;
use api_conventions::page::{Position, SortOrder};

use super::{AlertSummary, Severity};

/// The column that a list of alerts is ordered by. Ties break on the id, in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlertOrder {
    /// The order in which alerts were stored: the default.
    #[default]
    Created,
    /// When they first fired.
    StartedAt,
    /// When they last changed.
    UpdatedAt,
    /// From least to most critical.
    Severity,
    /// How often they fired.
    Occurrences,
}

impl AlertOrder {
    /// The words of all orders, for documents.
    pub const NAMES: [&str; 5] = [
        "created_at",
        "started_at",
        "updated_at",
        "severity",
        "event_count",
    ];

    /// The order with this word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "created_at" => Some(Self::Created),
            "started_at" => Some(Self::StartedAt),
            "updated_at" => Some(Self::UpdatedAt),
            "severity" => Some(Self::Severity),
            "event_count" => Some(Self::Occurrences),
            _ => None,
        }
    }

    /// The position of an alert in a list of this order.
    pub fn position(self, alert: &AlertSummary) -> Position {
        let number = alert.iid.get();
        let value = match self {
            Self::Created => number,
            Self::StartedAt => alert.started_at.as_micros(),
            Self::UpdatedAt => alert.updated_at.as_micros(),
            // The numbers of severities fall as they get worse.
            Self::Severity => -i64::from(alert.severity.number()),
            Self::Occurrences => alert.occurrences,
        };
        Position::new(value, number)
    }
}

/// Which alerts of one project to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only these statuses, by the numbers of [`AlertStatus`](super::AlertStatus); empty for any.
    pub statuses: Vec<i16>,
    /// Only these severities; empty for any.
    pub severities: Vec<Severity>,
    /// Only those whose title, description, service or monitoring tool holds this text, in any case.
    pub search: Option<String>,
    /// The column to order by.
    pub order_by: AlertOrder,
    /// The direction.
    pub sort: SortOrder,
    /// Only alerts behind this [position](AlertOrder::position) of the list: where a search went on before.
    pub after: Option<Position>,
}

impl AlertFilter {
    /// All alerts of a project, the latest first.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            statuses: Vec::new(),
            severities: Vec::new(),
            search: None,
            order_by: AlertOrder::default(),
            sort: SortOrder::default(),
            after: None,
        }
    }
}
