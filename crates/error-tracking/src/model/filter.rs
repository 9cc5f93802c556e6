//! Which errors to list.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{Position, SortOrder};
use api_conventions::time::Timestamp;

use super::{Level, TrackedError};

api_conventions::named! {
    /// The states that errors are listed by (specification, the states of errors).
    #[derive(Default)]
    pub enum StatusName {
        /// Nothing is done yet.
        #[default]
        Unresolved = 0, "unresolved";
        /// It is mended.
        Resolved = 1, "resolved";
        /// Nobody wants to hear of it.
        Ignored = 2, "ignored";
    }
}

api_conventions::named! {
    /// The orders of a list of errors.
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
        /// By the id: as the errors appeared.
        Id = 4, "id";
    }
}

impl ErrorOrder {
    /// The position of an error in a list of this order.
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

/// Which errors of a project to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only errors in this state.
    pub status: Option<StatusName>,
    /// Only errors whose latest event is of this level.
    pub level: Option<Level>,
    /// Only errors that have an event with each of these tags, by name and value. The environment and the release of an event
    /// are tags of it.
    pub tags: Vec<(String, String)>,
    /// Only errors whose title or culprit has this text, in any case.
    pub search: Option<String>,
    /// Only errors that this user is to mend.
    pub assignee_id: Option<UserId>,
    /// Only errors whose latest event came at this time or later.
    pub seen_from: Option<Timestamp>,
    /// Only errors whose first event came before this time.
    pub seen_before: Option<Timestamp>,
    /// The order; the number breaks ties.
    pub order_by: ErrorOrder,
    /// The direction.
    pub sort: SortOrder,
    /// Only errors behind this [position](ErrorOrder::position) of the list: where a list went on before.
    pub after: Option<Position>,
}

impl ErrorFilter {
    /// All errors of a project, the one that was seen last first.
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
