//! The repository traits of snippets.

use api_conventions::ids::{SnippetId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreError};

use crate::model::{NewSnippet, Snippet, SnippetContent, SnippetFile, SnippetFilter, SnippetPlace};

/// Read queries on snippets, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait SnippetQueries {
    /// Returns the snippet with this id in a place, without an access check.
    fn find_snippet(
        &mut self,
        place: SnippetPlace,
        id: SnippetId,
    ) -> Result<Option<Snippet>, StoreError>;

    /// Files of a snippet, in order; none for an unknown snippet.
    fn list_snippet_files(&mut self, id: SnippetId) -> Result<Vec<SnippetFile>, StoreError>;

    /// Page of the matching snippets, the newest first; ties break on the id, the greater first.
    /// The total stops counting at [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    fn list_snippets(
        &mut self,
        filter: &SnippetFilter,
        page: OffsetPage,
    ) -> Result<Page<Snippet>, StoreError>;
}

/// Write operations on snippets.
/// The project of a snippet is locked by [`lock_issues`](crate::IssueRepository::lock_issues) before the snippet is
/// inserted.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(
    insert_snippet,
    lock_snippet,
    update_snippet,
    delete_snippet,
    delete_snippets_of_author
))]
pub trait SnippetRepository: SnippetQueries {
    /// Inserts a snippet with its files.
    /// The project must exist.
    fn insert_snippet(&mut self, new: &NewSnippet) -> Result<Snippet, StoreError>;

    /// Returns the snippet with this id in a place, and locks it until the end of the transaction.
    fn lock_snippet(
        &mut self,
        place: SnippetPlace,
        id: SnippetId,
    ) -> Result<Option<Locked<Snippet>>, StoreError>;

    /// Replaces the content and the files of a snippet at the time `now`.
    fn update_snippet(
        &mut self,
        snippet: Locked<Snippet>,
        content: &SnippetContent,
        files: &[SnippetFile],
        now: Timestamp,
    ) -> Result<Snippet, StoreError>;

    /// Deletes a snippet with its files and returns it.
    fn delete_snippet(&mut self, snippet: Locked<Snippet>) -> Result<Snippet, StoreError>;

    /// Deletes at most `limit` snippets of an author with their files, and returns the number deleted; 0 when
    /// none was left.
    fn delete_snippets_of_author(
        &mut self,
        author: UserId,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
