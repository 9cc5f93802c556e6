//! The JSON of an issue.

use api_conventions::ids::{IssueId, IssueIid, LabelId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use super::MilestoneJson;
use super::label::text_color;
use crate::model::{Issue, IssueState, Label, Project, ProjectMilestone, tasks};

/// An issue. `U` is the short form of a user, which the caller supplies.
///
/// Attributes of features that this server lacks, such as votes and time tracking, have the values of an issue without
/// any.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Issue"))]
pub struct IssueJson<U> {
    id: IssueId,
    iid: IssueIid,
    project_id: ProjectId,
    title: String,
    description: Option<String>,
    state: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Option<Timestamp>,
    closed_by: Option<U>,
    labels: LabelsJson,
    milestone: Option<MilestoneJson>,
    assignees: Vec<U>,
    author: Option<U>,
    #[serde(rename = "type")]
    kind: String,
    assignee: Option<U>,
    user_notes_count: i64,
    merge_requests_count: u32,
    upvotes: u32,
    downvotes: u32,
    due_date: Option<CalendarDate>,
    confidential: bool,
    discussion_locked: bool,
    issue_type: &'static str,
    web_url: String,
    time_stats: TimeStats,
    task_completion_status: TaskStatus,
    has_tasks: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_status: Option<String>,
    weight: Option<i64>,
    blocking_issues_count: u32,
    #[serde(rename = "_links")]
    links: IssueLinks,
    references: References,
    severity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subscribed: Option<bool>,
    moved_to_id: Option<i64>,
    service_desk_reply_to: Option<String>,
}

/// Labels of an issue, ordered by title.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum LabelsJson {
    Titles(Vec<String>),
    Details(Vec<LabelDetails>),
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LabelDetails {
    id: LabelId,
    name: String,
    color: String,
    description: Option<String>,
    text_color: &'static str,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TimeStats {
    time_estimate: i64,
    total_time_spent: i64,
    human_time_estimate: Option<String>,
    human_total_time_spent: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TaskStatus {
    count: u64,
    completed_count: u64,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct IssueLinks {
    #[serde(rename = "self")]
    this: String,
    notes: String,
    award_emoji: String,
    project: String,
    closed_as_duplicate_of: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct References {
    short: String,
    relative: String,
    full: String,
}

/// Options for the JSON of an issue.
#[derive(Debug, Clone, Copy, Default)]
pub struct IssueView {
    /// True to show labels as objects instead of titles.
    pub with_label_details: bool,
    /// True for references relative to the project.
    pub is_in_project: bool,
    /// True if the viewer takes part in the issue; known for single issues only.
    pub subscribed: Option<bool>,
}

/// The users of an issue.
#[derive(Debug, Clone)]
pub struct IssueUsers<U> {
    /// Author; `None` if the account was deleted.
    pub author: Option<U>,
    /// User who closed the issue; `None` likewise.
    pub closed_by: Option<U>,
    /// Assignees.
    pub assignees: Vec<U>,
}

/// Resources that the JSON of an issue includes.
#[derive(Debug, Clone)]
pub struct IssueParts<'p, U> {
    /// Project.
    pub project: &'p Project,
    /// Labels, in any order.
    pub labels: Vec<Label>,
    /// Milestone.
    pub milestone: Option<ProjectMilestone>,
    /// Users.
    pub users: IssueUsers<U>,
}

impl<U: Clone> IssueJson<U> {
    /// An issue as of the day `today`, with links below `base_url`, which has no trailing slash.
    pub fn new(
        issue: Issue,
        parts: IssueParts<'_, U>,
        view: IssueView,
        today: CalendarDate,
        base_url: &str,
    ) -> Self {
        let (state, project) = (issue.state(), parts.project);
        let (path, iid, content) = (project.full_path.as_str(), issue.iid, issue.body.content);
        let tasks = tasks(content.description.as_deref().unwrap_or_default());
        let users = parts.users;
        let milestone = parts.milestone;
        let status = format!("{} of {} tasks completed", tasks.completed, tasks.count);
        Self {
            id: issue.id,
            iid,
            project_id: issue.project_id,
            title: content.title,
            description: content.description,
            state: IssueState::as_str(state),
            created_at: issue.created_at,
            updated_at: issue.updated_at,
            closed_at: issue.body.closing.map(|closing| closing.at),
            closed_by: users.closed_by,
            labels: LabelsJson::new(parts.labels, view.with_label_details),
            milestone: milestone.map(|one| MilestoneJson::new(one, project, today, base_url)),
            assignee: users.assignees.first().cloned(),
            assignees: users.assignees,
            author: users.author,
            kind: content.kind.as_str().to_uppercase(),
            user_notes_count: issue.user_notes_count,
            merge_requests_count: 0,
            upvotes: 0,
            downvotes: 0,
            due_date: content.due_date,
            confidential: content.confidential,
            discussion_locked: content.discussion_locked,
            issue_type: content.kind.as_str(),
            web_url: format!("{base_url}/{path}/-/issues/{iid}"),
            time_stats: TimeStats {
                time_estimate: 0,
                total_time_spent: 0,
                human_time_estimate: None,
                human_total_time_spent: None,
            },
            task_completion_status: TaskStatus {
                count: tasks.count,
                completed_count: tasks.completed,
            },
            has_tasks: tasks.count > 0,
            task_status: (tasks.count > 0).then_some(status),
            weight: None,
            blocking_issues_count: 0,
            links: IssueLinks::new(issue.project_id, iid, base_url),
            references: References::new(path, iid, view.is_in_project),
            severity: content.severity.as_str().to_uppercase(),
            subscribed: view.subscribed,
            moved_to_id: None,
            service_desk_reply_to: None,
        }
    }
}

impl LabelsJson {
    fn new(mut labels: Vec<Label>, with_details: bool) -> Self {
        labels.sort_by(|one, other| one.content.title.cmp(&other.content.title));
        let labels = labels.into_iter();
        if !with_details {
            return Self::Titles(labels.map(|label| label.content.title).collect());
        }
        let details = labels.map(|label| LabelDetails {
            id: label.id,
            name: label.content.title,
            text_color: text_color(&label.content.color),
            color: label.content.color,
            description: label.content.description,
        });
        Self::Details(details.collect())
    }
}

impl IssueLinks {
    fn new(project: ProjectId, iid: IssueIid, base_url: &str) -> Self {
        let project = format!("{base_url}/api/v4/projects/{project}");
        let this = format!("{project}/issues/{iid}");
        Self {
            notes: format!("{this}/notes"),
            award_emoji: format!("{this}/award_emoji"),
            this,
            project,
            closed_as_duplicate_of: None,
        }
    }
}

impl References {
    fn new(path: &str, iid: IssueIid, is_in_project: bool) -> Self {
        let (short, full) = (format!("#{iid}"), format!("{path}#{iid}"));
        Self {
            relative: if is_in_project {
                short.clone()
            } else {
                full.clone()
            },
            short,
            full,
        }
    }
}
