//! Records: resources of one owner that users write, such as labels and milestones.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`mod@content`]: the content trait and the record types.
//! * [`store`]: the two repository traits that an adapter implements for records.
//! * [`flow`]: creating, getting, listing, updating and deleting records.
//! * [`fields`]: reading of record fields from request parameters.

pub mod content;
pub mod fields;
pub mod flow;
pub mod store;

pub use content::{NewRecord, RecordContent, StoredRecord};
pub use fields::{EditFields, FieldValue, ParamNames};
pub use flow::RecordError;
pub use store::{
    Locked, RecordQueries, RecordQueriesWrapper, RecordRepository, RecordRepositoryWrapper,
    SaveRecord,
};

/// Items of other crates that the macros use.
#[doc(hidden)]
pub mod reexported {
    pub use api_conventions::page::{OffsetPage, Page};
    pub use api_conventions::params::ParamReader;
    pub use api_conventions::time::Timestamp;
    pub use storage::StoreError;
}
