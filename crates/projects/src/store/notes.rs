//! The repository traits of notes.

use api_conventions::ids::{AlertId, NoteId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewNote, NoteFilter, Noteable, ResourceNote};

/// Read queries on notes, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait NoteQueries {
    /// Returns the note with this id on a resource, without an access check.
    fn find_note(&mut self, on: Noteable, id: NoteId) -> Result<Option<ResourceNote>, StoreError>;

    /// The notes with these ids, in no particular order; unknown ids are left out.
    fn list_notes_by_id(&mut self, ids: &[NoteId]) -> Result<Vec<ResourceNote>, StoreError>;

    /// Notes of an author in all projects, without an access check, ordered by id, at most `limit`.
    fn list_notes_of_author(
        &mut self,
        author: UserId,
        limit: usize,
    ) -> Result<Vec<ResourceNote>, StoreError>;

    /// Page of the matching notes.
    /// The total stops counting at [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if a filtered list requires examining more notes on the
    /// resource than one request may, which is at least 100,000.
    fn list_notes(
        &mut self,
        filter: &NoteFilter,
        page: OffsetPage,
    ) -> Result<Page<ResourceNote>, StoreError>;

    /// Ids of the comments on a resource that are greater than `after`, ascending, at most `limit`.
    /// Internal notes are left out if `sees_internal` is false.
    fn list_comment_ids(
        &mut self,
        on: Noteable,
        sees_internal: bool,
        after: NoteId,
        limit: usize,
    ) -> Result<Vec<NoteId>, StoreError>;
}

/// Write operations on notes.
/// An issue is locked by [`lock_issues`](crate::IssueRepository::lock_issues) before its notes are written.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(insert_notes, update_note, delete_note, delete_notes_on_alerts))]
pub trait NoteRepository: NoteQueries {
    /// Inserts notes in this order, and adds the comments to the counters of their issues.
    fn insert_notes(&mut self, new: &[NewNote]) -> Result<Vec<ResourceNote>, StoreError>;

    /// Replaces the text of a note at the time `now`.
    /// Returns `false` if the note does not exist.
    fn update_note(
        &mut self,
        on: Noteable,
        id: NoteId,
        body: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a note and updates the counter of its issue.
    /// Returns `false` if the note did not exist.
    fn delete_note(&mut self, on: Noteable, id: NoteId) -> Result<bool, StoreError>;

    /// Deletes at most `limit` notes on these alerts, and returns how many.
    /// Fewer than `limit` are the last.
    fn delete_notes_on_alerts(
        &mut self,
        alerts: &[AlertId],
        limit: usize,
    ) -> Result<usize, StoreError>;
}
