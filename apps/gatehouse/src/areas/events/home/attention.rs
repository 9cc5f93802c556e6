//! Rows that need somebody: firing alerts, new errors and assigned issues in the projects of the visitor.
//!
//! Each block answers by one look-up in an index for each project of the visitor, whose number is limited, and not by
//! the rows that the projects have.

use alert_intake::model::{AlertSummary, OpenAlertFilter, OpenStatus};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, SortOrder};
use api_conventions::time::Timestamp;
use error_tracking::model::TrackedError;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::open_alerts::AlertScope;
use projects::{AttributeFilter, Issue, IssueFilter, IssueOrder, IssueScope, IssueState, Viewer};
use storage::{StoreError, StoreErrorKind};

use crate::areas::events::batches::MAX_PROJECTS;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::pill::Pill;
use crate::frame::project_directory::ProjectDirectory;

/// Age up to which an error is new, in seconds: two weeks.
const NEW_SECONDS: i64 = 14 * 86_400;

/// Row of a block.
pub(super) struct AttentionRow {
    pub(super) pill: Pill,
    pub(super) title: DisplayName,
    pub(super) path: String,
    pub(super) project: DisplayName,
    pub(super) time: DisplayTime,
}

/// Block of rows of one kind.
pub(super) struct Block {
    /// Id of the heading.
    pub(super) id: &'static str,
    /// Heading.
    pub(super) title: &'static str,
    /// Text of the link to the list.
    pub(super) all: &'static str,
    /// Path of the list.
    pub(super) path: &'static str,
    /// First rows of the list.
    pub(super) rows: Vec<AttentionRow>,
    /// True if the list has more rows.
    pub(super) has_more: bool,
}

impl Block {
    /// True if the block has rows, or may have some that were not found in time.
    pub(super) fn needs_somebody(&self) -> bool {
        self.has_more || !self.rows.is_empty()
    }

    /// Sentence for a list without rows, also for one whose rows the store could not find within its limits.
    pub(super) fn empty_text(&self) -> &'static str {
        match self.path {
            _ if self.has_more => {
                "There are too many to find yours among them. Open the list of a project or a group."
            }
            ERRORS => "No errors appeared or regressed in your projects in the last two weeks.",
            _ => "No open issues are assigned to you.",
        }
    }
}

/// Path of the list of open alerts.
pub(super) const ALERTS: &str = "/dashboard/alerts";
/// Path of the list of new errors.
pub(super) const ERRORS: &str = "/dashboard/errors";
/// Path of the list of assigned issues.
pub(super) const ISSUES: &str = "/dashboard/issues";

/// Lists the first triggered alerts of the projects in which a user may read alerts.
///
/// # Errors
/// Failures of the store.
pub(super) fn firing_alerts(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    now: Timestamp,
    limit: usize,
) -> Result<Block, StoreError> {
    let filter = OpenAlertFilter {
        status: Some(OpenStatus::Triggered),
        ..OpenAlertFilter::default()
    };
    let found = AlertScope::User(user).list(tx, filter, limit, now.date())?;
    let alerts = &found.alerts;
    let links = ProjectDirectory::of(tx, alerts.iter().map(|alert| alert.project_id))?;
    let row = |alert: &AlertSummary| {
        let (project, path) = links.get(alert.project_id)?;
        Some(AttentionRow {
            pill: alert.severity.into(),
            title: DisplayName::of(&alert.title),
            path: format!("/{path}/-/alert_management/{}/details", alert.iid),
            project: project.clone(),
            time: DisplayTime::at(alert.started_at, now),
        })
    };
    Ok(Block {
        id: "firing-alerts",
        title: "Firing alerts",
        all: "All open alerts",
        path: ALERTS,
        rows: alerts.iter().filter_map(row).collect(),
        has_more: found.next.is_some(),
    })
}

/// Lists the unresolved errors that appeared or regressed in the last two weeks, in the projects in which a user may read
/// errors.
///
/// # Errors
/// Failures of the store.
pub(super) fn new_errors(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    now: Timestamp,
    limit: usize,
) -> Result<Block, StoreError> {
    let projects = projects_of(tx, user, AccessLevel::Reporter, now)?;
    let since = now.plus_seconds(-NEW_SECONDS);
    let errors = tx.list_recent_errors(&projects, since, limit + 1)?;
    let links = ProjectDirectory::of(tx, errors.iter().map(|error| error.project_id))?;
    let row = |error: &TrackedError| {
        let (project, path) = links.get(error.project_id)?;
        let regressed = error.regressed_at.map(|_| Pill::REGRESSED);
        Some(AttentionRow {
            pill: regressed.unwrap_or_else(|| error.facts.level.into()),
            title: DisplayName::of(&error.facts.title),
            path: format!("/{path}/-/error_tracking/{}/details", error.iid),
            project: project.clone(),
            time: DisplayTime::at(error.surfaced_at(), now),
        })
    };
    Ok(Block {
        id: "new-errors",
        title: "New and regressed errors",
        all: "All new errors",
        path: ERRORS,
        rows: errors.iter().take(limit).filter_map(row).collect(),
        has_more: errors.len() > limit,
    })
}

/// Lists the open issues that are assigned to a user, those that are due first.
///
/// # Errors
/// Failures of the store.
pub(super) fn assigned_issues(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    viewer: Viewer,
    now: Timestamp,
    limit: usize,
) -> Result<Block, StoreError> {
    let mut filter = IssueFilter::new(IssueScope::Everywhere, viewer);
    filter.state = Some(IssueState::Opened);
    filter.assignees = Some(AttributeFilter::Is(vec![user]));
    filter.order_by = IssueOrder::DueDate;
    filter.sort = SortOrder::Ascending;
    let page = OffsetPage::new(1, limit as u64);
    let (issues, has_more) = match tx.list_issues(&filter, now.date(), page) {
        Ok(page) => (page.items, page.has_next),
        // The other blocks are worth more than a failure, and this one says that it has no rows to show.
        Err(error) if error.kind() == StoreErrorKind::TooMuchWork => (Vec::new(), true),
        Err(error) => return Err(error),
    };
    let links = ProjectDirectory::of(tx, issues.iter().map(|issue| issue.project_id))?;
    let row = |issue: &Issue| {
        let (project, path) = links.get(issue.project_id)?;
        Some(AttentionRow {
            pill: issue.state().into(),
            title: DisplayName::of(&issue.body.content.title),
            path: format!("/{path}/-/issues/{}", issue.iid),
            project: project.clone(),
            time: DisplayTime::at(issue.updated_at, now),
        })
    };
    Ok(Block {
        id: "assigned-issues",
        title: "Issues assigned to you",
        all: "All your issues",
        path: ISSUES,
        rows: issues.iter().filter_map(row).collect(),
        has_more,
    })
}

/// Ids of the newest projects in which a user has at least a role.
fn projects_of(
    tx: &mut dyn ReadTransaction,
    user: UserId,
    least: AccessLevel,
    now: Timestamp,
) -> Result<Vec<ProjectId>, StoreError> {
    tx.list_project_ids_of_user(user, least, now.date(), MAX_PROJECTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_takes_too_long_is_not_called_empty() {
        let block = |has_more| Block {
            id: "assigned-issues",
            title: "Issues assigned to you",
            all: "All your issues",
            path: ISSUES,
            rows: Vec::new(),
            has_more,
        };
        assert_eq!(
            block(false).empty_text(),
            "No open issues are assigned to you."
        );
        assert!(block(true).empty_text().starts_with("There are too many"));
        assert!(block(true).needs_somebody() && !block(false).needs_somebody());
    }
}
