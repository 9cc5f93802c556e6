//! Totals of lists of issues that are known from counters of the projects or from an index of labels, so that no list
//! reads ten thousand issues to learn that it has more than that (`PAGE-03`).

use ::projects::{
    AttributeFilter, IssueCounters, IssueCounts, IssueFilter, IssueScope, IssueState, Viewer,
};
use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::page::Total;
use api_conventions::time::CalendarDate;
use diesel::sql_types::BigInt;

use super::conditions::{IssueStatement, has_role, sees_project};
use super::list::EXAMINED;
use crate::capped_count::count_of;

/// Kinds of lists whose length may be known without their rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CountedList<'f> {
    /// A project: the issues of some state, confidential, not confidential, or both.
    Project(ProjectId),
    /// The issues of a project with a label.
    Label(ProjectId, &'f str),
    /// The projects of a group.
    Group(i64),
}

impl<'f> CountedList<'f> {
    /// Returns the kind of a list; `None` if it has a condition for which there are no counters.
    pub(super) fn of(filter: &'f IssueFilter) -> Option<Self> {
        let plain = IssueFilter {
            state: filter.state,
            order_by: filter.order_by,
            sort: filter.sort,
            ..IssueFilter::new(filter.scope, filter.viewer)
        };
        match filter.scope {
            IssueScope::Project { id, .. } => {
                let by_privacy = IssueFilter {
                    confidential: filter.confidential,
                    ..plain.clone()
                };
                let by_labels = IssueFilter {
                    labels: filter.labels.clone(),
                    ..plain
                };
                match &filter.labels {
                    Some(AttributeFilter::Is(titles))
                        if *filter == by_labels && titles.len() == 1 =>
                    {
                        titles.first().map(|title| Self::Label(id, title))
                    }
                    None if *filter == by_privacy => Some(Self::Project(id)),
                    _ => None,
                }
            }
            IssueScope::Group(id) if *filter == plain => Some(Self::Group(id.get())),
            IssueScope::Group(_) | IssueScope::Everywhere => None,
        }
    }
}

/// True if the viewer of a project's list sees all confidential issues of the project.
pub(super) fn sees_confidential(filter: &IssueFilter) -> bool {
    matches!(
        filter.scope,
        IssueScope::Project {
            sees_confidential: true,
            ..
        }
    ) || matches!(filter.viewer, Viewer::Administrator(_))
}

/// Returns the counts of a project's list by state; `None` if some of its issues are confidential and the viewer may
/// see a part of them.
pub(super) fn counts(filter: &IssueFilter, kept: IssueCounters) -> Option<IssueCounts> {
    let has_confidential = kept.open_confidential + kept.closed_confidential > 0;
    let is_public = filter.confidential == Some(false);
    if has_confidential && !is_public && !sees_confidential(filter) {
        return None;
    }
    let of = |state, all: i64, confidential: i64| match filter.confidential {
        _ if filter.state.is_some_and(|wanted| wanted != state) => 0,
        None => count_of(all),
        Some(true) => count_of(confidential),
        Some(false) => count_of(all - confidential),
    };
    Some(IssueCounts {
        opened: of(IssueState::Opened, kept.open, kept.open_confidential),
        closed: of(IssueState::Closed, kept.closed, kept.closed_confidential),
    })
}

/// Returns the total of a list with these counts, up to the limit of totals.
pub(super) fn total(counts: IssueCounts) -> i64 {
    let all = i64::try_from(counts.opened + counts.closed);
    all.map_or(Total::COUNT_LIMIT, |all| all.min(Total::COUNT_LIMIT))
}

/// Returns the number of issues of a project with a label that the list may lack: those in the other state, and those
/// that the viewer may not see.
pub(super) fn left_out(filter: &IssueFilter, kept: IssueCounters) -> i64 {
    let of_state = match filter.state {
        None => 0,
        Some(IssueState::Opened) => kept.closed,
        Some(IssueState::Closed) => kept.open,
    };
    let unseen = if sees_confidential(filter) {
        0
    } else {
        kept.open_confidential + kept.closed_confidential
    };
    of_state + unseen
}

/// Counts the issues with a label, up to one more than the limit of totals plus the ones left out; `None` if that would
/// be too many.
pub(super) fn count_label(
    project: ProjectId,
    title: &str,
    left_out: i64,
) -> Option<IssueStatement> {
    let limit = Total::COUNT_LIMIT + left_out;
    (limit <= EXAMINED).then(|| {
        let mut statement = IssueStatement::default();
        let title = statement.bind(title);
        statement.text = format!(
            "SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM issue_labels AS il WHERE il.label_id = \
             (SELECT l.id FROM labels AS l WHERE l.project_id = {project} AND l.title = {title}) LIMIT {limit}) AS counted"
        );
        statement
    })
}

/// Lower and upper bound of the number of issues in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, diesel::QueryableByName)]
pub(super) struct TotalBounds {
    /// Lower bound.
    #[diesel(sql_type = BigInt)]
    pub(super) least: i64,
    /// Upper bound.
    #[diesel(sql_type = BigInt)]
    pub(super) most: i64,
}

impl TotalBounds {
    /// Returns the total up to the limit of totals, if the bounds determine it.
    pub(super) fn total(self) -> Option<i64> {
        let is_known = self.least == self.most || self.least >= Total::COUNT_LIMIT;
        is_known.then(|| self.least.min(Total::COUNT_LIMIT))
    }
}

/// Sums the counters of the projects of a group that the viewer sees.
/// If the viewer is not a Reporter in a project, it sees only those confidential issues that it wrote or is assigned
/// to: the lower sum includes none of them, the upper sum all.
pub(super) fn total_bounds(
    group: i64,
    filter: &IssueFilter,
    today: CalendarDate,
) -> IssueStatement {
    let [all, confidential] = match filter.state {
        Some(IssueState::Opened) => ["p.open_issues", "p.open_confidential_issues"],
        Some(IssueState::Closed) => ["p.closed_issues", "p.closed_confidential_issues"],
        None => [
            "p.open_issues + p.closed_issues",
            "p.open_confidential_issues + p.closed_confidential_issues",
        ],
    };
    let seen = match filter.viewer {
        Viewer::Administrator(_) => all.to_owned(),
        Viewer::Anonymous => format!("{all} - ({confidential})"),
        Viewer::User(user) => {
            let role = has_role(user, AccessLevel::Reporter, today);
            format!("CASE WHEN {role} THEN {all} ELSE {all} - ({confidential}) END")
        }
    };
    let is_visible = sees_project(filter.viewer, today);
    IssueStatement {
        text: format!(
            "SELECT CAST(COALESCE(SUM({seen}), 0) AS BIGINT) AS least, CAST(COALESCE(SUM({all}), 0) AS BIGINT) AS most \
             FROM namespace_lineage AS l JOIN projects AS p ON p.namespace_id = l.namespace_id \
             WHERE l.ancestor_id = {group} AND {is_visible}"
        ),
        binds: Vec::new(),
    }
}
