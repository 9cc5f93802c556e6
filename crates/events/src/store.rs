//! The repository traits of the feed.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    Audience, AuthorFilter, AuthoredEvent, ContributionCount, ContributionFilter, Days,
    EventFilter, EventIdRange, EventIdState, FeedEvent, NewEvent, ProjectSetFilter, TargetType,
};

/// Read queries on the activity feed, in read and write transactions.
#[storage::queries]
pub trait EventQueries {
    /// Page of a project's events, ordered by id.
    /// The total stops counting at [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// A list of an action or a target type may stop after [`EventFilter::MAX_EXAMINED`] events. The page then has the events
    /// found so far, and its total is [`Unfinished`](api_conventions::page::Total::Unfinished) with the position of the last
    /// examined event, whose id is both parts of it.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_project_events(
        &mut self,
        filter: &EventFilter,
        page: OffsetPage,
    ) -> Result<Page<FeedEvent>, StoreError>;

    /// First matching events of an author, at most `limit`, ordered by id, each with its audience.
    /// This query checks no access. A caller that reads for another user must check the audience, and access to the
    /// project.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_author_events(
        &mut self,
        filter: &AuthorFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError>;

    /// Oldest event, by id, of the first project after `after` that has events. With the project of each event as the
    /// next `after`, this walks all projects in the order of their ids. This query checks no access.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_oldest_event(
        &mut self,
        after: Option<ProjectId>,
    ) -> Result<Option<FeedEvent>, StoreError>;

    /// Range of ids that contains the events of these projects, each named once, within a range of days.
    /// The range may contain other events, too. It is found once for a whole list, whose cost depends on the number of
    /// projects.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_event_ids(
        &mut self,
        project_ids: &[ProjectId],
        days: Days,
    ) -> Result<EventIdRange, StoreError>;

    /// First matching events of a set of projects, at most `limit`, ordered by id, each with its audience.
    /// The cost depends on the number of projects, but not on the number of their events. This query checks no access,
    /// like [`list_author_events`](Self::list_author_events).
    ///
    /// # Errors
    /// Failures of the store.
    fn list_events_of_projects(
        &mut self,
        filter: &ProjectSetFilter,
        limit: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError>;

    /// Contributions of a user on some days, in groups of those that the same viewers may read, at most `limit`: the
    /// latest day first, and of one day in the order of the groups. This query checks no access, like
    /// [`list_author_events`](Self::list_author_events).
    ///
    /// # Errors
    /// Failures of the store.
    fn list_contributions(
        &mut self,
        filter: &ContributionFilter,
        limit: usize,
    ) -> Result<Vec<ContributionCount>, StoreError>;

    /// Current state of the ids, at the time of the call and not of the transaction's snapshot.
    /// An event with an id up to the last assigned one is visible to every transaction that begins later, unless it is
    /// of one of the writers, was deleted or was never committed. So the writers must be read after the id, and a writer
    /// must be named from before its first id until its changes are visible. The transaction of the call is no writer.
    ///
    /// # Errors
    /// Failures of the store.
    fn event_id_state(&mut self) -> Result<EventIdState, StoreError>;
}

/// Write operations on the activity feed.
#[storage::repository(keeps(
    insert_events,
    delete_events_of,
    delete_events_before,
    release_events_of,
    change_audience
))]
pub trait EventRepository: EventQueries {
    /// Inserts events, in this order, and counts the contributions among them
    /// ([`count_contributions`](crate::rules::contributions::count_contributions)).
    ///
    /// # Errors
    /// Failures of the store.
    fn insert_events(&mut self, events: &[NewEvent]) -> Result<(), StoreError>;

    /// Deletes at most `limit` events and groups of contributions of a project that is being deleted.
    /// Returns the number deleted; 0 when none was left.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_events_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;

    /// Deletes those of the `limit` oldest events of a project, by id, that were created before a time.
    /// Returns the number deleted. Ids grow with time, so less than `limit` means that none is left, or an event behind
    /// newer ones. Also deletes up to `limit` groups of contributions to the project on days that ended before that time,
    /// which are not counted.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_events_before(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Makes `successor` the author of at most `limit` events of an author who is deleted, or deletes them if there is no
    /// successor. The author's contributions are deleted in either case. Returns the number of events updated or deleted,
    /// and of groups of contributions deleted; 0 when none was left.
    ///
    /// # Errors
    /// Failures of the store.
    fn release_events_of(
        &mut self,
        author: UserId,
        successor: Option<UserId>,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Changes the audience of a project's events about these targets of one type, and of the contributions among them.
    /// Events for Developers only keep their audience, and no event becomes one for Developers only: such events are
    /// never about a target whose audience changes.
    ///
    /// # Errors
    /// Failures of the store.
    fn change_audience(
        &mut self,
        project: ProjectId,
        kind: TargetType,
        ids: &[i64],
        audience: Audience,
    ) -> Result<(), StoreError>;
}

storage::dyn_store! {
    /// A store of the feed, for use behind `dyn`.
    /// Implemented by every [`Store`](storage::Store) whose transactions have these repository traits.
    pub trait EventStore {
        /// Transaction passed to a read closure of an [`EventStore`].
        type Read: EventReadTx = EventQueries;
        /// Transaction passed to a write closure of an [`EventStore`].
        type Write: EventWriteTx = EventRepository;
    }
}
