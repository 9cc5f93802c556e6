//! Filters and sort orders for lists of issues.

use api_conventions::ids::{IssueIid, MilestoneId, NamespaceId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::{CalendarDate, Timestamp};

use super::{IssueKind, IssueState};
use crate::model::Viewer;

api_conventions::named! {
    /// Sort column of a list of issues.
    /// Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum IssueOrder {
        /// The time of creation: the default.
        #[default]
        CreatedAt = 0, "created_at";
        /// The time of the last change.
        UpdatedAt = 1, "updated_at";
        /// The due date.
        /// Issues without one come last in either direction.
        DueDate = 2, "due_date";
        /// The title in lower case, character by character.
        Title = 3, "title";
    }
}

/// Scope of a list of issues.
/// Permissions are part of every query, so that a page is always full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueScope {
    /// In one project, which the viewer sees.
    Project {
        /// The project.
        id: ProjectId,
        /// True if the viewer sees all confidential issues in the project.
        sees_confidential: bool,
    },
    /// In the projects that the viewer sees of a group and of all its descendants.
    Group(NamespaceId),
    /// In all projects that the viewer sees.
    Everywhere,
}

/// Filter on an attribute of an issue: a given value, any value, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeFilter<T> {
    /// Issues without a value.
    None,
    /// Issues with any value.
    Any,
    /// Issues with this value.
    Is(T),
}

/// Filter on the due date of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueFilter {
    /// Issues without a due date.
    None,
    /// Issues with a due date.
    Any,
    /// Issues due from the first of these days to the last.
    /// An open end is the end of the calendar.
    Between(Option<CalendarDate>, Option<CalendarDate>),
}

/// Fields that a search covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchIn {
    /// In titles.
    pub title: bool,
    /// In descriptions.
    pub description: bool,
}

impl Default for SearchIn {
    fn default() -> Self {
        Self {
            title: true,
            description: true,
        }
    }
}

/// Attributes that an issue must not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotFilter {
    /// None of these labels, by title.
    pub labels: Vec<String>,
    /// Not the milestone with this title.
    pub milestone: Option<String>,
    /// Not created by this user.
    pub author: Option<UserId>,
    /// Not assigned to this user.
    pub assignee: Option<UserId>,
}

/// Filter for issues.
/// All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueFilter {
    /// Scope of the list.
    pub scope: IssueScope,
    /// Viewer of the list.
    pub viewer: Viewer,
    /// Only issues in this state.
    pub state: Option<IssueState>,
    /// Only these numbers; all if empty.
    pub iids: Vec<IssueIid>,
    /// Only issues by this author.
    pub author: Option<UserId>,
    /// Only issues assigned to all of these users; `Is` is never empty.
    pub assignees: Option<AttributeFilter<Vec<UserId>>>,
    /// Only issues with all of these labels, by title; `Is` is never empty.
    pub labels: Option<AttributeFilter<Vec<String>>>,
    /// Only issues with the milestone of this title.
    pub milestone: Option<AttributeFilter<String>>,
    /// Only issues with this milestone.
    pub milestone_id: Option<MilestoneId>,
    /// Only issues with this text, in any case.
    pub search: Option<String>,
    /// Fields that the search covers.
    pub search_in: SearchIn,
    /// True for confidential issues only, false for others only.
    pub confidential: Option<bool>,
    /// Only issues of this type.
    pub kind: Option<IssueKind>,
    /// Only issues created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Only issues created at this time or before.
    pub created_before: Option<Timestamp>,
    /// Only issues last changed at this time or later.
    pub updated_after: Option<Timestamp>,
    /// Only issues last changed at this time or before.
    pub updated_before: Option<Timestamp>,
    /// Filter on the due date.
    pub due: Option<DueFilter>,
    /// Attributes that the issues must not have.
    pub not: NotFilter,
    /// Sort column.
    pub order_by: IssueOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

impl IssueFilter {
    /// All issues in a scope that the viewer sees, the newest first.
    pub fn new(scope: IssueScope, viewer: Viewer) -> Self {
        Self {
            scope,
            viewer,
            state: None,
            iids: Vec::new(),
            author: None,
            assignees: None,
            labels: None,
            milestone: None,
            milestone_id: None,
            search: None,
            search_in: SearchIn::default(),
            confidential: None,
            kind: None,
            created_after: None,
            created_before: None,
            updated_after: None,
            updated_before: None,
            due: None,
            not: NotFilter::default(),
            order_by: IssueOrder::default(),
            sort: SortOrder::default(),
        }
    }
}

/// Counts of matching issues by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    /// Open issues.
    pub opened: u64,
    /// Closed issues.
    pub closed: u64,
}

/// Counts of open issues of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenIssues {
    /// All open issues.
    pub all: u64,
    /// Confidential open issues.
    pub confidential: u64,
}

impl OpenIssues {
    /// Number of open issues that a viewer may know of.
    /// Confidential issues count only for viewers who see all of them.
    pub fn visible(self, sees_confidential: bool) -> u64 {
        if sees_confidential {
            self.all
        } else {
            self.all - self.confidential.min(self.all)
        }
    }
}
