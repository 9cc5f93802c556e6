//! Creation, update and deletion of a snippet.

use api_conventions::ids::SnippetId;
use api_conventions::time::Timestamp;
use storage::Locked;

use super::{SnippetActor, SnippetError};
use crate::model::{NewSnippet, Snippet, SnippetDraft, SnippetEdit, SnippetPlace};
use crate::rules::snippets::{SnippetRights, apply_edit, snippet_rights};
use crate::store::{IssueRepository, SnippetRepository};

/// Creates a snippet.
/// Every user may create personal snippets; those of a project require the Reporter role.
///
/// # Errors
/// See [`SnippetError`].
pub fn create_snippet<R: SnippetRepository + IssueRepository + ?Sized>(
    repos: &mut R,
    edit: SnippetEdit,
    by: SnippetActor,
) -> Result<Snippet, SnippetError> {
    if !by.home.allows_creation() {
        return Err(SnippetError::Forbidden);
    }
    lock_home(repos, by)?;
    let draft = apply_edit(None, edit).map_err(SnippetError::Invalid)?;
    Ok(repos.insert_snippet(&NewSnippet {
        place: by.home.place(),
        author_id: by.user,
        draft,
        created_at: by.now,
    })?)
}

/// Updates a snippet and returns it before and after the change.
/// An edit that changes nothing writes nothing.
///
/// # Errors
/// See [`SnippetError`].
pub fn update_snippet<R: SnippetRepository + IssueRepository + ?Sized>(
    repos: &mut R,
    id: SnippetId,
    edit: SnippetEdit,
    by: SnippetActor,
) -> Result<(Snippet, Snippet), SnippetError> {
    let locked = lock_for_change(repos, id, by)?;
    let before = SnippetDraft {
        content: locked.content.clone(),
        files: repos.list_snippet_files(id)?,
    };
    let after = apply_edit(Some(&before), edit).map_err(SnippetError::Invalid)?;
    let unchanged = Snippet::clone(&locked);
    if after == before {
        return Ok((unchanged.clone(), unchanged));
    }
    let changed = repos.update_snippet(locked, &after.content, &after.files, by.now)?;
    Ok((unchanged, changed))
}

/// Deletes a snippet with its files, unless it changed in a later second than `unmodified_since`.
///
/// # Errors
/// See [`SnippetError`].
pub fn delete_snippet<R: SnippetRepository + IssueRepository + ?Sized>(
    repos: &mut R,
    id: SnippetId,
    unmodified_since: Option<Timestamp>,
    by: SnippetActor,
) -> Result<Snippet, SnippetError> {
    let locked = lock_for_change(repos, id, by)?;
    let seconds = locked.updated_at.as_unix_seconds();
    if unmodified_since.is_some_and(|since| seconds > since.as_unix_seconds()) {
        return Err(SnippetError::Changed);
    }
    Ok(repos.delete_snippet(locked)?)
}

/// Locks the project, which precedes its snippets in the order of locks.
fn lock_home<R: IssueRepository + ?Sized>(
    repos: &mut R,
    by: SnippetActor,
) -> Result<(), SnippetError> {
    match by.home.place() {
        SnippetPlace::Project(project) if !repos.lock_issues(project)? => {
            Err(SnippetError::Unknown)
        }
        _ => Ok(()),
    }
}

fn lock_for_change<R: SnippetRepository + IssueRepository + ?Sized>(
    repos: &mut R,
    id: SnippetId,
    by: SnippetActor,
) -> Result<Locked<Snippet>, SnippetError> {
    lock_home(repos, by)?;
    let locked = repos.lock_snippet(by.home.place(), id)?;
    let locked = locked.ok_or(SnippetError::Unknown)?;
    match snippet_rights(&locked, by.home, by.viewer) {
        SnippetRights::None => Err(SnippetError::Unknown),
        SnippetRights::Read => Err(SnippetError::Forbidden),
        SnippetRights::All => Ok(locked),
    }
}
