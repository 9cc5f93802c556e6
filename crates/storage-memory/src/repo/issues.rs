//! Issues of projects.

use std::collections::BTreeMap;
use std::ops::Deref;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::reference::ProjectRef;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    DueFilter, Issue, IssueBody, IssueCounts, IssueFilter, IssueOrder, IssuePlace, IssueQueries,
    IssueRepository, IssueState, Label, LockedIssue, Milestone, NewIssue, OpenIssues,
    ProjectQueries as _, Viewer, Wanted,
};
use storage::{StoreError, StoreErrorKind};

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, any_holds, page_of};

/// The issues, and the last number of each project.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    pub(super) issues: Table<IssueId, Issue>,
    last: BTreeMap<ProjectId, i64>,
}

impl Tables {
    /// Deletes issues of a project that goes, too, at most `limit`, and gives how many went.
    pub(crate) fn delete_of(&mut self, project: ProjectId, limit: usize) -> usize {
        let of_project = |issue: &Issue| issue.project_id == project;
        self.issues.remove_where(limit, of_project).len()
    }

    /// Takes a label away from every issue.
    pub(crate) fn forget_label(&mut self, label: LabelId) {
        for issue in self.issues.rows_mut() {
            issue.body.labels.remove(&label);
        }
    }

    /// Takes a milestone away from every issue.
    pub(crate) fn forget_milestone(&mut self, milestone: MilestoneId) {
        for issue in self.issues.rows_mut() {
            let milestone_id = &mut issue.body.milestone_id;
            *milestone_id = milestone_id.filter(|id| *id != milestone);
        }
    }
}

impl<S: Deref<Target = State>> MemoryTx<S> {
    /// Whether a list has the issues of this project, and whether the viewer sees confidential ones in it.
    fn sees_issues(
        &mut self,
        filter: &IssueFilter,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Option<bool>, StoreError> {
        if let IssuePlace::Project {
            id,
            sees_confidential,
        } = filter.place
        {
            return Ok((id == project).then_some(sees_confidential));
        }
        let Some(project) = self.find_project(&ProjectRef::Id(project))? else {
            return Ok(None);
        };
        let is_in_place = match filter.place {
            IssuePlace::Group(id) => {
                let tables = &self.0.projects;
                tables.lineage(project.namespace.id).any(|one| one == id)
            }
            IssuePlace::Project { .. } | IssuePlace::Everywhere => true,
        };
        let user = match filter.viewer {
            Viewer::Administrator(_) => return Ok(is_in_place.then_some(true)),
            Viewer::User(user) => user,
            Viewer::Anonymous => {
                let is_public = project.visibility == Visibility::Public;
                return Ok((is_in_place && is_public).then_some(false));
            }
        };
        let role = self.find_membership(user, project.id, today)?.highest();
        let is_seen = project.visibility >= Visibility::Internal || role.is_some();
        Ok((is_in_place && is_seen).then_some(role >= Some(AccessLevel::Reporter)))
    }

    /// All issues that match, in the order of their ids.
    fn matching_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
    ) -> Result<Vec<Issue>, StoreError> {
        let mut sight: BTreeMap<ProjectId, Option<bool>> = BTreeMap::new();
        let projects: Vec<ProjectId> = self.0.issues.last.keys().copied().collect();
        for id in projects {
            sight.insert(id, self.sees_issues(filter, id, today)?);
        }
        let state: &State = &self.0;
        let user = filter.viewer.user_id();
        let is_seen = |issue: &Issue| {
            let sees_confidential = sight.get(&issue.project_id).copied().flatten();
            sees_confidential.is_some_and(|all| {
                all || !issue.body.content.confidential
                    || user.is_some_and(|user| issue.concerns(user))
            })
        };
        let issues = state.issues.issues.rows();
        let issues = issues.filter(|issue| is_seen(issue) && matches(state, filter, issue));
        Ok(issues.cloned().collect())
    }
}

/// The titles of the labels of an issue.
fn titles<'s>(state: &'s State, issue: &'s Issue) -> impl Iterator<Item = &'s str> {
    let labels = issue.body.labels.iter();
    labels.filter_map(|id| state.labels.get(*id).map(|label| &*label.content.title))
}

fn matches(state: &State, filter: &IssueFilter, issue: &Issue) -> bool {
    let (content, not) = (&issue.body.content, &filter.not);
    let has = |title: &String| titles(state, issue).any(|one| one == title);
    let milestone = issue.body.milestone_id;
    let milestone = milestone.and_then(|id| state.milestones.get(id));
    let milestone = milestone.map(|milestone| &milestone.content.title);
    let assignees = &issue.body.assignees;
    let is_after = |wanted: Option<Timestamp>, at| wanted.is_none_or(|wanted| at >= wanted);
    let is_before = |wanted: Option<Timestamp>, at| wanted.is_none_or(|wanted| at <= wanted);
    filter.state.is_none_or(|state| issue.state() == state)
        && (filter.iids.is_empty() || filter.iids.contains(&issue.iid))
        && filter.author.is_none_or(|author| issue.author_id == author)
        && is_wanted(filter.assignees.as_ref(), assignees.is_empty(), |users| {
            users.iter().all(|user| assignees.contains(user))
        })
        && is_wanted(
            filter.labels.as_ref(),
            issue.body.labels.is_empty(),
            |all| all.iter().all(has),
        )
        && is_wanted(filter.milestone.as_ref(), milestone.is_none(), |title| {
            milestone == Some(title)
        })
        && filter
            .milestone_id
            .is_none_or(|id| issue.body.milestone_id == Some(id))
        && filter
            .search
            .as_ref()
            .is_none_or(|part| is_found(filter, issue, part))
        && filter
            .confidential
            .is_none_or(|wanted| content.confidential == wanted)
        && filter.kind.is_none_or(|kind| content.kind == kind)
        && is_after(filter.created_after, issue.created_at)
        && is_before(filter.created_before, issue.created_at)
        && is_after(filter.updated_after, issue.updated_at)
        && is_before(filter.updated_before, issue.updated_at)
        && filter.due.is_none_or(|due| is_due(due, content.due_date))
        && !not.labels.iter().any(has)
        && not
            .milestone
            .as_ref()
            .is_none_or(|title| milestone != Some(title))
        && not.author.is_none_or(|author| issue.author_id != author)
        && not.assignee.is_none_or(|user| !assignees.contains(&user))
}

fn is_wanted<T>(wanted: Option<&Wanted<T>>, is_none: bool, is: impl FnOnce(&T) -> bool) -> bool {
    match wanted {
        None => true,
        Some(Wanted::None) => is_none,
        Some(Wanted::Any) => !is_none,
        Some(Wanted::Is(wanted)) => is(wanted),
    }
}

fn is_found(filter: &IssueFilter, issue: &Issue, part: &str) -> bool {
    let content = &issue.body.content;
    let mut texts = Vec::new();
    if filter.search_in.title {
        texts.push(&*content.title);
    }
    if filter.search_in.description {
        texts.extend(content.description.as_deref());
    }
    any_holds(&texts, part)
}

fn is_due(due: DueFilter, day: Option<CalendarDate>) -> bool {
    match due {
        DueFilter::None => day.is_none(),
        DueFilter::Any => day.is_some(),
        DueFilter::Between(first, last) => day.is_some_and(|day| {
            first.is_none_or(|first| day >= first) && last.is_none_or(|last| day <= last)
        }),
    }
}

/// Puts issues, which come in the order of their ids, into the order of a list.
fn in_order(mut issues: Vec<&Issue>, by: IssueOrder, sort: SortOrder) -> Vec<&Issue> {
    match by {
        IssueOrder::CreatedAt => issues.sort_by_key(|issue| issue.created_at),
        IssueOrder::UpdatedAt => issues.sort_by_key(|issue| issue.updated_at),
        IssueOrder::DueDate => issues.sort_by_key(|issue| issue.body.content.due_date),
        IssueOrder::Title => {
            issues.sort_by_cached_key(|issue| issue.body.content.title.to_lowercase());
        }
    }
    if sort == SortOrder::Descending {
        issues.reverse();
    }
    if by == IssueOrder::DueDate {
        issues.sort_by_key(|issue| issue.body.content.due_date.is_none());
    }
    issues
}

fn open_issues(state: &State, project: ProjectId) -> OpenIssues {
    let issues = state.issues.issues.rows();
    let open = issues.filter(|issue| issue.project_id == project && issue.body.closing.is_none());
    open.fold(OpenIssues::default(), |counts, issue| OpenIssues {
        all: counts.all + 1,
        confidential: counts.confidential + u64::from(issue.body.content.confidential),
    })
}

fn counted<'i>(issues: impl Iterator<Item = &'i Issue>) -> IssueCounts {
    issues.fold(IssueCounts::default(), |mut counts, issue| {
        match issue.state() {
            IssueState::Opened => counts.opened += 1,
            IssueState::Closed => counts.closed += 1,
        }
        counts
    })
}

impl<S: Deref<Target = State>> IssueQueries for MemoryTx<S> {
    fn find_issue(
        &mut self,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<Issue>, StoreError> {
        let issues = &self.0.issues.issues;
        let found = issues.find(|issue| (issue.project_id, issue.iid) == (project, iid));
        Ok(found.cloned())
    }

    fn find_issue_by_id(&mut self, id: IssueId) -> Result<Option<Issue>, StoreError> {
        Ok(self.0.issues.issues.get(id).cloned())
    }

    fn list_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Issue>, StoreError> {
        let issues = self.matching_issues(filter, today)?;
        let issues = in_order(issues.iter().collect(), filter.order_by, filter.sort);
        Ok(page_of(issues, page))
    }

    fn count_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
    ) -> Result<IssueCounts, StoreError> {
        Ok(counted(self.matching_issues(filter, today)?.iter()))
    }

    fn count_issues_by_label(
        &mut self,
        filter: &IssueFilter,
        labels: &[LabelId],
        today: CalendarDate,
    ) -> Result<Vec<(LabelId, IssueCounts)>, StoreError> {
        let issues = self.matching_issues(filter, today)?;
        let of_label = |label: &LabelId| {
            let having = issues.iter();
            let counts = counted(having.filter(|issue| issue.body.labels.contains(label)));
            (*label, counts)
        };
        let all = labels.iter().map(of_label);
        Ok(all
            .filter(|(_, counts)| *counts != IssueCounts::default())
            .collect())
    }

    fn count_open_issues(
        &mut self,
        projects: &[ProjectId],
    ) -> Result<Vec<(ProjectId, OpenIssues)>, StoreError> {
        let state: &State = &self.0;
        let known = projects
            .iter()
            .filter(|id| state.projects.project(**id).is_some());
        Ok(known.map(|id| (*id, open_issues(state, *id))).collect())
    }

    fn list_labels_by_id(&mut self, ids: &[LabelId]) -> Result<Vec<Label>, StoreError> {
        let labels = self.0.labels.rows();
        Ok(labels
            .filter(|label| ids.contains(&label.id))
            .cloned()
            .collect())
    }

    fn list_labels_by_title(
        &mut self,
        project: ProjectId,
        titles: &[String],
    ) -> Result<Vec<Label>, StoreError> {
        let labels = self.0.labels.rows().filter(|label| label.owner == project);
        let labels = labels.filter(|label| titles.contains(&label.content.title));
        Ok(labels.cloned().collect())
    }

    fn list_milestones_by_id(&mut self, ids: &[MilestoneId]) -> Result<Vec<Milestone>, StoreError> {
        let milestones = self.0.milestones.rows();
        let milestones = milestones.filter(|milestone| ids.contains(&milestone.id));
        Ok(milestones.cloned().collect())
    }
}

/// An issue was written after it was deleted in the same transaction.
fn gone(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Internal, operation).with_detail("the issue is gone")
}

impl IssueRepository for MemoryWriteTx<'_> {
    /// There is one write transaction at a time, so nothing has to be locked.
    fn lock_issues(&mut self, project: ProjectId) -> Result<bool, StoreError> {
        Ok(self.find_project(&ProjectRef::Id(project))?.is_some())
    }

    fn insert_issue(&mut self, new: &NewIssue) -> Result<Issue, StoreError> {
        let tables = &mut self.0.issues;
        let last = tables.last.entry(new.project_id).or_default();
        *last += 1;
        let iid = IssueIid::new(*last);
        Ok(tables.issues.insert_copy(|id| new.stored(id, iid)))
    }

    fn skip_issue_numbers(
        &mut self,
        project: ProjectId,
        through: IssueIid,
    ) -> Result<(), StoreError> {
        let last = self.0.issues.last.entry(project).or_default();
        *last = (*last).max(through.get());
        Ok(())
    }

    fn lock_issue(
        &mut self,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<LockedIssue>, StoreError> {
        Ok(self.find_issue(project, iid)?.map(LockedIssue::by_adapter))
    }

    fn update_issue(
        &mut self,
        issue: LockedIssue,
        body: IssueBody,
        now: Timestamp,
    ) -> Result<Issue, StoreError> {
        let row = self.0.issues.issues.get_mut(issue.id);
        let row = row.ok_or_else(|| gone("update issue"))?;
        row.body = body;
        row.updated_at = now;
        Ok(row.clone())
    }

    fn delete_issue(&mut self, issue: LockedIssue) -> Result<Issue, StoreError> {
        let is_deleted = self.0.issues.issues.remove(issue.id);
        self.0.notes.forget_issue(issue.id);
        is_deleted
            .then(|| issue.into_issue())
            .ok_or_else(|| gone("delete issue"))
    }
}
