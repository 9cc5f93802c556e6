//! Repository traits for listing and editing errors and their events.

use api_conventions::ids::{
    AttachmentId, ErrorEventId, ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId, UserId,
};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Locked, StoreError};

use super::HourCount;
use crate::model::{
    ErrorComment, ErrorEvent, ErrorEventSummary, ErrorFilter, ErrorKey, ErrorState, EventId,
    OutcomeCounter, SessionSum, StoredAttachment, TagCount, TrackedError,
};

/// Selector of an event of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPosition {
    /// The latest event.
    Latest,
    /// The oldest event that is kept.
    Oldest,
    /// The event with this id.
    WithId(EventId),
}

/// Former number of an error that was merged into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergedErrorRef {
    /// Number in a project.
    Iid(ProjectId, ErrorIid),
    /// Id of the error.
    Id(ErrorId),
}

/// Neighbours of an event, among the events of its error that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventNeighbours {
    /// Event before it.
    pub previous: Option<EventId>,
    /// Event after it.
    pub next: Option<EventId>,
}

/// Filter of the accounting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterFilter {
    /// The project.
    pub project_id: ProjectId,
    /// The first day.
    pub from: CalendarDate,
    /// The last day.
    pub to: CalendarDate,
}

/// Filter of the sums of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only sessions of this release.
    pub release: Option<String>,
    /// The first day.
    pub from: CalendarDate,
    /// The last day.
    pub to: CalendarDate,
}

/// Read access to errors, in a transaction of either kind.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A missing row is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait ErrorQueries {
    /// Returns the error with this number in a project.
    fn find_error(
        &mut self,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<TrackedError>, StoreError>;

    /// Returns the error with this id, of any project.
    fn find_error_by_id(&mut self, id: ErrorId) -> Result<Option<TrackedError>, StoreError>;

    /// Returns the error that has the events of a merged one, until that error is deleted.
    /// Follows later merges.
    fn find_merged_error(
        &mut self,
        merged: MergedErrorRef,
    ) -> Result<Option<TrackedError>, StoreError>;

    /// Lists one page of the errors that match.
    /// The total stops counting at [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// Among more than 100,000 errors of a project an adapter may examine only a part of the list, if a condition has
    /// no index. The page is then from that part. On its last page the total is
    /// [`Unfinished`](api_conventions::page::Total::Unfinished) with the [position](crate::model::ErrorOrder::position)
    /// up to which the list was examined: the rest follows after it ([`ErrorFilter::after`]).
    fn list_errors(
        &mut self,
        filter: &ErrorFilter,
        page: OffsetPage,
    ) -> Result<Page<TrackedError>, StoreError>;

    /// Lists the first unresolved errors of a set of projects, each named once, that appeared or regressed at `since` or
    /// later, at most `limit`: the latest appearance or regression first. Ties break on the number, the highest first, then on the project.
    /// The cost depends on the number of projects, but not on the number of their errors. This query checks no access.
    fn list_recent_errors(
        &mut self,
        projects: &[ProjectId],
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<TrackedError>, StoreError>;

    /// Counts the unresolved errors of a project whose first event was received at `since` or later, by the environments
    /// of their events, in the order of the names. An error with events of several environments counts in each. Only the
    /// newest `limit` errors are examined.
    fn count_new_errors_by_environment(
        &mut self,
        project: ProjectId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<(String, i64)>, StoreError>;

    /// Lists a page of the errors that match, in the order of their ids and the direction of `page`, after `beyond`.
    /// Ignores the order and the position of the filter. If a condition has no index, an adapter may examine only a
    /// limited number of the project's errors, but no fewer than 100,000.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the page cannot be determined within that limit.
    fn list_errors_after(
        &mut self,
        filter: &ErrorFilter,
        beyond: Option<ErrorId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<TrackedError>, StoreError>;

    /// Counts the unresolved, resolved and ignored errors of a project, in this order, each up to
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT).
    fn count_errors(&mut self, project: ProjectId) -> Result<[i64; 3], StoreError>;

    /// Lists the keys of an error, the oldest first.
    fn list_error_keys(&mut self, error: ErrorId) -> Result<Vec<ErrorKey>, StoreError>;

    /// Returns an event of an error, if it is kept.
    fn find_error_event(
        &mut self,
        error: ErrorId,
        position: EventPosition,
    ) -> Result<Option<ErrorEvent>, StoreError>;

    /// Lists the errors that events with this id belong to, in this project or in any, by project and at most 100.
    /// Includes events that are no longer kept, as long as they are recorded as stored.
    fn list_errors_of_event(
        &mut self,
        event: EventId,
        project: Option<ProjectId>,
    ) -> Result<Vec<(ProjectId, ErrorId)>, StoreError>;

    /// Returns the neighbours of an event of an error.
    fn find_event_neighbours(
        &mut self,
        error: ErrorId,
        event: ErrorEventId,
    ) -> Result<EventNeighbours, StoreError>;

    /// Lists the events of an error that are kept, the latest first.
    fn list_error_events(
        &mut self,
        error: ErrorId,
        page: OffsetPage,
    ) -> Result<Page<ErrorEventSummary>, StoreError>;

    /// Lists the tags of an error: ordered by name, each with its most frequent values first, at most `values` of them.
    fn list_error_tags(
        &mut self,
        error: ErrorId,
        values: usize,
    ) -> Result<Vec<TagCount>, StoreError>;

    /// Counts the events of these errors by hour, from this time on: errors in the order of their ids, hours ascending.
    /// Hours without events are left out.
    fn list_error_hours(
        &mut self,
        errors: &[ErrorId],
        from: Timestamp,
    ) -> Result<Vec<(ErrorId, HourCount)>, StoreError>;

    /// Lists the comments on the events of an error that are kept, the latest first.
    fn list_error_comments(
        &mut self,
        error: ErrorId,
        page: OffsetPage,
    ) -> Result<Page<ErrorComment>, StoreError>;

    /// Lists the attachments of an event, in order of receipt.
    fn list_attachments(
        &mut self,
        project: ProjectId,
        event: EventId,
    ) -> Result<Vec<StoredAttachment>, StoreError>;

    /// Returns an attachment of an event, with its bytes.
    fn find_attachment(
        &mut self,
        project: ProjectId,
        event: EventId,
        id: AttachmentId,
    ) -> Result<Option<(StoredAttachment, Vec<u8>)>, StoreError>;

    /// Lists the accounting of a project: days, keys, categories and outcomes ascending, by their numbers.
    fn list_counters(&mut self, filter: &CounterFilter) -> Result<Vec<OutcomeCounter>, StoreError>;

    /// Lists the sums of sessions: days descending, then releases and environments.
    /// At most `limit` rows.
    fn list_session_sums(
        &mut self,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSum>, StoreError>;

    /// Lists the releases of a project with the time at which each was first seen, the latest first.
    fn list_releases(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<Vec<(String, Timestamp)>, StoreError>;
}

/// Write access for edits of errors, in a write transaction.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(
    lock_error,
    update_error,
    merge_errors,
    split_error_key,
    delete_error,
    unlink_issue,
    lock_error_of_issue,
    delete_errors_of,
    unassign_errors_of
))]
pub trait ErrorRepository: ErrorQueries {
    /// Locks and returns the error with this number.
    /// No other transaction changes or adds errors of the project until this one ends.
    fn lock_error(
        &mut self,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<Locked<TrackedError>>, StoreError>;

    /// Updates the status, the assignee and the linked issue of an error.
    /// It no longer counts as a regression.
    fn update_error(
        &mut self,
        error: Locked<TrackedError>,
        state: &ErrorState,
    ) -> Result<TrackedError, StoreError>;

    /// Moves all keys of `from`, with all their events, to `to`, which is of the same project, and deletes `from`.
    /// The status, the assignee, the linked issue and the regression of `to` stay.
    ///
    /// `to` gets the events of both, and the users of both, each once. Its first-seen time is the earlier one, its
    /// last-seen time the later one. The facts are those of the error that was seen last, and so is the last release,
    /// if it names one; the first release is that of the error that was seen first, if it names one. If the times are
    /// equal, those of `to` count.
    fn merge_errors(
        &mut self,
        from: Locked<TrackedError>,
        to: Locked<TrackedError>,
    ) -> Result<TrackedError, StoreError>;

    /// Splits a key off an error into an unresolved error of its own, and returns it.
    /// The new error gets the next number of the project. The old one must have another key.
    ///
    /// Both errors are recounted: their events and users are those of their keys. They were first seen when the first
    /// of their keys was, and last when the latest of their events that are kept was received; without any, when the
    /// latest of their keys was first seen. Title and level are those of that event. Values for which there is no
    /// better source stay as they were in the error before. The releases of the new error are those of its first and
    /// its latest event that are kept and name one; those of the other error stay.
    ///
    /// # Errors
    /// An [`Internal`](storage::StoreErrorKind::Internal) error if the key does not belong to the error.
    fn split_error_key(
        &mut self,
        error: Locked<TrackedError>,
        key: ErrorKeyId,
    ) -> Result<TrackedError, StoreError>;

    /// Deletes an error with all that belongs to it.
    fn delete_error(&mut self, error: Locked<TrackedError>) -> Result<(), StoreError>;

    /// Unlinks an issue that is being deleted from its error, and returns the id of the error, if there is one.
    fn unlink_issue(&mut self, issue: IssueId) -> Result<Option<ErrorId>, StoreError>;

    /// Locks and returns the error that is linked to an issue.
    fn lock_error_of_issue(
        &mut self,
        project: ProjectId,
        issue: IssueId,
    ) -> Result<Option<Locked<TrackedError>>, StoreError>;

    /// Deletes at most `limit` rows of a project that is being deleted, its settings last.
    /// Returns how many were deleted; 0 when nothing is left.
    fn delete_errors_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;

    /// Removes the assignee of at most `limit` errors of a user who is deleted.
    /// Returns how many were changed; 0 when nothing is left.
    fn unassign_errors_of(&mut self, assignee: UserId, limit: usize) -> Result<usize, StoreError>;
}
