//! Snippets: titled texts in a few files, of a user or of a project.

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, SnippetId, UserId};
use api_conventions::time::Timestamp;
use api_conventions::validation::{failure, not_blank};
use validator::{Validate, ValidationError};

/// Maximum length of a title, in characters.
pub const MAX_SNIPPET_TITLE: u64 = 255;
/// Maximum length of a description, in characters.
pub const MAX_SNIPPET_DESCRIPTION: u64 = 50_000;
/// Maximum number of files, as in the original API.
pub const MAX_FILES: usize = 10;
/// Maximum length of the path of a file, in characters.
pub const MAX_FILE_PATH: u64 = 255;
/// Maximum size of all files of a snippet together, in bytes.
pub const MAX_SNIPPET_BYTES: usize = 1_000_000;

/// Owner of snippets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnippetPlace {
    /// The author: a personal snippet.
    Personal,
    /// A project.
    Project(ProjectId),
}

impl SnippetPlace {
    /// Id of the project; `None` for personal snippets.
    pub const fn project_id(self) -> Option<ProjectId> {
        match self {
            Self::Personal => None,
            Self::Project(id) => Some(id),
        }
    }

    /// The place with this project.
    pub fn new(project: Option<ProjectId>) -> Self {
        project.map_or(Self::Personal, Self::Project)
    }
}

/// Title, description and visibility of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SnippetContent {
    /// Title.
    #[validate(custom(function = "not_blank"), length(max = "MAX_SNIPPET_TITLE"))]
    pub title: String,
    /// Description, in Markdown.
    #[validate(length(max = "MAX_SNIPPET_DESCRIPTION"))]
    pub description: Option<String>,
    /// Visibility.
    pub visibility: Visibility,
}

/// File of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct SnippetFile {
    /// Path, unique in the snippet, such as `src/main.rs`.
    #[validate(custom(function = "file_path"), length(max = "MAX_FILE_PATH"))]
    pub path: String,
    /// Text.
    #[validate(custom(function = "not_empty"))]
    pub content: String,
}

/// Content and files of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetDraft {
    /// Title, description and visibility.
    pub content: SnippetContent,
    /// Files, in order.
    pub files: Vec<SnippetFile>,
}

/// A snippet, without the texts of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// Id, unique among personal snippets and those of projects.
    pub id: SnippetId,
    /// Owner.
    pub place: SnippetPlace,
    /// Author.
    pub author_id: UserId,
    /// Title, description and visibility.
    pub content: SnippetContent,
    /// Paths of the files, in order.
    pub paths: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Snippet {
    /// Resource name in error responses.
    pub const NAME: &'static str = "Snippet";
}

/// A snippet to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSnippet {
    /// Owner.
    pub place: SnippetPlace,
    /// Author.
    pub author_id: UserId,
    /// Content and files.
    pub draft: SnippetDraft,
    /// Current time.
    pub created_at: Timestamp,
}

impl NewSnippet {
    /// The snippet as stored under an id.
    pub fn stored(&self, id: SnippetId) -> Snippet {
        let paths = self.draft.files.iter().map(|file| file.path.clone());
        Snippet {
            id,
            place: self.place,
            author_id: self.author_id,
            content: self.draft.content.clone(),
            paths: paths.collect(),
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}

/// Change of one file of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Adds a file.
    Create(SnippetFile),
    /// Replaces the text of a file.
    Update(SnippetFile),
    /// Deletes a file.
    Delete {
        /// Path of the file.
        path: String,
    },
    /// Renames a file.
    Move {
        /// Current path.
        from: String,
        /// New path.
        to: String,
        /// New text; `None` to keep the text.
        content: Option<String>,
    },
    /// Changes the only file of a snippet.
    Only {
        /// New path; `None` to keep the path.
        path: Option<String>,
        /// New text; `None` to keep the text.
        content: Option<String>,
    },
}

/// Edit of a snippet. Fields that are `None` keep their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnippetEdit {
    /// New title.
    pub title: Option<String>,
    /// New description, or `Some(None)` to clear it.
    pub description: Option<Option<String>>,
    /// New visibility.
    pub visibility: Option<Visibility>,
    /// Changes of files, in order.
    pub files: Vec<FileChange>,
}

/// Snippets of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetScope {
    /// Personal snippets of an author.
    OfAuthor(UserId),
    /// Personal snippets that every signed-in user may see, and those of one user.
    VisibleTo(UserId),
    /// Public personal snippets.
    Public,
    /// All personal snippets and all snippets of projects.
    All,
    /// Snippets of a project with at least this visibility.
    Project {
        /// The project.
        id: ProjectId,
        /// Lowest visibility.
        least: Visibility,
    },
}

/// Filter for lists of snippets, the newest first.
/// All conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnippetFilter {
    /// Snippets to choose from.
    pub scope: SnippetScope,
    /// Only snippets created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Only snippets created at this time or earlier.
    pub created_before: Option<Timestamp>,
}

impl SnippetFilter {
    /// All snippets of a scope.
    pub const fn new(scope: SnippetScope) -> Self {
        Self {
            scope,
            created_after: None,
            created_before: None,
        }
    }
}

fn not_empty(text: &str) -> Result<(), ValidationError> {
    if text.is_empty() {
        return Err(failure("can't be blank"));
    }
    Ok(())
}

/// Validates the path of a file: relative, without empty segments and segments of dots, in one line.
fn file_path(path: &str) -> Result<(), ValidationError> {
    not_blank(path)?;
    let is_odd = |segment: &str| ["", ".", ".."].contains(&segment);
    if path.split('/').any(is_odd) || path.contains('\\') || path.chars().any(char::is_control) {
        return Err(failure(
            "must be a relative path without '..', backslashes and control characters",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use api_conventions::validation::check;

    use super::*;

    #[test]
    fn a_path_is_relative_and_on_one_line() {
        let long = "ä".repeat(256);
        for (path, is_valid) in [
            ("a", true),
            ("Makefile", true),
            ("src/main.rs", true),
            ("..a/b..", true),
            ("with space.txt", true),
            (&long[..510], true),
            ("", false),
            (" ", false),
            ("/etc/passwd", false),
            ("a//b", false),
            ("a/", false),
            ("..", false),
            ("a/../b", false),
            ("./a", false),
            ("a\\b", false),
            ("a\nb", false),
            ("a\0b", false),
            (&long, false),
        ] {
            let failures = check(&SnippetFile {
                path: path.to_owned(),
                content: "x".to_owned(),
            });
            assert_eq!(failures.is_empty(), is_valid, "{path:?}");
        }
    }
}
