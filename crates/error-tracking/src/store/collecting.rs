//! Repository trait for storing events.

use std::ops::Range;

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use super::MonitorRepository;

use crate::collector::Attachment;
use crate::grouping::{Explanation, GroupKey};
use crate::model::{ErrorFacts, EventId, OutcomeCounter, SessionSum, UserMark};
use crate::protocol::feedback::Comment;
use crate::rules::status::Status;

/// Known error, found by one of its keys, with the values that its next event needs.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownError {
    /// The project.
    pub project_id: ProjectId,
    /// Grouping key.
    pub key: GroupKey,
    /// Id of the key.
    pub key_id: ErrorKeyId,
    /// The error.
    pub error_id: ErrorId,
    /// Number in the project.
    pub iid: ErrorIid,
    /// Number of keys of the error.
    pub keys: i64,
    /// Status: unresolved, resolved or ignored.
    pub status: Status,
    /// Number of events so far.
    pub events: i64,
    /// Number of users so far.
    pub users: i64,
    /// Number of events with the key so far.
    pub key_events: i64,
    /// Number of events with the key that are kept.
    pub key_kept: i64,
}

/// Error to insert, with its first key.
/// It has no events until it [advances](CollectRepository::advance_errors).
#[derive(Debug, Clone, PartialEq)]
pub struct NewError {
    /// The project.
    pub project_id: ProjectId,
    /// Number in the project, which was reserved.
    pub iid: ErrorIid,
    /// Facts from the first event.
    pub facts: ErrorFacts,
    /// Release of that event.
    pub release: Option<String>,
    /// Time of receipt of that event.
    pub first_seen: Timestamp,
    /// The key.
    pub key: NewErrorKey,
}

/// Grouping key to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewErrorKey {
    /// The key; no other error of the project has it.
    pub key: GroupKey,
    /// Explanation of the key.
    pub explanation: Explanation,
}

/// Additions to an error by events.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorProgress {
    /// The error.
    pub error_id: ErrorId,
    /// Number of events to add.
    pub events: i64,
    /// Number of users to add.
    pub users: i64,
    /// Facts from the latest event.
    pub facts: ErrorFacts,
    /// First release that one of the events named.
    /// It becomes the error's first release if that has none yet.
    pub first_release: Option<String>,
    /// Latest release that one of the events named.
    /// `None` leaves the stored release.
    pub release: Option<String>,
    /// Time of receipt of the latest event.
    /// The stored time never goes back.
    pub last_seen: Timestamp,
    /// True if the error becomes unresolved, because it regressed or was ignored long enough.
    pub reopens: bool,
    /// Time of the regression, if there was one.
    pub regressed_at: Option<Timestamp>,
}

/// Event to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewErrorEvent<'e> {
    /// The project.
    pub project_id: ProjectId,
    /// Key that assigns the event to its error.
    pub key_id: ErrorKeyId,
    /// Number of the event in its key, counted from 0.
    /// It decides how long the event is kept.
    pub number: i64,
    /// The event.
    pub event: &'e crate::model::ArrivingEvent,
}

/// Number of events in an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourCount {
    /// Start of the hour.
    pub hour: Timestamp,
    /// Number of events.
    pub events: i64,
}

/// Number of events to add to a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagProgress {
    /// The project.
    pub project_id: ProjectId,
    /// Key of the events.
    pub key_id: ErrorKeyId,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// Number of events to add.
    pub events: i64,
    /// Time of receipt of the latest of them.
    pub last_seen: Timestamp,
}

/// Comment to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewComment<'c> {
    /// The project.
    pub project_id: ProjectId,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// Comment of the user.
    pub comment: &'c Comment,
}

/// Attachment to insert.
#[derive(Debug, Clone, Copy)]
pub struct NewAttachment<'a> {
    /// The project.
    pub project_id: ProjectId,
    /// Event that the attachment belongs to.
    pub event_id: EventId,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// The attachment.
    pub attachment: &'a Attachment,
}

/// Write access of the collector, in a write transaction.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(
    lock_errors,
    list_stored_events,
    list_known_errors,
    reserve_error_numbers,
    insert_errors,
    insert_error_users,
    insert_releases,
    find_release,
    insert_error_events,
    advance_errors,
    advance_error_keys,
    prune_samples,
    delete_event_records,
    count_stored_events,
    delete_old_events,
    add_error_hours,
    add_error_tags,
    add_counters,
    add_session_sums,
    insert_error_comments,
    insert_attachments
))]
pub trait CollectRepository: MonitorRepository {
    /// Locks the errors of these projects against changes by other transactions until this one ends.
    /// `projects` has no duplicates; an adapter locks them in the order of their ids, so that two transactions never
    /// wait for each other.
    fn lock_errors(&mut self, projects: &[ProjectId]) -> Result<(), StoreError>;

    /// Returns which of these events are stored, or were stored and are no longer kept, in any order.
    fn list_stored_events(
        &mut self,
        events: &[(ProjectId, EventId)],
    ) -> Result<Vec<(ProjectId, EventId)>, StoreError>;

    /// Returns the errors that have these keys, in any order.
    /// Unknown keys are left out.
    fn list_known_errors(
        &mut self,
        keys: &[(ProjectId, GroupKey)],
    ) -> Result<Vec<KnownError>, StoreError>;

    /// Reserves numbers for new errors of each project and returns the first of each, in the same order.
    /// `wanted` has no duplicate projects. Two transactions never get the same number.
    fn reserve_error_numbers(
        &mut self,
        wanted: &[(ProjectId, i64)],
    ) -> Result<Vec<ErrorIid>, StoreError>;

    /// Inserts errors and returns their known state, in the same order.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) if an error already has the number or the key of one of them.
    fn insert_errors(&mut self, errors: &[NewError]) -> Result<Vec<KnownError>, StoreError>;

    /// Records that users saw errors, by key, and returns the users who are new to an error.
    /// A user who had seen it by another of its keys before is not. `seen` has no duplicates; the order of the result
    /// does not matter. A user who is new to an error by several of its keys at once is returned with at least one of
    /// them.
    fn insert_error_users(
        &mut self,
        seen: &[(ErrorKeyId, UserMark)],
    ) -> Result<Vec<(ErrorKeyId, UserMark)>, StoreError>;

    /// Records releases of projects as seen at this time, and returns when each was first seen, in the same order.
    /// `seen` has no duplicates.
    fn insert_releases(
        &mut self,
        seen: &[(ProjectId, String, Timestamp)],
    ) -> Result<Vec<Timestamp>, StoreError>;

    /// Returns when this release of a project was first seen, if it was.
    fn find_release(
        &mut self,
        project: ProjectId,
        release: &str,
    ) -> Result<Option<Timestamp>, StoreError>;

    /// Inserts events, in order.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) if the project already has one of these events.
    fn insert_error_events(&mut self, events: &[NewErrorEvent<'_>]) -> Result<(), StoreError>;

    /// Adds to errors.
    /// Each error occurs at most once.
    fn advance_errors(&mut self, progress: &[ErrorProgress]) -> Result<(), StoreError>;

    /// Adds to the number of events of keys, all of which are kept so far.
    /// Each key occurs at most once.
    fn advance_error_keys(&mut self, events: &[(ErrorKeyId, i64)]) -> Result<(), StoreError>;

    /// Prunes the content of events of a key, with their attachments.
    /// Prunes those whose number is in `numbers` and can be halved fewer than `min_priority` times. The events stay recorded
    /// as stored. Returns how many were pruned.
    fn prune_samples(
        &mut self,
        key: ErrorKeyId,
        numbers: Range<i64>,
        min_priority: u32,
    ) -> Result<usize, StoreError>;

    /// Deletes the records of events of a key, with the comments on them.
    /// Deletes those that are no longer kept and whose number is less than `below`, the oldest first, at most `limit`.
    /// The counters stay. Returns how many were deleted.
    fn delete_event_records(
        &mut self,
        key: ErrorKeyId,
        below: i64,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Counts the events of these projects that were stored on these days, in the same order.
    /// Events that are no longer kept count, too. Each was [counted](Self::add_counters) as stored when it was inserted,
    /// so an adapter may sum up the accounting.
    fn count_stored_events(
        &mut self,
        days: &[(ProjectId, CalendarDate)],
    ) -> Result<Vec<i64>, StoreError>;

    /// Deletes events, comments and attachments of a project received before this time, at most `limit`.
    /// Returns how many were deleted. The counters stay, except for the number of kept events per key. The events are
    /// no longer recorded as stored, so they may be sent again.
    fn delete_old_events(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Adds to the hourly events of keys.
    /// Each hour of a key occurs at most once.
    fn add_error_hours(&mut self, hours: &[(ErrorKeyId, HourCount)]) -> Result<(), StoreError>;

    /// Adds to the events of tags.
    /// Each value of a tag name of a key occurs at most once. An adapter may leave out values beyond the first hundred
    /// of a tag name of a key, and beyond the first two thousand of a key.
    fn add_error_tags(&mut self, tags: &[TagProgress]) -> Result<(), StoreError>;

    /// Adds to the accounting.
    /// Each counter occurs at most once.
    fn add_counters(&mut self, counters: &[OutcomeCounter]) -> Result<(), StoreError>;

    /// Adds sessions.
    /// Each sum occurs at most once.
    fn add_session_sums(&mut self, sums: &[SessionSum]) -> Result<(), StoreError>;

    /// Inserts comments, in order.
    fn insert_error_comments(&mut self, comments: &[NewComment<'_>]) -> Result<(), StoreError>;

    /// Inserts attachments, in order.
    fn insert_attachments(&mut self, files: &[NewAttachment<'_>]) -> Result<(), StoreError>;
}
