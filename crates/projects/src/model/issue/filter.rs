//! Which issues a list holds, and in which order.

use api_conventions::ids::{IssueIid, MilestoneId, NamespaceId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::{CalendarDate, Timestamp};

use super::{IssueKind, IssueState};
use crate::model::Viewer;

api_conventions::named! {
    /// The column that a list of issues is ordered by. Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum IssueOrder {
        /// The time of creation: the default.
        #[default]
        CreatedAt = 0, "created_at";
        /// The time of the last change.
        UpdatedAt = 1, "updated_at";
        /// The day on which it is to be done. Issues without one come last in either direction.
        DueDate = 2, "due_date";
        /// The title in lower case, character by character.
        Title = 3, "title";
    }
}

/// Where the issues of a list are. Rights are part of every query, so that a page is always full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuePlace {
    /// In one project, which the viewer sees.
    Project {
        /// The project.
        id: ProjectId,
        /// Whether the viewer sees all confidential issues there.
        sees_confidential: bool,
    },
    /// In the projects of a group, and of all groups below it, that the viewer sees.
    Group(NamespaceId),
    /// In all projects that the viewer sees.
    Everywhere,
}

/// What an issue has: a certain one, any, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted<T> {
    /// None.
    None,
    /// Any.
    Any,
    /// This one.
    Is(T),
}

/// When an issue is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueFilter {
    /// No day is named.
    None,
    /// Some day is named.
    Any,
    /// From the first of these days to the last. An open end is the end of the calendar.
    Between(Option<CalendarDate>, Option<CalendarDate>),
}

/// Where a search looks.
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

/// What an issue must not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotFilter {
    /// None of these labels, by title.
    pub labels: Vec<String>,
    /// Not the milestone with this title.
    pub milestone: Option<String>,
    /// Another author.
    pub author: Option<UserId>,
    /// Not assigned to this user.
    pub assignee: Option<UserId>,
}

/// Which issues to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueFilter {
    /// Where they are.
    pub place: IssuePlace,
    /// Who reads.
    pub viewer: Viewer,
    /// Only those of this state.
    pub state: Option<IssueState>,
    /// Only these numbers; all when there are none.
    pub iids: Vec<IssueIid>,
    /// Only those of this author.
    pub author: Option<UserId>,
    /// Only those that all of these are to do; `Is` is never empty.
    pub assignees: Option<Wanted<Vec<UserId>>>,
    /// Only those with all of these labels, by title; `Is` is never empty.
    pub labels: Option<Wanted<Vec<String>>>,
    /// Only those with the milestone of this title.
    pub milestone: Option<Wanted<String>>,
    /// Only those with this milestone.
    pub milestone_id: Option<MilestoneId>,
    /// Only those with this text, in any case.
    pub search: Option<String>,
    /// Where to look for the text.
    pub search_in: SearchIn,
    /// Only those that are confidential, or that are not.
    pub confidential: Option<bool>,
    /// Only those of this kind.
    pub kind: Option<IssueKind>,
    /// Only those that were made at this time or later.
    pub created_after: Option<Timestamp>,
    /// Only those that were made at this time or before.
    pub created_before: Option<Timestamp>,
    /// Only those that last changed at this time or later.
    pub updated_after: Option<Timestamp>,
    /// Only those that last changed at this time or before.
    pub updated_before: Option<Timestamp>,
    /// Only those that are due then.
    pub due: Option<DueFilter>,
    /// What they must not have.
    pub not: NotFilter,
    /// The order.
    pub order_by: IssueOrder,
    /// The direction.
    pub sort: SortOrder,
}

impl IssueFilter {
    /// All issues of a place that the viewer sees, the newest first.
    pub fn new(place: IssuePlace, viewer: Viewer) -> Self {
        Self {
            place,
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

/// How many issues match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssueCounts {
    /// Those that are open.
    pub opened: u64,
    /// Those that are closed.
    pub closed: u64,
}

/// How many issues of a project are open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenIssues {
    /// All of them.
    pub all: u64,
    /// Those of them that are confidential.
    pub confidential: u64,
}

impl OpenIssues {
    /// How many a viewer may know of: confidential ones are for those who see all of them.
    pub fn seen(self, sees_confidential: bool) -> u64 {
        if sees_confidential {
            self.all
        } else {
            self.all - self.confidential.min(self.all)
        }
    }
}
