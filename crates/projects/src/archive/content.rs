//! What is in an archive.

use std::collections::BTreeSet;
use std::fmt;

use api_conventions::access::Visibility;
use api_conventions::ids::IssueIid;
use api_conventions::time::Timestamp;

use crate::model::{IssueContent, IssueState, LabelContent, MilestoneContent, ProjectSettings};

/// A project with what is in it. Things name each other by their titles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    /// What is said of the project itself.
    pub project: ArchivedProject,
    /// Its labels, each title once.
    pub labels: Vec<ArchivedLabel>,
    /// Its milestones, each title once, by their numbers.
    pub milestones: Vec<ArchivedMilestone>,
    /// Its issues by their numbers, each number once.
    pub issues: Vec<ArchivedIssue>,
}

/// What an archive says of the project itself. It has no name and no path: the importer says where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchivedProject {
    /// What it is for; may be empty.
    pub description: String,
    /// Who could see it; `None` where the archive does not say so.
    pub visibility: Option<Visibility>,
    /// What it is about.
    pub topics: Vec<String>,
    /// Its settings, as far as they differ from the defaults.
    pub settings: ProjectSettings,
}

/// The line of an archive in which something stands.
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

/// When something was made and last changed, in milliseconds; `None` where the archive does not say so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
}

/// Who wrote something, as far as an archive names people. At least one of the two is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Author {
    /// The name to show.
    pub name: Option<String>,
    /// The name by which it signs in.
    pub username: Option<String>,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedLabel {
    /// What people wrote.
    pub content: LabelContent,
    /// Its times.
    pub times: Times,
    /// Where it stands.
    pub origin: Origin,
}

/// A milestone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedMilestone {
    /// Its number, which says in which order milestones are made; `None` where the archive does not say so.
    pub iid: Option<i64>,
    /// What people wrote.
    pub content: MilestoneContent,
    /// Its times.
    pub times: Times,
    /// Where it stands.
    pub origin: Origin,
}

/// An issue with the notes on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedIssue {
    /// Its number, from 1 to [`MAX_ISSUE_NUMBER`](super::MAX_ISSUE_NUMBER).
    pub iid: IssueIid,
    /// What people wrote.
    pub content: IssueContent,
    /// Whether there is work left.
    pub state: IssueState,
    /// When it was closed, for one that is.
    pub closed_at: Option<Timestamp>,
    /// The title of its milestone, which is one of the archive.
    pub milestone: Option<String>,
    /// The titles of its labels, which are those of the archive.
    pub labels: BTreeSet<String>,
    /// What people wrote on it, the oldest first.
    pub notes: Vec<ArchivedNote>,
    /// Who made it.
    pub author: Option<Author>,
    /// Its times.
    pub times: Times,
    /// Where it stands.
    pub origin: Origin,
}

/// A note that somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedNote {
    /// The text.
    pub body: String,
    /// Whether only Reporters and up see it.
    pub internal: bool,
    /// Who wrote it.
    pub author: Option<Author>,
    /// Its times.
    pub times: Times,
}
