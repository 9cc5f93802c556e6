//! The activity feed.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: entries, the words for actions and targets, filters.
//! * [`flow`]: one use case per module.
//! * [`store`]: the repository traits that an adapter implements.
//! * [`wire`]: the JSON of an entry.
//!
//! # Invariants
//! * Ids rise with time, and the feed is ordered by them alone.
//! * Who may read an entry is decided when it is written and stored with it, so that a page is filtered by the
//!   database and is always full.
//! * The word to filter by (`created`) and the word that is shown (`opened`) differ. Both are in a [`Vocabulary`].
//! * Rows have numbers, so a store keeps the actions and targets of a host without knowing their words.

pub mod flow;
pub mod model;
pub mod store;
pub mod wire;

pub use model::{
    Action, Audience, AuthorFilter, AuthoredEvent, CustomAction, CustomTarget, Days, Event,
    EventFilter, EventTarget, HostWords, NewEvent, TargetType, Vocabulary,
};
pub use store::{
    EventQueries, EventQueriesWrapper, EventReadTx, EventRepository, EventRepositoryWrapper,
    EventStore, EventWriteTx,
};
