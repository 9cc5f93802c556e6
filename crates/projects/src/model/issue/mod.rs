//! Issues and incidents of projects.

mod filter;
mod tasks;

use std::collections::BTreeSet;

use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId, UserId};
use api_conventions::params::ParamReader;
use api_conventions::time::{CalendarDate, Timestamp};
use api_conventions::validation::not_blank;
use records::FieldValue;
use validator::Validate;

pub use filter::{
    DueFilter, IssueCounts, IssueFilter, IssueOrder, IssuePlace, NotFilter, OpenIssues, SearchIn,
    Wanted,
};
pub use tasks::{TaskCount, tasks};

/// The longest title, in characters.
pub const MAX_ISSUE_TITLE: u64 = 255;
/// The longest description, in characters.
pub const MAX_ISSUE_DESCRIPTION: u64 = 1_048_576;

api_conventions::named! {
    /// Whether there is work left.
    pub enum IssueState {
        /// There is.
        Opened = 0, "opened";
        /// It is over.
        Closed = 1, "closed";
    }
}

api_conventions::named! {
    /// What an issue is about.
    #[derive(Default)]
    pub enum IssueKind {
        /// Work to be done.
        #[default]
        Issue = 0, "issue";
        /// Something that is broken now.
        Incident = 1, "incident";
    }
}

api_conventions::named! {
    /// How bad an incident is.
    #[derive(Default)]
    pub enum IssueSeverity {
        /// Nobody has said.
        #[default]
        Unknown = 0, "unknown";
        /// It can wait.
        Low = 1, "low";
        /// It is a nuisance.
        Medium = 2, "medium";
        /// It hinders people.
        High = 3, "high";
        /// Nothing works.
        Critical = 4, "critical";
    }
}

impl FieldValue for IssueKind {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, Self::parse)
    }
}

/// A severity is read in any case, because bodies tell it in upper case.
impl FieldValue for IssueSeverity {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, |word| Self::parse(&word.to_lowercase()))
    }
}

records::content! {
    /// What people write of an issue.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
    pub struct IssueContent, edited by IssueContentEdit {
        /// The title.
        #[validate(custom(function = "not_blank"), length(max = "MAX_ISSUE_TITLE"))]
        title: String,
        /// What it is about, in Markdown.
        #[validate(length(max = "MAX_ISSUE_DESCRIPTION"))]
        description: Option<String>,
        /// Whether it is an incident.
        kind: IssueKind,
        /// How bad an incident is.
        severity: IssueSeverity,
        /// Whether only Reporters and up, the author and the assignees see it.
        confidential: bool,
        /// Whether only members of the project comment.
        discussion_locked: bool,
        /// The day on which it is to be done.
        due_date: Option<CalendarDate>,
    }
}

/// The end of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// When it was closed.
    pub at: Timestamp,
    /// Who closed it.
    pub by: UserId,
}

/// All of an issue that changes by an edit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueBody {
    /// What people write.
    pub content: IssueContent,
    /// How it ended; `None` while it is open.
    pub closing: Option<Closing>,
    /// The milestone, which is of the same project.
    pub milestone_id: Option<MilestoneId>,
    /// The labels, which are of the same project.
    pub labels: BTreeSet<LabelId>,
    /// Who is to do it.
    pub assignees: BTreeSet<UserId>,
}

impl IssueBody {
    /// What an issue with this body adds to the counts of its project.
    pub fn tally(&self) -> IssueTally {
        let is_open = self.closing.is_none();
        let is_confidential = self.content.confidential;
        IssueTally {
            open: is_open.into(),
            open_confidential: (is_open && is_confidential).into(),
            closed: (!is_open).into(),
            closed_confidential: (!is_open && is_confidential).into(),
        }
    }
}

/// What is counted of the issues of a project, or what is to be added to that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueTally {
    /// Open ones.
    pub open: i64,
    /// Those of the open ones that are confidential.
    pub open_confidential: i64,
    /// Closed ones.
    pub closed: i64,
    /// Those of the closed ones that are confidential.
    pub closed_confidential: i64,
}

impl IssueTally {
    /// What an issue adds that was counted as `before` and is now as `self`.
    #[must_use]
    pub fn instead_of(self, before: Self) -> Self {
        Self {
            open: self.open - before.open,
            open_confidential: self.open_confidential - before.open_confidential,
            closed: self.closed - before.closed,
            closed_confidential: self.closed_confidential - before.closed_confidential,
        }
    }
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Its id.
    pub id: IssueId,
    /// Its number in the project: from 1, never given twice, and without gaps but those that an import left.
    pub iid: IssueIid,
    /// The project.
    pub project_id: ProjectId,
    /// Who made it.
    pub author_id: UserId,
    /// What an edit changes.
    pub body: IssueBody,
    /// Notes that people wrote on it.
    pub user_notes_count: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Issue {
    /// What refusals call an issue.
    pub const NAME: &'static str = "Issue";

    /// Whether there is work left.
    pub fn state(&self) -> IssueState {
        match self.body.closing {
            None => IssueState::Opened,
            Some(_) => IssueState::Closed,
        }
    }

    /// Whether this user wrote it or is to do it.
    pub fn concerns(&self, user: UserId) -> bool {
        self.author_id == user || self.body.assignees.contains(&user)
    }
}

/// An issue to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssue {
    /// The project.
    pub project_id: ProjectId,
    /// Who makes it.
    pub author_id: UserId,
    /// What it says.
    pub body: IssueBody,
    /// When it was made: now, or what an owner of the project states.
    pub created_at: Timestamp,
}

impl NewIssue {
    /// The issue that it becomes under an id and a number.
    pub fn stored(&self, id: IssueId, iid: IssueIid) -> Issue {
        Issue {
            id,
            iid,
            project_id: self.project_id,
            author_id: self.author_id,
            body: self.body.clone(),
            user_notes_count: 0,
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}
