//! Things of one place that people write.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`mod@content`]: what a record is.
//! * [`store`]: the two repository traits that an adapter implements for it.
//! * [`flow`]: making, finding, changing and deleting it.
//! * [`fields`]: how its fields come out of the parameters of a request.

pub mod content;
pub mod fields;
pub mod flow;
pub mod store;

pub use content::{Content, NewRecord, Record};
pub use fields::{EditFields, FieldValue, Renamed};
pub use flow::RecordError;
pub use store::{
    Locked, RecordQueries, RecordQueriesWrapper, RecordRepository, RecordRepositoryWrapper, Saved,
};

/// What the macros need of other crates.
#[doc(hidden)]
pub mod reexported {
    pub use api_conventions::page::{OffsetPage, Page};
    pub use api_conventions::params::ParamReader;
    pub use api_conventions::time::Timestamp;
    pub use storage::StoreError;
}
