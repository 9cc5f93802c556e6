//! Entries of the feed.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::{Action, TargetType};

/// Who, of those who may see the project, may read an entry.
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
    /// The number in rows: the role that is needed, 0 for none.
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

/// The thing that something was done to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EventTarget {
    /// What kind of thing.
    pub kind: TargetType,
    /// Its global id.
    pub id: i64,
    /// Its number within the project; the id again for a thing that has none.
    pub iid: i64,
    /// Its title at that time, if it has one.
    pub title: Option<String>,
}

/// An entry of the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// Its id; later entries have greater ones.
    pub id: EventId,
    /// Where it happened.
    pub project_id: ProjectId,
    /// Who did it.
    pub author_id: UserId,
    /// What was done.
    pub action: Action,
    /// What it was done to; `None` for the project itself.
    pub target: Option<EventTarget>,
    /// When.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewEvent {
    /// Where it happened.
    pub project_id: ProjectId,
    /// Who did it.
    pub author_id: UserId,
    /// What was done.
    pub action: Action,
    /// What it was done to; `None` for the project itself.
    pub target: Option<EventTarget>,
    /// Who may read it.
    pub audience: Audience,
    /// Now.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub created_at: Timestamp,
}
