//! The repository traits of errors and their events, for people.

use api_conventions::ids::{
    AttachmentId, ErrorEventId, ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId,
};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Locked, StoreError};

use super::HourCount;
use crate::model::{
    ErrorComment, ErrorEvent, ErrorEventSummary, ErrorFilter, ErrorKey, ErrorState, EventId,
    SessionSum, StoredAttachment, TagCount, Tally, TrackedError,
};

/// Which event of an error to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventPosition {
    /// The one that came last.
    Latest,
    /// The one that came first, of those that are kept.
    Oldest,
    /// The one with this id.
    WithId(EventId),
}

/// Former number of an error that was merged into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormerNumber {
    /// Its number in a project.
    Iid(ProjectId, ErrorIid),
    /// Its id.
    Id(ErrorId),
}

/// What is around an event, of the events of its error that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventPlace {
    /// The one that came before it.
    pub previous: Option<EventId>,
    /// The one that came after it.
    pub next: Option<EventId>,
}

/// Which numbers of the accounting to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TallyFilter {
    /// The project.
    pub project_id: ProjectId,
    /// The first day.
    pub from: CalendarDate,
    /// The last day.
    pub to: CalendarDate,
}

/// Which sums of sessions to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only of this release.
    pub release: Option<String>,
    /// The first day.
    pub from: CalendarDate,
    /// The last day.
    pub to: CalendarDate,
}

/// What a transaction of either kind can tell about errors.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. What does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait ErrorQueries {
    /// The error with this number in a project.
    fn find_error(
        &mut self,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<TrackedError>, StoreError>;

    /// The error with this id, of whichever project.
    fn find_error_by_id(&mut self, id: ErrorId) -> Result<Option<TrackedError>, StoreError>;

    /// The error that has the events of one that was merged, until that error is deleted. Merging it again leads on.
    fn find_merged_error(
        &mut self,
        merged: FormerNumber,
    ) -> Result<Option<TrackedError>, StoreError>;

    /// One page of the errors that match. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// Among more than 100,000 errors of a project an adapter may examine a part of the list, where a condition has no index. The page
    /// is then of that part. On its last page the total is [`Unfinished`](api_conventions::page::Total::Unfinished) with the
    /// [position](crate::model::ErrorOrder::position) up to which the list was examined: the rest is behind it
    /// ([`ErrorFilter::after`]).
    fn list_errors(
        &mut self,
        filter: &ErrorFilter,
        page: OffsetPage,
    ) -> Result<Page<TrackedError>, StoreError>;

    /// A stretch of the errors that match, in the order of their ids, in the direction of `page`, beyond `beyond`. The order of the
    /// filter does not count, and neither does its position. An adapter may limit the errors of the project that it examines to no
    /// fewer than 100,000, where a condition has no index.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the stretch cannot be determined within that limit.
    fn walk_errors(
        &mut self,
        filter: &ErrorFilter,
        beyond: Option<ErrorId>,
        page: KeysetPage,
    ) -> Result<Stretch<TrackedError>, StoreError>;

    /// How many errors of a project are unresolved, resolved and ignored, in this order, each counted to
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) at most.
    fn count_errors(&mut self, project: ProjectId) -> Result<[i64; 3], StoreError>;

    /// The keys of an error, the oldest first.
    fn list_error_keys(&mut self, error: ErrorId) -> Result<Vec<ErrorKey>, StoreError>;

    /// An event of an error, if it is kept.
    fn find_error_event(
        &mut self,
        error: ErrorId,
        position: EventPosition,
    ) -> Result<Option<ErrorEvent>, StoreError>;

    /// The errors that events with this id belong to, in this project or in any, by project and at most 100: also of events that
    /// are no longer kept, as long as it is remembered that they were stored.
    fn list_errors_of_event(
        &mut self,
        event: EventId,
        project: Option<ProjectId>,
    ) -> Result<Vec<(ProjectId, ErrorId)>, StoreError>;

    /// What is around an event of an error.
    fn find_event_place(
        &mut self,
        error: ErrorId,
        event: ErrorEventId,
    ) -> Result<EventPlace, StoreError>;

    /// The events of an error that are kept, the latest first.
    fn list_error_events(
        &mut self,
        error: ErrorId,
        page: OffsetPage,
    ) -> Result<Page<ErrorEventSummary>, StoreError>;

    /// The tags of an error: names in their order, each with the values that most events have first, at most `values` of
    /// them.
    fn list_error_tags(
        &mut self,
        error: ErrorId,
        values: usize,
    ) -> Result<Vec<TagCount>, StoreError>;

    /// How many events came in which hour, of these errors, from this time on: errors in the order of their ids, hours
    /// ascending. Hours without events are left out.
    fn list_error_hours(
        &mut self,
        errors: &[ErrorId],
        from: Timestamp,
    ) -> Result<Vec<(ErrorId, HourCount)>, StoreError>;

    /// What users wrote about the events of an error that are kept, the latest first.
    fn list_error_comments(
        &mut self,
        error: ErrorId,
        page: OffsetPage,
    ) -> Result<Page<ErrorComment>, StoreError>;

    /// The files that came with an event, in the order in which they came.
    fn list_attachments(
        &mut self,
        project: ProjectId,
        event: EventId,
    ) -> Result<Vec<StoredAttachment>, StoreError>;

    /// A file that came with an event, with its bytes.
    fn find_attachment(
        &mut self,
        project: ProjectId,
        event: EventId,
        id: AttachmentId,
    ) -> Result<Option<(StoredAttachment, Vec<u8>)>, StoreError>;

    /// The accounting of a project: days, keys, categories and outcomes ascending, by their numbers.
    fn list_tallies(&mut self, filter: &TallyFilter) -> Result<Vec<Tally>, StoreError>;

    /// Sessions: days descending, then releases and environments. At most `limit` rows.
    fn list_session_sums(
        &mut self,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<SessionSum>, StoreError>;

    /// The releases of a project by when they were first seen, the latest first, with that time.
    fn list_releases(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<Vec<(String, Timestamp)>, StoreError>;
}

/// What people can change about errors in a write transaction.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(
    lock_error,
    update_error,
    merge_errors,
    split_error_key,
    delete_error,
    unlink_issue,
    lock_error_of_issue,
    delete_errors_of
))]
pub trait ErrorRepository: ErrorQueries {
    /// The error with this number. Nobody else changes errors of the project, and none comes to it, until the transaction
    /// ends.
    fn lock_error(
        &mut self,
        project: ProjectId,
        iid: ErrorIid,
    ) -> Result<Option<Locked<TrackedError>>, StoreError>;

    /// Writes what people decided about an error. It is no regression any more.
    fn update_error(
        &mut self,
        error: Locked<TrackedError>,
        state: &ErrorState,
    ) -> Result<TrackedError, StoreError>;

    /// Gives all keys of `from` to `to`, which is of the same project, with all events that they put there; `from` goes. `to` stays as
    /// people decided, and as it regressed.
    ///
    /// It has the events of both, and the users of both, each once. It was first seen when the earlier one was, and last when the
    /// later one was. The facts are those of the one that was seen last, and so is the last release, if it names one; the first
    /// release is that of the one that was seen first, if it names one. Where both times are the same, those of `to` count.
    fn merge_errors(
        &mut self,
        from: Locked<TrackedError>,
        to: Locked<TrackedError>,
    ) -> Result<TrackedError, StoreError>;

    /// Makes a key of an error an unresolved error of its own, with the next number of the project, and gives it. The error has
    /// another key.
    ///
    /// Both are counted anew: their events and users are those of their keys, they were first seen when the first of their keys was,
    /// and last when the latest of their events came that is kept; without any, when the latest of their keys was first seen.
    /// Title and level are what that event says. All else that nothing better is known of is as it was in the error before. The
    /// releases of the new error are those of the first and of the latest of its events that are kept and name one; those of the
    /// other stay.
    ///
    /// # Errors
    /// An [`Internal`](storage::StoreErrorKind::Internal) error when the key is not one of the error's.
    fn split_error_key(
        &mut self,
        error: Locked<TrackedError>,
        key: ErrorKeyId,
    ) -> Result<TrackedError, StoreError>;

    /// Deletes an error with all that belongs to it.
    fn delete_error(&mut self, error: Locked<TrackedError>) -> Result<(), StoreError>;

    /// Takes an issue that goes away from the error that it is about. The error's id, if there is one.
    fn unlink_issue(&mut self, issue: IssueId) -> Result<Option<ErrorId>, StoreError>;

    /// The error that an issue is about, locked.
    fn lock_error_of_issue(
        &mut self,
        project: ProjectId,
        issue: IssueId,
    ) -> Result<Option<Locked<TrackedError>>, StoreError>;

    /// Deletes at most `limit` rows of a project that goes, its settings last. Gives how many went; 0 when nothing was left.
    fn delete_errors_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;
}
