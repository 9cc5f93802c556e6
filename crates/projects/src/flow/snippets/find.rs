//! Lookup of a snippet on behalf of a viewer.

use api_conventions::ids::SnippetId;

use super::SnippetError;
use crate::model::{Snippet, SnippetDraft, Viewer};
use crate::rules::snippets::{SnippetHome, SnippetRights, snippet_rights};
use crate::store::SnippetQueries;

/// Returns a snippet of a home, with the viewer's rights.
///
/// # Errors
/// [`SnippetError::Unknown`], also for a snippet that the viewer may not see; failures of the store.
pub fn find_snippet<R: SnippetQueries + ?Sized>(
    repos: &mut R,
    home: SnippetHome,
    id: SnippetId,
    viewer: Viewer,
) -> Result<(Snippet, SnippetRights), SnippetError> {
    let found = repos.find_snippet(home.place(), id)?;
    let found = found.map(|snippet| {
        let rights = snippet_rights(&snippet, home, viewer);
        (snippet, rights)
    });
    let seen = found.filter(|(_, rights)| *rights != SnippetRights::None);
    seen.ok_or(SnippetError::Unknown)
}

/// Returns the content and the files of a snippet that the viewer may change.
///
/// # Errors
/// Same as [`find_snippet`]; [`SnippetError::Forbidden`] for a viewer who may only read it.
pub fn find_draft<R: SnippetQueries + ?Sized>(
    repos: &mut R,
    home: SnippetHome,
    id: SnippetId,
    viewer: Viewer,
) -> Result<SnippetDraft, SnippetError> {
    let (snippet, rights) = find_snippet(repos, home, id, viewer)?;
    if rights != SnippetRights::All {
        return Err(SnippetError::Forbidden);
    }
    Ok(SnippetDraft {
        content: snippet.content,
        files: repos.list_snippet_files(id)?,
    })
}
