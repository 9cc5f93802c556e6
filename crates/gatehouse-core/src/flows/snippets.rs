//! Changes to snippets, with entries of those of projects in the feed.
//!
//! An entry of the feed belongs to a project, so personal snippets have none.

use api_conventions::access::Visibility;
use api_conventions::ids::SnippetId;
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::flow::snippets::{
    SnippetActor, SnippetError, create_snippet, delete_snippet, update_snippet,
};
use projects::{Snippet, SnippetPlace};
use storage::StoreError;

use crate::database::WriteTransaction;
use crate::spam::ClearedSnippet;

/// Creates a snippet.
///
/// # Errors
/// See [`SnippetError`].
pub fn create(
    tx: &mut dyn WriteTransaction,
    edit: ClearedSnippet,
    by: SnippetActor,
) -> Result<Snippet, SnippetError> {
    let snippet = create_snippet(tx, edit.0, by)?;
    record(tx, &snippet, Action::Created, by)?;
    Ok(snippet)
}

/// Updates a snippet.
/// The feed gets no entry for it. When the visibility changes, that of the existing entries follows.
///
/// # Errors
/// See [`SnippetError`].
pub fn update(
    tx: &mut dyn WriteTransaction,
    id: SnippetId,
    edit: ClearedSnippet,
    by: SnippetActor,
) -> Result<Snippet, SnippetError> {
    let (before, after) = update_snippet(tx, id, edit.0, by)?;
    if let SnippetPlace::Project(project) = after.place
        && audience(&before) != audience(&after)
    {
        let audience = audience(&after);
        tx.change_audience(project, TargetType::Snippet, &[id.get()], audience)?;
    }
    Ok(after)
}

/// Deletes a snippet.
/// The feed keeps the existing entries and gets one about the deletion.
///
/// # Errors
/// See [`SnippetError`].
pub fn delete(
    tx: &mut dyn WriteTransaction,
    id: SnippetId,
    unmodified_since: Option<Timestamp>,
    by: SnippetActor,
) -> Result<(), SnippetError> {
    let snippet = delete_snippet(tx, id, unmodified_since, by)?;
    record(tx, &snippet, Action::Destroyed, by)?;
    Ok(())
}

/// Returns the audience of the feed entries about a snippet: everyone who sees the snippets of the project if it is
/// public, otherwise Reporters. No narrower audience of the feed includes all members.
fn audience(snippet: &Snippet) -> Audience {
    match snippet.content.visibility {
        Visibility::Public => Audience::Everyone,
        Visibility::Internal | Visibility::Private => Audience::Reporters,
    }
}

fn record(
    tx: &mut dyn WriteTransaction,
    snippet: &Snippet,
    action: Action,
    by: SnippetActor,
) -> Result<(), StoreError> {
    let SnippetPlace::Project(project_id) = snippet.place else {
        return Ok(());
    };
    tx.touch_projects(&[(project_id, by.now)])?;
    tx.insert_events(&[NewEvent {
        project_id,
        author_id: by.user,
        action,
        target: Some(EventTarget {
            kind: TargetType::Snippet,
            id: snippet.id.get(),
            iid: snippet.id.get(),
            title: Some(snippet.content.title.clone()),
        }),
        audience: audience(snippet),
        push: None,
        created_at: by.now,
    }])
}
