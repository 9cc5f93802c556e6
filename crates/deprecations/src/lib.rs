//! A published schedule of deprecations, and the adaptation of an API to the releases in it.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: announcements, release dates, and the parts of the API that announcements touch.
//! * [`mod@format`]: the file of an announcement.
//! * [`schedule`]: all records, and the removals, announcements and introductions of a release.
//! * [`published`](mod@published): the schedule of this workspace's own API.
//! * [`filter`]: filters for lists of records.
//! * [`headers`]: the values of `Deprecation` and `Sunset`.
//! * [`mod@annotate`]: annotation of an API document with deprecations.
//! * [`adapt`]: adaptation of an operation's requests and responses to older releases.
//! * [`inspect`]: check of a client's calls, from a document, a recording or a log, against a schedule.
//! * [`feed`]: feeds of the schedule for news readers and calendars.
//! * [`wire`]: the JSON of records and releases.
//! * [`usage`]: usage of deprecated features, by user and credential.
//! * [`store`]: the repository traits for usage, which an adapter implements.
//!
//! # Invariants
//! * A handler implements the newest and the oldest release at once: it accepts and returns everything that any release
//!   has. Everything that a release does not have is removed before and after it, in one place.
//! * A server checks for a behaviour by its name, never by a release number.
//! * Nothing here reads the clock: the caller passes the day to ask whether a release is out.

pub mod adapt;
pub mod annotate;
pub mod feed;
pub mod filter;
pub mod format;
pub mod headers;
pub mod inspect;
pub mod model;
pub mod published;
pub mod schedule;
#[cfg(feature = "schema")]
mod schema;
pub mod store;
pub mod usage;
pub mod wire;

pub use filter::Filter;
pub use model::{
    API_VERSION, Calendar, Edition, Effect, Endpoint, Enforcement, Life, Milestone, Monthly,
    Pairing, Record, RecordStatus, Site, SubjectKind, Touch, calendar,
};
pub use published::{NEWEST, OLDEST, PREVIEW, edition_named, published, release_named};
pub use schedule::{Changes, Schedule};
pub use store::{
    UseQueries, UseQueriesWrapper, UseReadTx, UseRepository, UseRepositoryWrapper, UseStore,
    UseWriteTx,
};
pub use usage::{Holder, Use, UseCount, UseKey, UseSum};
