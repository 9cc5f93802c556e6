//! The repository trait by which events are stored.

use std::ops::Range;

use api_conventions::ids::{ErrorId, ErrorIid, ErrorKeyId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use crate::collect::Attachment;
use crate::grouping::{Explanation, GroupKey};
use crate::model::{ErrorFacts, EventId, SessionSum, Tally, UserMark};
use crate::protocol::feedback::Comment;
use crate::rules::life::Status;

/// An error that is known by a key, as far as the next event of it depends on it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownError {
    /// The project.
    pub project_id: ProjectId,
    /// The key.
    pub key: GroupKey,
    /// Its number.
    pub key_id: ErrorKeyId,
    /// The error.
    pub error_id: ErrorId,
    /// Its number in the project.
    pub iid: ErrorIid,
    /// How many keys it has.
    pub keys: i64,
    /// Whether it is unresolved, resolved or ignored.
    pub status: Status,
    /// Its events so far.
    pub events: i64,
    /// Its users so far.
    pub users: i64,
    /// The events that the key put there so far.
    pub key_events: i64,
    /// Those of them that are kept.
    pub key_kept: i64,
}

/// An error to be inserted, with its first key. It has no events until it [advances](CollectRepository::advance_errors).
#[derive(Debug, Clone, PartialEq)]
pub struct NewError {
    /// The project.
    pub project_id: ProjectId,
    /// Its number in the project, which was reserved.
    pub iid: ErrorIid,
    /// What its first event says.
    pub facts: ErrorFacts,
    /// The release of that event.
    pub release: Option<String>,
    /// When it came.
    pub first_seen: Timestamp,
    /// The key.
    pub key: NewErrorKey,
}

/// A key to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewErrorKey {
    /// The key; no other error of the project has it.
    pub key: GroupKey,
    /// What made it.
    pub explanation: Explanation,
}

/// What events add to an error.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorProgress {
    /// The error.
    pub error_id: ErrorId,
    /// More events.
    pub events: i64,
    /// More users.
    pub users: i64,
    /// What the latest event says.
    pub facts: ErrorFacts,
    /// The first release that one of the events named. It is the error's first one where that has none yet.
    pub first_release: Option<String>,
    /// The latest release that one of them named. Where none did, what is stored stays.
    pub release: Option<String>,
    /// When the latest event came. What is stored never goes back.
    pub last_seen: Timestamp,
    /// Whether it is unresolved from now on, because it is back, or was ignored long enough.
    pub reopens: bool,
    /// When it came back after it was resolved, if it did.
    pub regressed_at: Option<Timestamp>,
}

/// An event to be inserted.
#[derive(Debug, Clone, Copy)]
pub struct NewErrorEvent<'e> {
    /// The project.
    pub project_id: ProjectId,
    /// The key that puts it where it belongs.
    pub key_id: ErrorKeyId,
    /// Its number in its key, counted from 0: by it is decided how long it stays.
    pub number: i64,
    /// The event.
    pub event: &'e crate::model::ArrivingEvent,
}

/// Events of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourCount {
    /// When the hour began.
    pub hour: Timestamp,
    /// The events.
    pub events: i64,
}

/// Events that have a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagProgress {
    /// The project.
    pub project_id: ProjectId,
    /// The key of the events.
    pub key_id: ErrorKeyId,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// How many more.
    pub events: i64,
    /// When the latest of them came.
    pub last_seen: Timestamp,
}

/// A comment to be inserted.
#[derive(Debug, Clone, Copy)]
pub struct NewComment<'c> {
    /// The project.
    pub project_id: ProjectId,
    /// When it came.
    pub received_at: Timestamp,
    /// What the user wrote.
    pub comment: &'c Comment,
}

/// A file to be inserted.
#[derive(Debug, Clone, Copy)]
pub struct NewAttachment<'a> {
    /// The project.
    pub project_id: ProjectId,
    /// The event that it belongs to.
    pub event_id: EventId,
    /// When it came.
    pub received_at: Timestamp,
    /// The file.
    pub attachment: &'a Attachment,
}

/// How events are stored, in a write transaction.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
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
    thin_error_events,
    forget_error_events,
    count_stored_events,
    delete_old_events,
    add_error_hours,
    add_error_tags,
    add_tallies,
    add_session_sums,
    insert_error_comments,
    insert_attachments
))]
pub trait CollectRepository {
    /// Keeps other transactions from changing the errors of these projects until this one ends. `projects` has no repeats; an
    /// adapter locks them in the order of their ids, so that two transactions never wait for each other.
    fn lock_errors(&mut self, projects: &[ProjectId]) -> Result<(), StoreError>;

    /// Which of these events are stored, or were and are no longer kept. The order does not matter.
    fn list_stored_events(
        &mut self,
        events: &[(ProjectId, EventId)],
    ) -> Result<Vec<(ProjectId, EventId)>, StoreError>;

    /// The errors that have these keys. Keys that no error has are left out; the order does not matter.
    fn list_known_errors(
        &mut self,
        keys: &[(ProjectId, GroupKey)],
    ) -> Result<Vec<KnownError>, StoreError>;

    /// Reserves numbers for so many new errors of each project, which has no repeats here, and gives the first of each, in the
    /// same order. Two transactions never get the same number.
    fn reserve_error_numbers(
        &mut self,
        wanted: &[(ProjectId, i64)],
    ) -> Result<Vec<ErrorIid>, StoreError>;

    /// Inserts errors, and gives them as they are known from then on, in the same order.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) when an error has the number or the key of one among them.
    fn insert_errors(&mut self, errors: &[NewError]) -> Result<Vec<KnownError>, StoreError>;

    /// Notes that users saw errors, by their keys, and gives those who are new to the error: not one who had seen it by another
    /// key of it before. `seen` has no repeats; the order of the answer does not matter. A user who is new to an error by several
    /// of its keys at once is given with at least one of them.
    fn insert_error_users(
        &mut self,
        seen: &[(ErrorKeyId, UserMark)],
    ) -> Result<Vec<(ErrorKeyId, UserMark)>, StoreError>;

    /// Notes releases of projects that were seen at this time, and gives for each when it was first seen, in the same order.
    /// `seen` has no repeats.
    fn insert_releases(
        &mut self,
        seen: &[(ProjectId, String, Timestamp)],
    ) -> Result<Vec<Timestamp>, StoreError>;

    /// When this release of a project was first seen, if it was.
    fn find_release(
        &mut self,
        project: ProjectId,
        release: &str,
    ) -> Result<Option<Timestamp>, StoreError>;

    /// Inserts events, in their order.
    ///
    /// # Errors
    /// A [`Conflict`](storage::StoreErrorKind::Conflict) when the project has one of these events.
    fn insert_error_events(&mut self, events: &[NewErrorEvent<'_>]) -> Result<(), StoreError>;

    /// Adds to errors. Each is there at most once.
    fn advance_errors(&mut self, progress: &[ErrorProgress]) -> Result<(), StoreError>;

    /// Adds to the events that keys put where they are, all of which are kept so far. Each key is there at most once.
    fn advance_error_keys(&mut self, events: &[(ErrorKeyId, i64)]) -> Result<(), StoreError>;

    /// Forgets what is kept of events of a key, with their files: those whose number is in `numbers` and can be halved fewer than
    /// `worth` times. That they were stored is not forgotten. Gives how many it were.
    fn thin_error_events(
        &mut self,
        key: ErrorKeyId,
        numbers: Range<i64>,
        worth: u32,
    ) -> Result<usize, StoreError>;

    /// Forgets that events of a key were stored, with what users wrote about them: those that are no longer kept and whose number is
    /// less than `below`, the oldest first, at most `limit`. What is counted of them stays. Gives how many it were.
    fn forget_error_events(
        &mut self,
        key: ErrorKeyId,
        below: i64,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// How many events of these projects were stored on these days, in the same order: also those that are no longer kept. Each
    /// was [tallied](Self::add_tallies) as stored when it was inserted, so an adapter may sum up the accounting.
    fn count_stored_events(
        &mut self,
        days: &[(ProjectId, CalendarDate)],
    ) -> Result<Vec<i64>, StoreError>;

    /// Deletes events, comments and files of a project that came before this time, at most `limit`, and gives how many. What is
    /// counted of them stays, but for how many a key keeps. Events are forgotten altogether, so they may come again.
    fn delete_old_events(
        &mut self,
        project: ProjectId,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Adds to the events of hours, by keys. Each hour of a key is there at most once.
    fn add_error_hours(&mut self, hours: &[(ErrorKeyId, HourCount)]) -> Result<(), StoreError>;

    /// Adds to the events that have tags. Each value of a name of a key is there at most once. An adapter may leave out values
    /// beyond the first hundred of a name of a key, and beyond the first two thousand of a key.
    fn add_error_tags(&mut self, tags: &[TagProgress]) -> Result<(), StoreError>;

    /// Adds to the accounting. Each number is there at most once.
    fn add_tallies(&mut self, tallies: &[Tally]) -> Result<(), StoreError>;

    /// Adds sessions. Each sum is there at most once.
    fn add_session_sums(&mut self, sums: &[SessionSum]) -> Result<(), StoreError>;

    /// Inserts what users wrote, in its order.
    fn insert_error_comments(&mut self, comments: &[NewComment<'_>]) -> Result<(), StoreError>;

    /// Inserts files, in their order.
    fn insert_attachments(&mut self, files: &[NewAttachment<'_>]) -> Result<(), StoreError>;
}
