//! A published schedule of deprecations, and what a server that obeys it takes and answers.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: announcements, releases and their days, and what an announcement touches.
//! * [`mod@format`]: the file of an announcement.
//! * [`schedule`]: all of them, and what a release removes, announces and brings.
//! * [`published`](mod@published): the schedule of this workspace's own API.
//! * [`filter`]: which records a list shows.
//! * [`headers`]: the values of `Deprecation` and `Sunset`.
//! * [`mod@annotate`]: what the document of an API says of what goes.
//! * [`adapt`]: what an operation takes and answers as another release than the newest.
//! * [`inspect`]: what of a schedule the calls in a document, a recording or a log of a client meet.
//! * [`feed`]: the schedule for readers of news and for calendars.
//! * [`wire`]: the JSON of records and releases.
//! * [`usage`]: who uses what is announced.
//! * [`store`]: the repository traits of that, which an adapter implements.
//!
//! # Invariants
//! * A handler speaks as the newest release and the oldest at once: it takes and answers all that any release has. What a release
//!   does not have is taken off before and after it, in one place.
//! * A server asks a behaviour by its name, never for a number of a release.
//! * Nothing here knows the day: whether a release is out is asked with the day.

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
    API_VERSION, Calendar, Edition, Effect, Endpoint, Enforcement, Kind, Life, Milestone, Monthly,
    Pairing, Record, Site, Status, Touch, calendar,
};
pub use published::{NEWEST, OLDEST, PREVIEW, edition_named, published, release_named};
pub use schedule::{Changes, Schedule};
pub use store::{
    UseQueries, UseQueriesWrapper, UseReadTx, UseRepository, UseRepositoryWrapper, UseStore,
    UseWriteTx,
};
pub use usage::{Holder, Use, UseCount, UseKey, UseSum};
