//! Contents of an archive.

use std::collections::BTreeSet;
use std::fmt;

use api_conventions::access::Visibility;
use api_conventions::ids::IssueIid;
use api_conventions::time::Timestamp;

use crate::model::{IssueContent, IssueState, LabelContent, MilestoneContent, ProjectSettings};

/// A project with its contents.
/// Labels and milestones are referenced by title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    /// The project itself.
    pub project: ArchivedProject,
    /// Labels, each title once.
    pub labels: Vec<ArchivedLabel>,
    /// Milestones by number, each title once.
    pub milestones: Vec<ArchivedMilestone>,
    /// Issues by number, each number once.
    pub issues: Vec<ArchivedIssue>,
}

/// Attributes of an archived project.
/// It has no name and no path, because the importer chooses them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchivedProject {
    /// Description; may be empty.
    pub description: String,
    /// Visibility; `None` if the archive does not state it.
    pub visibility: Option<Visibility>,
    /// Topics.
    pub topics: Vec<String>,
    /// Settings that differ from the defaults.
    pub settings: ProjectSettings,
}

/// Position in an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file, by its name in the archive.
    pub file: &'static str,
    /// The number of the line, from 1.
    pub line: usize,
}

/// `line 3 of tree/project/issues.ndjson`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of {}", self.line, self.file)
    }
}

/// Times of creation and of the last change, in milliseconds; `None` if the archive does not state them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Time of creation.
    pub created_at: Option<Timestamp>,
    /// Time of the last change.
    pub updated_at: Option<Timestamp>,
}

/// Author as named by an archive.
/// At least one of the two names is present.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Author {
    /// Display name.
    pub name: Option<String>,
    /// Username.
    pub username: Option<String>,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedLabel {
    /// Content.
    pub content: LabelContent,
    /// Times.
    pub times: Times,
    /// Position in the archive.
    pub origin: Origin,
}

/// A milestone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedMilestone {
    /// Number, which determines the order in which milestones are created; `None` if the archive does not state it.
    pub iid: Option<i64>,
    /// Content.
    pub content: MilestoneContent,
    /// Times.
    pub times: Times,
    /// Position in the archive.
    pub origin: Origin,
}

/// An issue with the notes on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedIssue {
    /// Number, from 1 to [`MAX_ISSUE_NUMBER`](super::MAX_ISSUE_NUMBER).
    pub iid: IssueIid,
    /// Content.
    pub content: IssueContent,
    /// State.
    pub state: IssueState,
    /// Time of closing, for a closed issue.
    pub closed_at: Option<Timestamp>,
    /// Title of the milestone, which is in the archive.
    pub milestone: Option<String>,
    /// Titles of the labels, which are in the archive.
    pub labels: BTreeSet<String>,
    /// Comments, the oldest first.
    pub notes: Vec<ArchivedNote>,
    /// Author.
    pub author: Option<Author>,
    /// Times.
    pub times: Times,
    /// Position in the archive.
    pub origin: Origin,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedNote {
    /// The text.
    pub body: String,
    /// True if only members with at least the Reporter role can see the note.
    pub internal: bool,
    /// Author.
    pub author: Option<Author>,
    /// Times.
    pub times: Times,
}
