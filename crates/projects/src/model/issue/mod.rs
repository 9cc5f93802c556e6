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
    AttributeFilter, DueFilter, IssueCounts, IssueFilter, IssueOrder, IssueScope, NotFilter,
    OpenIssues, SearchIn,
};
pub use tasks::{TaskCount, tasks};

/// The longest title, in characters.
pub const MAX_ISSUE_TITLE: u64 = 255;
/// The longest description, in characters.
pub const MAX_ISSUE_DESCRIPTION: u64 = 1_048_576;

api_conventions::named! {
    /// State of an issue.
    pub enum IssueState {
        /// Open.
        Opened = 0, "opened";
        /// Closed.
        Closed = 1, "closed";
    }
}

api_conventions::named! {
    /// Type of an issue.
    #[derive(Default)]
    pub enum IssueKind {
        /// Work to be done.
        #[default]
        Issue = 0, "issue";
        /// A problem that exists now.
        Incident = 1, "incident";
    }
}

api_conventions::named! {
    /// Severity of an incident.
    #[derive(Default)]
    pub enum IssueSeverity {
        /// Not set.
        #[default]
        Unknown = 0, "unknown";
        /// Low: the incident can wait.
        Low = 1, "low";
        /// Medium: the incident is a nuisance.
        Medium = 2, "medium";
        /// High: the incident hinders users.
        High = 3, "high";
        /// Critical: nothing works.
        Critical = 4, "critical";
    }
}

impl FieldValue for IssueKind {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, Self::parse)
    }
}

/// Parses a severity in any case, because responses have it in upper case.
impl FieldValue for IssueSeverity {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, |word| Self::parse(&word.to_lowercase()))
    }
}

records::content! {
    /// Editable content of an issue.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
    pub struct IssueContent, edited by IssueContentEdit {
        /// The title.
        #[validate(custom(function = "not_blank"), length(max = "MAX_ISSUE_TITLE"))]
        title: String,
        /// Description, in Markdown.
        #[validate(length(max = "MAX_ISSUE_DESCRIPTION"))]
        description: Option<String>,
        /// Type: issue or incident.
        kind: IssueKind,
        /// Severity of an incident.
        severity: IssueSeverity,
        /// True if only members with at least the Reporter role, the author and the assignees see it.
        confidential: bool,
        /// True if only members of the project can comment.
        discussion_locked: bool,
        /// Due date.
        due_date: Option<CalendarDate>,
    }
}

/// Closing of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// Time of closing.
    pub at: Timestamp,
    /// User who closed the issue.
    pub by: UserId,
}

/// All parts of an issue that an edit can change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueBody {
    /// Editable content.
    pub content: IssueContent,
    /// Closing; `None` while the issue is open.
    pub closing: Option<Closing>,
    /// Milestone of the same project.
    pub milestone_id: Option<MilestoneId>,
    /// Labels of the same project.
    pub labels: BTreeSet<LabelId>,
    /// Assignees.
    pub assignees: BTreeSet<UserId>,
}

impl IssueBody {
    /// Contribution of an issue with this body to the counters of its project.
    pub fn counters(&self) -> IssueCounters {
        let is_open = self.closing.is_none();
        let is_confidential = self.content.confidential;
        IssueCounters {
            open: is_open.into(),
            open_confidential: (is_open && is_confidential).into(),
            closed: (!is_open).into(),
            closed_confidential: (!is_open && is_confidential).into(),
        }
    }
}

/// Counters of the issues of a project, or a change to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounters {
    /// Open issues.
    pub open: i64,
    /// Confidential open issues.
    pub open_confidential: i64,
    /// Closed issues.
    pub closed: i64,
    /// Confidential closed issues.
    pub closed_confidential: i64,
}

impl IssueCounters {
    /// Change to the counters for an issue that was counted as `before` and is now counted as `self`.
    #[must_use]
    pub fn delta_from(self, before: Self) -> Self {
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
    /// Id.
    pub id: IssueId,
    /// Number in the project: counts from 1, never reused, without gaps except those that an import left.
    pub iid: IssueIid,
    /// The project.
    pub project_id: ProjectId,
    /// Author.
    pub author_id: UserId,
    /// Parts that an edit can change.
    pub body: IssueBody,
    /// Number of comments by users.
    pub user_notes_count: i64,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Issue {
    /// Resource name in error responses.
    pub const NAME: &'static str = "Issue";

    /// State of the issue.
    pub fn state(&self) -> IssueState {
        match self.body.closing {
            None => IssueState::Opened,
            Some(_) => IssueState::Closed,
        }
    }

    /// True if this user is the author or an assignee.
    pub fn concerns(&self, user: UserId) -> bool {
        self.author_id == user || self.body.assignees.contains(&user)
    }
}

/// An issue to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssue {
    /// The project.
    pub project_id: ProjectId,
    /// Author.
    pub author_id: UserId,
    /// Initial body.
    pub body: IssueBody,
    /// Time of creation: now, or a time that an Owner of the project states.
    pub created_at: Timestamp,
}

impl NewIssue {
    /// The issue as stored under an id and a number.
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
