//! Filter and order of a list of errors.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{Position, SortOrder};
use api_conventions::time::Timestamp;

use super::{Level, TrackedError};

api_conventions::named! {
    /// Statuses by which errors are listed (specification, the states of errors).
    #[derive(Default)]
    pub enum StatusName {
        /// The error is unresolved.
        #[default]
        Unresolved = 0, "unresolved";
        /// The error is resolved.
        Resolved = 1, "resolved";
        /// The error is ignored.
        Ignored = 2, "ignored";
    }
}

api_conventions::named! {
    /// Sort columns of a list of errors.
    #[derive(Default)]
    pub enum ErrorOrder {
        /// By the latest event.
        #[default]
        LastSeen = 0, "last_seen";
        /// By the first event.
        FirstSeen = 1, "first_seen";
        /// By the number of events.
        Frequency = 2, "frequency";
        /// By the number of users.
        Users = 3, "users";
        /// By the id: in the order in which the errors appeared.
        Id = 4, "id";
    }
}

impl ErrorOrder {
    /// Position of an error in a list with this order.
    pub fn position(self, error: &TrackedError) -> Position {
        let value = match self {
            Self::LastSeen => error.last_seen.as_micros(),
            Self::FirstSeen => error.first_seen.as_micros(),
            Self::Frequency => error.events,
            Self::Users => error.users,
            Self::Id => error.id.get(),
        };
        Position::new(value, error.iid.get())
    }
}

/// Filter of a project's errors.
/// All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only errors with this status.
    pub status: Option<StatusName>,
    /// Only errors whose latest event is of this level.
    pub level: Option<Level>,
    /// Only errors that have an event with each of these tags, by name and value.
    /// The environment and the release of an event are tags, too.
    pub tags: Vec<(String, String)>,
    /// Only errors whose title or culprit contains this text, ignoring case.
    pub search: Option<String>,
    /// Only errors that are assigned to this user.
    pub assignee_id: Option<UserId>,
    /// Only errors whose latest event was received at this time or later.
    pub seen_from: Option<Timestamp>,
    /// Only errors whose first event was received before this time.
    pub seen_before: Option<Timestamp>,
    /// Sort column; the number breaks ties.
    pub order_by: ErrorOrder,
    /// Sort direction.
    pub sort: SortOrder,
    /// Only errors after this [position](ErrorOrder::position) of the list, to continue it.
    pub after: Option<Position>,
}

impl ErrorFilter {
    /// Selects all errors of a project, the last seen first.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            status: None,
            level: None,
            tags: Vec::new(),
            search: None,
            assignee_id: None,
            seen_from: None,
            seen_before: None,
            order_by: ErrorOrder::LastSeen,
            sort: SortOrder::Descending,
            after: None,
        }
    }
}
