//! Events of the activity feed.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::{Action, PushData, TargetType};

/// Audience of an event, among those who can see the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Everyone who may see the project.
    Everyone,
    /// Members from Reporter up, as for confidential issues and internal notes.
    Reporters,
    /// Members from Developer up, as for alerts.
    Developers,
}

impl Audience {
    /// Number in rows: the minimum role, 0 for none.
    pub const fn number(self) -> i16 {
        match self {
            Self::Everyone => 0,
            Self::Reporters => AccessLevel::Reporter.number(),
            Self::Developers => AccessLevel::Developer.number(),
        }
    }

    /// The audience with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::Everyone, Self::Reporters, Self::Developers]
            .into_iter()
            .find(|audience| audience.number() == number)
    }
}

#[cfg(feature = "serde")]
api_conventions::stored_as_number!(Audience);

/// Target of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventTarget {
    /// Target type.
    pub kind: TargetType,
    /// Global id.
    pub id: i64,
    /// Number within the project; the id again for a target that has no number.
    pub iid: i64,
    /// Title at the time of the event, if the target has one.
    pub title: Option<String>,
}

/// An event of the activity feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeedEvent {
    /// Id; later events have greater ids.
    pub id: EventId,
    /// Project of the event.
    pub project_id: ProjectId,
    /// User who performed the action.
    pub author_id: UserId,
    /// Action.
    pub action: Action,
    /// Target; `None` for the project itself, and for pushes.
    pub target: Option<EventTarget>,
    /// Push, for [`Action::Pushed`] only.
    pub push: Option<PushData>,
    /// Time of the event.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}

impl FeedEvent {
    /// Time for which events are kept, in seconds: three years, one of which may be a leap year (`EVT-07`).
    pub const RETENTION_SECONDS: i64 = (3 * 365 + 1) * 86_400;
}

/// An event to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewEvent {
    /// Project of the event.
    pub project_id: ProjectId,
    /// User who performed the action.
    pub author_id: UserId,
    /// Action.
    pub action: Action,
    /// Target; `None` for the project itself, and for pushes.
    pub target: Option<EventTarget>,
    /// Push, for [`Action::Pushed`] only.
    pub push: Option<PushData>,
    /// Audience that may read it.
    pub audience: Audience,
    /// Current time.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}
