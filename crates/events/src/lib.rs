//! The activity feed.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: events, the words for actions and target types, filters.
//! * [`rules`]: what the feed shows of a push, which events count as contributions, and how a reader follows the feed.
//! * [`flow`]: one use case per module.
//! * [`store`]: the repository traits that an adapter implements.
//! * [`wire`]: the JSON of an event.
//!
//! # Invariants
//! * Ids rise with time, and the feed is ordered by them alone.
//! * The audience of an event is decided and stored when the event is written, so the database filters each page and
//!   every page is full.
//! * Pushes are for those who may fetch from the repository. That changes with the settings of the project, so it is a
//!   condition of the filter and not stored.
//! * The filter word (`created`) and the displayed word (`opened`) can differ. A [`Vocabulary`] has both.
//! * Rows hold numbers, so a store keeps the actions and target types of a host without knowing their words.

pub mod flow;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;

pub use model::{
    Action, Audience, AuthorFilter, AuthoredEvent, CommitRange, ContributionCount,
    ContributionFilter, ContributionGroup, CustomAction, CustomTarget, Days, EventFilter,
    EventIdRange, EventIdState, EventTarget, FeedEvent, FeedRights, HostWords, NewEvent,
    ProjectSetFilter, PushData, PushedRef, PushedRefs, RefAction, RefKind, TargetType, Vocabulary,
};
pub use store::{
    EventQueries, EventQueriesWrapper, EventReadTx, EventRepository, EventRepositoryWrapper,
    EventStore, EventWriteTx,
};
