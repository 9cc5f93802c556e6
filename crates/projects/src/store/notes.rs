//! The repository traits of notes.

use api_conventions::ids::NoteId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewNote, Note, NoteFilter, Noteable};

/// What a transaction of either kind can tell about notes.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait NoteQueries {
    /// The note with this id on a thing, without a check of who may see it.
    fn find_note(&mut self, on: Noteable, id: NoteId) -> Result<Option<Note>, StoreError>;

    /// The notes with these ids, in no particular order; unknown ids are left out.
    fn list_notes_by_id(&mut self, ids: &[NoteId]) -> Result<Vec<Note>, StoreError>;

    /// One page of the notes that match. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when a list of some of the notes would have more notes on the
    /// thing examined than one request may, which are no fewer than 100,000.
    fn list_notes(
        &mut self,
        filter: &NoteFilter,
        page: OffsetPage,
    ) -> Result<Page<Note>, StoreError>;

    /// The ids of what people wrote on a thing that are greater than `after`, from the smallest, at most `limit` of them;
    /// without internal notes where `sees_internal` is false.
    fn list_comment_ids(
        &mut self,
        on: Noteable,
        sees_internal: bool,
        after: NoteId,
        limit: usize,
    ) -> Result<Vec<NoteId>, StoreError>;
}

/// What a write transaction can change about notes. An issue is locked by
/// [`lock_issues`](crate::IssueRepository::lock_issues) before its notes are written.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_notes, update_note, delete_note))]
pub trait NoteRepository: NoteQueries {
    /// Inserts notes in this order, and counts those of people on their issues.
    fn insert_notes(&mut self, new: &[NewNote]) -> Result<Vec<Note>, StoreError>;

    /// Writes the text of a note anew at the time `now`; whether it is there.
    fn update_note(
        &mut self,
        on: Noteable,
        id: NoteId,
        body: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a note, and counts it no longer; whether it was there.
    fn delete_note(&mut self, on: Noteable, id: NoteId) -> Result<bool, StoreError>;
}
