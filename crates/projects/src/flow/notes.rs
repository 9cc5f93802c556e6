//! Creating, getting, updating and deleting notes on a resource that the user sees.

use api_conventions::access::AccessLevel;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::NoteId;
use api_conventions::time::Timestamp;
use api_conventions::validation;
use storage::StoreError;

use super::issues::IssueActor;
use crate::model::{NewNote, Noteable, ResourceNote};
use crate::rules::issues::sees_confidential;
use crate::rules::quick_actions::refusal;
use crate::store::{NoteQueries, NoteRepository};

/// Error from an operation on a note.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// Invalid attributes, each with its errors.
    #[error("invalid note: {0}")]
    Invalid(ValidationFailures),
    /// The note does not exist, or the user may not know of it.
    #[error("note not found")]
    Unknown,
    /// The user sees the note but lacks permission for the operation.
    #[error("the user lacks permission for this operation on the note")]
    Forbidden,
    /// The note changed since the caller read it.
    #[error("the note was changed in the meantime")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NoteError> for ApiError {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Invalid(failures) => Self::validation(&failures),
            NoteError::Unknown => Self::not_found(ResourceNote::NAME),
            NoteError::Forbidden => Self::forbidden(),
            NoteError::Changed => Self::precondition_failed(),
            NoteError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Returns a note; an internal one only if `sees_internal` is true.
///
/// # Errors
/// [`NoteError::Unknown`], and failures of the store.
pub fn find_note<R: NoteQueries + ?Sized>(
    repos: &mut R,
    on: Noteable,
    id: NoteId,
    sees_internal: bool,
) -> Result<ResourceNote, NoteError> {
    let found = repos.find_note(on, id)?;
    let seen = found.filter(|note| sees_internal || !note.internal);
    seen.ok_or(NoteError::Unknown)
}

/// Creates a note.
/// An internal note requires permission to see internal notes.
///
/// # Errors
/// See [`NoteError`].
pub fn create_note<R: NoteRepository + ?Sized>(
    repos: &mut R,
    new: NewNote,
    by: IssueActor,
) -> Result<ResourceNote, NoteError> {
    if new.internal && !sees_confidential(by.access) {
        return Err(NoteError::Forbidden);
    }
    checked(&new)?;
    let notes = repos.insert_notes(&[new])?;
    let note = notes.into_iter().next();
    Ok(note.ok_or_else(|| StoreError::inconsistent("notes", 0, "missing after its insertion"))?)
}

/// Updates the text of a note and returns the note.
/// Allowed for its author and for Maintainers; system notes cannot be updated.
///
/// # Errors
/// See [`NoteError`].
pub fn update_note<R: NoteRepository + ?Sized>(
    repos: &mut R,
    on: Noteable,
    id: NoteId,
    body: String,
    by: IssueActor,
) -> Result<ResourceNote, NoteError> {
    let note = own_note(repos, on, id, by)?;
    checked(&NewNote {
        on,
        author_id: note.author_id,
        body: body.clone(),
        system: note.system,
        internal: note.internal,
        created_at: note.created_at,
    })?;
    if !repos.update_note(on, id, &body, by.now)? {
        return Err(NoteError::Unknown);
    }
    Ok(ResourceNote {
        body,
        updated_at: by.now,
        ..note
    })
}

/// Deletes a note, unless it changed in a later second than `unmodified_since`.
/// Allowed for its author and for Maintainers; system notes cannot be deleted.
///
/// # Errors
/// See [`NoteError`].
pub fn delete_note<R: NoteRepository + ?Sized>(
    repos: &mut R,
    on: Noteable,
    id: NoteId,
    unmodified_since: Option<Timestamp>,
    by: IssueActor,
) -> Result<(), NoteError> {
    let note = own_note(repos, on, id, by)?;
    let seconds = note.updated_at.as_unix_seconds();
    if unmodified_since.is_some_and(|since| seconds > since.as_unix_seconds()) {
        return Err(NoteError::Changed);
    }
    let is_deleted = repos.delete_note(on, id)?;
    is_deleted.then_some(()).ok_or(NoteError::Unknown)
}

/// Returns the note, if the user may change it.
fn own_note<R: NoteRepository + ?Sized>(
    repos: &mut R,
    on: Noteable,
    id: NoteId,
    by: IssueActor,
) -> Result<ResourceNote, NoteError> {
    let note = find_note(repos, on, id, sees_confidential(by.access))?;
    let may = note.author_id == by.user || by.access.allows(AccessLevel::Maintainer);
    if note.system || !may {
        return Err(NoteError::Forbidden);
    }
    Ok(note)
}

fn checked(new: &NewNote) -> Result<(), NoteError> {
    let mut failures = validation::check(new);
    if let Some(text) = refusal(&new.body).filter(|_| !new.system) {
        failures.add("body", text);
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(NoteError::Invalid(failures))
}
