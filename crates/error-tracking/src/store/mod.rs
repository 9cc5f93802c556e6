//! The repository traits of error tracking.
//!
//! The methods for the collector take many rows at once, because one transaction stores the content of many requests.
//! An adapter that has multi-row statements uses them; one that has none loops.

mod collecting;
mod errors;
mod monitors;
mod settings;

pub use collecting::{
    CollectRepository, CollectRepositoryWrapper, ErrorProgress, HourCount, KnownError,
    NewAttachment, NewComment, NewError, NewErrorEvent, NewErrorKey, TagProgress,
};
pub use errors::{
    CounterFilter, ErrorQueries, ErrorQueriesWrapper, ErrorRepository, ErrorRepositoryWrapper,
    EventNeighbours, EventPosition, MergedErrorRef, SessionFilter,
};
pub use monitors::{
    MonitorQueries, MonitorQueriesWrapper, MonitorRepository, MonitorRepositoryWrapper,
};
pub use settings::{
    SettingsQueries, SettingsQueriesWrapper, SettingsRepository, SettingsRepositoryWrapper,
};

storage::dyn_store! {
    /// Store of errors, their events, and the settings of error tracking, to be held behind `dyn`.
    /// Every [`Store`](storage::Store) whose transactions have these repository traits is one.
    pub trait ErrorStore {
        /// Transaction that a read closure of an [`ErrorStore`] gets.
        type Read: ErrorReadTx = SettingsQueries + ErrorQueries + MonitorQueries;
        /// Transaction that a write closure of an [`ErrorStore`] gets.
        type Write: ErrorWriteTx = SettingsRepository + ErrorRepository + CollectRepository;
    }
}
