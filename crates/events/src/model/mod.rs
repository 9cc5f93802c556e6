//! Events of the feed and their vocabulary.

mod contribution;
mod event;
mod filter;
mod ids;
mod names;
mod push;
#[cfg(test)]
#[cfg(feature = "serde")]
mod stored_tests;
mod vocabulary;

pub use contribution::{ContributionCount, ContributionFilter, ContributionGroup};
pub use event::{Audience, EventTarget, FeedEvent, NewEvent};
pub use filter::{
    AuthorFilter, AuthoredEvent, Days, EventFilter, EventIdRange, FeedRights, ProjectSetFilter,
};
pub use ids::EventIdState;
pub use names::{Action, CustomAction, CustomTarget, HostWords, TargetType};
pub use push::{CommitRange, PushData, PushedRef, PushedRefs, RefAction, RefKind};
pub use vocabulary::Vocabulary;
