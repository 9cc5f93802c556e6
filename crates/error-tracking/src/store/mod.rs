//! The repository traits of error tracking.
//!
//! The methods that the collector uses take many rows at once, because one transaction stores what many requests brought. An
//! adapter that has multi-row statements uses them; one that has none loops.

mod collecting;
mod errors;
mod settings;

pub use collecting::{
    CollectRepository, CollectRepositoryWrapper, ErrorProgress, HourCount, KnownError,
    NewAttachment, NewComment, NewError, NewErrorEvent, NewErrorKey, TagProgress,
};
pub use errors::{
    ErrorQueries, ErrorQueriesWrapper, ErrorRepository, ErrorRepositoryWrapper, EventPlace,
    EventPosition, FormerNumber, SessionFilter, TallyFilter,
};
pub use settings::{
    SettingsQueries, SettingsQueriesWrapper, SettingsRepository, SettingsRepositoryWrapper,
};

storage::dyn_store! {
    /// A store of errors, their events, and the settings of error tracking, to be held behind `dyn`. Every
    /// [`Store`](storage::Store) is one whose transactions have these repository traits.
    pub trait ErrorStore {
        /// What a read closure of an [`ErrorStore`] gets.
        type Read: ErrorReadTx = SettingsQueries + ErrorQueries;
        /// What a write closure of an [`ErrorStore`] gets.
        type Write: ErrorWriteTx = SettingsRepository + ErrorRepository + CollectRepository;
    }
}
