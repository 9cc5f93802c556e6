//! Statements of lists of issues, and the limits of one list.
//! Filters are not part of the indexes that provide the orders, so a list with few hits among very many issues would
//! scan all of them.

use ::projects::{AttributeFilter, DueFilter, IssueFilter, IssueOrder, IssueScope};
use api_conventions::ids::{LabelId, UserId};
use api_conventions::page::{SortOrder, Total};
use api_conventions::time::CalendarDate;
use storage::{StoreError, StoreErrorKind};

use crate::projects::limits::LimitRow;

use super::conditions::{
    IssueStatement, conditions, due_between, iids, of_index, projects_of_group, state,
};

/// Issues that one request may examine.
/// A list that would need more is refused with an error that says so.
pub(super) const EXAMINED: i64 = 100_000;

/// Issues at the beginning of an order that are examined before a whole scope is.
pub(super) const FIRST: i64 = 2_000;

/// Set of issues that contains the whole list and can be read from an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateIssues {
    /// Issues with the requested numbers.
    Iids,
    /// Issues with the requested milestone.
    Milestone,
    /// Issues with the first of the requested labels.
    Label,
    /// Issues that are assigned to the first of the requested users.
    Assignee,
    /// Issues of the requested author.
    Author,
    /// Confidential issues.
    Confidential,
    /// Issues that are due on a day, or between two.
    Due,
    /// Issues of the group.
    Group,
    /// Issues in a contiguous range of the order's index.
    Index,
}

/// Range of issues that a list examines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IssueListBound {
    /// All issues: an index covers the list exactly.
    None,
    /// A few issues.
    Within(CandidateIssues),
    /// The first issues of a scope, in the direction of the page: enough for it if the list contains many of them.
    First(CandidateIssues, SortOrder),
    /// Issues before this row of the order, the first that may not be examined.
    Before(IssueLimit),
}

/// Row of an order by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IssueLimit {
    key: i64,
    id: i64,
}

impl From<LimitRow> for IssueLimit {
    fn from(row: LimitRow) -> Self {
        Self {
            key: row.number.unwrap_or_default(),
            id: row.id,
        }
    }
}

/// Returns the scopes of a list.
/// Scopes that are likely to be small come first.
pub(super) fn scopes(filter: &IssueFilter) -> Vec<CandidateIssues> {
    let is_in_project = matches!(filter.scope, IssueScope::Project { .. });
    let has_title = matches!(filter.milestone, Some(AttributeFilter::Is(_)));
    let all = [
        (
            is_in_project && !filter.iids.is_empty(),
            CandidateIssues::Iids,
        ),
        (
            filter.milestone_id.is_some() || has_title,
            CandidateIssues::Milestone,
        ),
        (
            matches!(filter.labels, Some(AttributeFilter::Is(_))),
            CandidateIssues::Label,
        ),
        (
            matches!(filter.assignees, Some(AttributeFilter::Is(_))),
            CandidateIssues::Assignee,
        ),
        (filter.author.is_some(), CandidateIssues::Author),
        (
            is_in_project && filter.confidential == Some(true),
            CandidateIssues::Confidential,
        ),
        (
            is_in_project && matches!(filter.due, Some(DueFilter::Any | DueFilter::Between(..))),
            CandidateIssues::Due,
        ),
        (
            matches!(filter.scope, IssueScope::Group(_)),
            CandidateIssues::Group,
        ),
        (true, CandidateIssues::Index),
    ];
    let all = all.into_iter().filter(|(is_there, _)| *is_there);
    all.map(|(_, scope)| scope).collect()
}

/// Selects the ids of a scope.
fn scope_text(
    scope: CandidateIssues,
    filter: &IssueFilter,
    today: CalendarDate,
    statement: &mut IssueStatement,
) -> String {
    let owner = match filter.scope {
        IssueScope::Project { id, .. } => format!("o.project_id = {id} AND "),
        IssueScope::Group(_) | IssueScope::Everywhere => String::new(),
    };
    match scope {
        CandidateIssues::Iids => format!(
            "SELECT o.id FROM issues AS o WHERE {owner}o.iid IN ({})",
            iids(filter)
        ),
        CandidateIssues::Milestone => {
            let which = match (&filter.milestone_id, &filter.milestone) {
                (Some(id), _) => format!("o.id = {id}"),
                (None, Some(AttributeFilter::Is(title))) => {
                    format!("o.title = {}", statement.bind(title))
                }
                (None, _) => "FALSE".to_owned(),
            };
            format!(
                "SELECT s.id FROM milestones AS o JOIN issues AS s ON s.milestone_id = o.id WHERE {owner}{which}"
            )
        }
        CandidateIssues::Label => {
            let title = match &filter.labels {
                Some(AttributeFilter::Is(titles)) => titles.first().cloned().unwrap_or_default(),
                _ => String::new(),
            };
            let title = statement.bind(title);
            format!(
                "SELECT il.issue_id AS id FROM labels AS o JOIN issue_labels AS il ON il.label_id = o.id \
                 WHERE {owner}o.title = {title}"
            )
        }
        CandidateIssues::Assignee => {
            let user = match &filter.assignees {
                Some(AttributeFilter::Is(users)) => users.first().map_or(-1, |user| user.get()),
                _ => -1,
            };
            format!("SELECT o.issue_id AS id FROM issue_assignees AS o WHERE o.user_id = {user}")
        }
        CandidateIssues::Author => {
            let user = filter.author.map_or(-1, UserId::get);
            format!("SELECT o.id FROM issues AS o WHERE o.author_id = {user}")
        }
        CandidateIssues::Confidential => {
            format!("SELECT o.id FROM issues AS o WHERE {owner}o.confidential")
        }
        CandidateIssues::Due => {
            let days = match filter.due {
                Some(DueFilter::Between(first, last)) => due_between("o.due_date", first, last),
                _ => String::new(),
            };
            format!("SELECT o.id FROM issues AS o WHERE {owner}o.due_date IS NOT NULL{days}")
        }
        CandidateIssues::Group => {
            let group = match filter.scope {
                IssueScope::Group(id) => id.get(),
                IssueScope::Project { .. } | IssueScope::Everywhere => -1,
            };
            let projects = projects_of_group(group, filter, today);
            let state = state(filter.state).map(|state| format!(" AND {state}"));
            let state = state.unwrap_or_default();
            format!("SELECT i.id FROM issues AS i WHERE i.project_id IN ({projects}){state}")
        }
        CandidateIssues::Index => {
            format!("SELECT i.id FROM issues AS i WHERE {}", of_index(filter))
        }
    }
}

/// Counts a scope, up to one more than may be examined.
pub(super) fn count_scope(
    scope: CandidateIssues,
    filter: &IssueFilter,
    today: CalendarDate,
) -> IssueStatement {
    let mut statement = IssueStatement::default();
    let scope = scope_text(scope, filter, today, &mut statement);
    statement.text = format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM ({scope}) AS scope LIMIT {}) AS counted",
        EXAMINED + 1
    );
    statement
}

/// Returns the source of the issues `i` of a list, with its conditions.
fn from(
    filter: &IssueFilter,
    today: CalendarDate,
    bound: IssueListBound,
    statement: &mut IssueStatement,
) -> String {
    match bound {
        IssueListBound::None | IssueListBound::Within(CandidateIssues::Index) => {
            let conditions = conditions(filter, today, statement);
            format!("issues AS i WHERE {conditions}")
        }
        // The order of the join matters: each issue of the scope is looked up.
        IssueListBound::Within(scope) => {
            let scope = scope_text(scope, filter, today, statement);
            let conditions = conditions(filter, today, statement);
            format!(
                "({scope}) AS scope CROSS JOIN issues AS i WHERE i.id = scope.id AND {conditions}"
            )
        }
        // An index of the order or of the projects gives the first rows, so only those are looked up.
        IssueListBound::First(scope, direction) => {
            let of_scope = scope_text(scope, filter, today, statement);
            let order = order(filter.order_by, direction, "i.title");
            let conditions = conditions(filter, today, statement);
            format!(
                "({of_scope} ORDER BY {order} LIMIT {FIRST}) AS scope CROSS JOIN issues AS i \
                 WHERE i.id = scope.id AND {conditions}"
            )
        }
        // Compares the key alone first, so that the database can seek to it in the index.
        IssueListBound::Before(IssueLimit { key, id }) => {
            let column = key_of(filter.order_by);
            let sign = match filter.sort {
                SortOrder::Ascending => "<",
                SortOrder::Descending => ">",
            };
            let conditions = conditions(filter, today, statement);
            format!(
                "issues AS i WHERE {conditions} AND {column} {sign}= {key} \
                 AND ({column} {sign} {key} OR i.id {sign} {id})"
            )
        }
    }
}

/// Selects the first row of an order by time that may not be examined.
/// It selects no row if the order ends before that.
pub(super) fn limit(filter: &IssueFilter) -> IssueStatement {
    let key = key_of(filter.order_by);
    let order = order(filter.order_by, filter.sort, "i.title");
    let first = of_index(filter);
    IssueStatement {
        text: format!(
            "SELECT CAST(NULL AS TEXT) AS text, {key} AS number, i.id AS id FROM issues AS i WHERE {first} \
             ORDER BY {order} LIMIT 1 OFFSET {EXAMINED}"
        ),
        binds: Vec::new(),
    }
}

/// Returns the column of an order by time.
fn key_of(by: IssueOrder) -> &'static str {
    match by {
        IssueOrder::UpdatedAt => "i.updated_at",
        IssueOrder::CreatedAt | IssueOrder::DueDate | IssueOrder::Title => "i.created_at",
    }
}

/// Returns the columns of an order.
/// `title` is the expression by which titles are compared.
fn order(by: IssueOrder, sort: SortOrder, title: &str) -> String {
    let word = match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    let key = match by {
        IssueOrder::CreatedAt => "i.created_at",
        IssueOrder::UpdatedAt => "i.updated_at",
        IssueOrder::DueDate => "i.due_date",
        IssueOrder::Title => title,
    };
    format!("{key} {word}, i.id {word}")
}

/// Selects the ids of a page of a list.
/// It is read in the direction `direction`, which is opposite to that of the list if the page is nearer to the end.
pub(super) fn ids(
    filter: &IssueFilter,
    today: CalendarDate,
    bound: IssueListBound,
    direction: SortOrder,
    skip: i64,
    take: i64,
    title: &str,
) -> IssueStatement {
    let mut statement = IssueStatement::default();
    let from = from(filter, today, bound, &mut statement);
    let mut order = order(filter.order_by, direction, title);
    if filter.order_by == IssueOrder::DueDate {
        let last = if direction == filter.sort {
            "ASC"
        } else {
            "DESC"
        };
        order = format!("(i.due_date IS NULL) {last}, {order}");
    }
    statement.text =
        format!("SELECT i.id AS number FROM {from} ORDER BY {order} LIMIT {take} OFFSET {skip}");
    statement
}

/// Counts a list, up to the limit of totals.
pub(super) fn count(
    filter: &IssueFilter,
    today: CalendarDate,
    bound: IssueListBound,
) -> IssueStatement {
    let mut statement = IssueStatement::default();
    let from = from(filter, today, bound, &mut statement);
    statement.text = format!(
        "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM {from} LIMIT {}) AS counted",
        Total::COUNT_LIMIT
    );
    statement
}

/// Counts a list by state, up to one more than may be examined.
pub(super) fn count_states(
    filter: &IssueFilter,
    today: CalendarDate,
    bound: IssueListBound,
) -> IssueStatement {
    let mut statement = IssueStatement::default();
    let from = from(filter, today, bound, &mut statement);
    statement.text = format!(
        "SELECT CAST(0 AS BIGINT) AS label, state, COUNT(*) AS number FROM \
         (SELECT i.state FROM {from} LIMIT {}) AS counted GROUP BY state",
        EXAMINED + 1
    );
    statement
}

/// Counts the issues with labels, up to one more than may be examined.
pub(super) fn count_labelled(labels: &[LabelId]) -> IssueStatement {
    IssueStatement {
        text: format!(
            "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM issue_labels AS il \
             WHERE il.label_id IN ({}) LIMIT {}) AS counted",
            numbers(labels),
            EXAMINED + 1
        ),
        binds: Vec::new(),
    }
}

/// Counts a list by label and state.
pub(super) fn count_by_label(
    filter: &IssueFilter,
    today: CalendarDate,
    labels: &[LabelId],
) -> IssueStatement {
    let mut statement = IssueStatement::default();
    let conditions = conditions(filter, today, &mut statement);
    statement.text = format!(
        "SELECT il.label_id AS label, i.state AS state, COUNT(*) AS number FROM issue_labels AS il \
         CROSS JOIN issues AS i WHERE il.label_id IN ({}) AND i.id = il.issue_id AND {conditions} \
         GROUP BY il.label_id, i.state",
        numbers(labels)
    );
    statement
}

fn numbers(labels: &[LabelId]) -> String {
    let numbers: Vec<String> = labels.iter().map(ToString::to_string).collect();
    if numbers.is_empty() {
        return "NULL".to_owned();
    }
    numbers.join(", ")
}

/// Returns the error of a list that would examine too many rows.
pub(super) fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, super::LIST)
        .with_detail(format!("more than {EXAMINED} issues"))
}
