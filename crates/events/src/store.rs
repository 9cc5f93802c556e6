//! The repository traits of the feed.

use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page};
use storage::StoreError;

use crate::model::{
    Audience, AuthorFilter, AuthoredEvent, Event, EventFilter, NewEvent, TargetType,
};

/// What a transaction of either kind can tell about the feed.
#[storage::queries]
pub trait EventQueries {
    /// One page of a project's entries, ordered by id. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_project_events(
        &mut self,
        filter: &EventFilter,
        page: OffsetPage,
    ) -> Result<Page<Event>, StoreError>;

    /// The first entries of an author that match, at most `limit`, ordered by id, each with its audience. The caller that reads them
    /// for somebody else checks that, and who sees the project, because nothing here does.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_author_events(
        &mut self,
        filter: &AuthorFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError>;
}

/// What a write transaction can add to the feed.
#[storage::repository(keeps(insert_events, delete_events_of, move_events))]
pub trait EventRepository: EventQueries {
    /// Writes entries, in this order.
    ///
    /// # Errors
    /// Failures of the store.
    fn insert_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError>;

    /// Deletes at most `limit` entries of a project that goes, and gives how many went; 0 when none was left.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_events_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;

    /// Gives the entries of a project about these things of one kind to another audience. Entries that only Developers read
    /// stay theirs, and nothing is given to Developers alone: such entries are never about what changes its audience.
    ///
    /// # Errors
    /// Failures of the store.
    fn move_events(
        &mut self,
        project: ProjectId,
        kind: TargetType,
        ids: &[i64],
        audience: Audience,
    ) -> Result<(), StoreError>;
}

storage::dyn_store! {
    /// A store of the feed, to be held behind `dyn`. Every [`Store`](storage::Store) is one whose transactions have these
    /// repository traits.
    pub trait EventStore {
        /// What a read closure of an [`EventStore`] gets.
        type Read: EventReadTx = EventQueries;
        /// What a write closure of an [`EventStore`] gets.
        type Write: EventWriteTx = EventRepository;
    }
}
