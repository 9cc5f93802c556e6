//! Issues with all records that their JSON refers to.

use std::collections::{BTreeSet, HashMap};

use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::ids::{LabelId, MilestoneId, ProjectId, UserId};
use api_conventions::page::Page;
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use projects::wire::{IssueJson, IssueParts, IssueUsers, IssueView};
use projects::{Issue, Label, Project, ProjectMilestone};
use storage::StoreError;
use web_conventions::failure::Failure;

use crate::frame::api::ApiRequest;

/// View settings for the issues in a response.
pub(super) struct View<'a> {
    base_url: &'a str,
    today: CalendarDate,
    pub(super) shape: IssueView,
}

impl<'a> View<'a> {
    /// Returns the view within one project, with labels as titles.
    pub(super) fn of(request: &'a ApiRequest) -> Self {
        Self {
            base_url: request.base_url(),
            today: request.now().date(),
            shape: IssueView {
                is_in_project: true,
                ..IssueView::default()
            },
        }
    }
}

/// Issues, and the records that they refer to.
pub(super) struct IssuesWithRecords {
    pub(super) issues: Page<Issue>,
    projects: HashMap<ProjectId, Project>,
    pub(super) labels: HashMap<LabelId, Label>,
    pub(super) milestones: HashMap<MilestoneId, ProjectMilestone>,
    pub(super) users: HashMap<UserId, User>,
}

impl IssuesWithRecords {
    /// Loads the related records of one issue.
    pub(super) fn one<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        issue: Issue,
    ) -> Result<Self, StoreError> {
        let page = Page {
            items: vec![issue],
            has_next: false,
            total: api_conventions::page::Total::Exact(1),
        };
        Self::page(tx, page)
    }

    /// Loads the related records of a page of issues, with one query per kind of record.
    pub(super) fn page<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        issues: Page<Issue>,
    ) -> Result<Self, StoreError> {
        let all = || issues.items.iter();
        let labels: BTreeSet<LabelId> = all()
            .flat_map(|issue| &issue.body.labels)
            .copied()
            .collect();
        let labels: Vec<LabelId> = labels.into_iter().collect();
        let milestones: BTreeSet<MilestoneId> =
            all().filter_map(|issue| issue.body.milestone_id).collect();
        let milestones: Vec<MilestoneId> = milestones.into_iter().collect();
        let users: BTreeSet<UserId> = all().flat_map(users_of).collect();
        let users: Vec<UserId> = users.into_iter().collect();
        let projects: BTreeSet<ProjectId> = all().map(|issue| issue.project_id).collect();
        let projects: Vec<ProjectId> = projects.into_iter().collect();
        let projects = tx.list_projects_by_id(&projects)?.into_iter();
        let labels = tx.list_labels_by_id(&labels)?.into_iter();
        let milestones = tx.list_milestones_by_id(&milestones)?.into_iter();
        let users = tx.list_users_by_id(&users)?.into_iter();
        Ok(Self {
            issues,
            projects: projects.map(|project| (project.id, project)).collect(),
            labels: labels.map(|label| (label.id, label)).collect(),
            milestones: milestones.map(|one| (one.id, one)).collect(),
            users: users.map(|user| (user.id, user)).collect(),
        })
    }

    /// Returns the JSON of the only loaded issue, with `subscribed` set for `viewer`.
    pub(super) fn single(
        mut self,
        mut view: View<'_>,
        viewer: Option<UserId>,
    ) -> Result<IssueJson<UserSummary>, Failure> {
        let issue = self.issues.items.pop();
        let issue =
            issue.ok_or_else(|| StoreError::inconsistent("issues", 0, "the issue is missing"))?;
        let takes_part = viewer.is_some_and(|viewer| issue.concerns(viewer));
        view.shape.subscribed = Some(takes_part || viewer.is_none());
        let id = issue.id;
        let json = self.issue_json(issue, &view);
        Ok(json.ok_or_else(|| {
            StoreError::inconsistent("issues", id.get(), "the issue has no project")
        })?)
    }

    /// Returns the JSON of all issues, as a page.
    pub(super) fn all(mut self, view: &View<'_>) -> Page<IssueJson<UserSummary>> {
        let issues = std::mem::take(&mut self.issues.items).into_iter();
        Page {
            items: issues
                .filter_map(|issue| self.issue_json(issue, view))
                .collect(),
            has_next: self.issues.has_next,
            total: self.issues.total,
        }
    }

    fn issue_json(&self, issue: Issue, view: &View<'_>) -> Option<IssueJson<UserSummary>> {
        let user = |id: &UserId| {
            let user = self.users.get(id);
            user.map(|user| UserSummary::new(user, view.base_url))
        };
        let milestone = issue.body.milestone_id;
        let labels = issue
            .body
            .labels
            .iter()
            .filter_map(|id| self.labels.get(id).cloned());
        let parts = IssueParts {
            project: self.projects.get(&issue.project_id)?,
            labels: labels.collect(),
            milestone: milestone.and_then(|id| self.milestones.get(&id).cloned()),
            users: IssueUsers {
                author: user(&issue.author_id),
                closed_by: issue.body.closing.and_then(|closing| user(&closing.by)),
                assignees: issue.body.assignees.iter().filter_map(user).collect(),
            },
        };
        Some(IssueJson::new(
            issue,
            parts,
            view.shape,
            view.today,
            view.base_url,
        ))
    }
}

fn users_of(issue: &Issue) -> impl Iterator<Item = UserId> {
    let closer = issue.body.closing.map(|closing| closing.by);
    let others = issue.body.assignees.iter().copied();
    others.chain([issue.author_id]).chain(closer)
}
