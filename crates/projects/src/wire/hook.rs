//! The JSON of events of issues and notes, as the hooks of a project report them to v4 clients.
//!
//! Each URL is a path below the server, such as `/group/project`: the sender knows the address of the server. `users` and
//! `labels` have those that an event mentions; deleted ones are left out.

use std::collections::BTreeMap;

use api_conventions::ids::{LabelId, UserId};
use serde_json::{Map, Value, json};

use crate::model::{Issue, IssueKind, IssueState, Label, Project, ResourceNote};

/// Resources that the JSON of an event includes.
#[derive(Debug, Clone)]
pub struct EventParts<'p> {
    /// Project.
    pub project: &'p Project,
    /// User who acts; `null` if the account was deleted.
    pub user: Value,
    /// Users in the short form of events.
    pub users: BTreeMap<UserId, Value>,
    /// Labels.
    pub labels: BTreeMap<LabelId, Label>,
}

/// Returns the JSON of a project in an event.
pub fn event_project(project: &Project) -> Value {
    let path = format!("/{}", project.full_path.as_str());
    let repository = format!("{path}.git");
    json!({
        "id": project.id,
        "name": project.name,
        "description": project.description,
        "web_url": path,
        "avatar_url": null,
        "git_ssh_url": repository,
        "git_http_url": repository,
        "namespace": project.namespace.name,
        "visibility_level": project.visibility.number(),
        "path_with_namespace": project.full_path.as_str(),
        "default_branch": project.settings.default_branch(),
        "homepage": path,
        "url": repository,
        "ssh_url": repository,
        "http_url": repository,
    })
}

/// Returns the JSON of the creation (`before` is `None`) or change of an issue. Types other than issues are work items, as
/// v4 clients expect. `is_confidential` selects the event type.
pub fn issue_event(
    parts: &EventParts<'_>,
    before: Option<&Issue>,
    after: &Issue,
    is_confidential: bool,
) -> Value {
    let action = match before.map(Issue::state) {
        None => "open",
        Some(IssueState::Opened) if after.state() == IssueState::Closed => "close",
        Some(IssueState::Closed) if after.state() == IssueState::Opened => "reopen",
        Some(_) => "update",
    };
    let kind = match after.body.content.kind {
        IssueKind::Issue => "issue",
        IssueKind::Incident => "work_item",
    };
    let mut attributes = parts.issue(after);
    attributes.insert("action".to_owned(), action.into());
    json!({
        "object_kind": kind,
        "event_type": if is_confidential { "confidential_issue" } else { "issue" },
        "user": parts.user,
        "project": event_project(parts.project),
        "object_attributes": attributes,
        "labels": parts.labels(after),
        "assignees": parts.assignees(after),
        "changes": parts.changes(before, after),
        "repository": repository(parts.project),
    })
}

/// Returns the JSON of the creation or change (`is_new` is `false`) of a comment on an issue.
pub fn note_event(
    parts: &EventParts<'_>,
    issue: &Issue,
    note: &ResourceNote,
    is_new: bool,
    is_confidential: bool,
) -> Value {
    let path = parts.issue_path(issue);
    json!({
        "object_kind": "note",
        "event_type": if is_confidential { "confidential_note" } else { "note" },
        "user": parts.user,
        "project_id": issue.project_id,
        "project": event_project(parts.project),
        "repository": repository(parts.project),
        "object_attributes": {
            "id": note.id,
            "note": note.body,
            "description": note.body,
            "noteable_type": note.on.kind.as_str(),
            "noteable_id": note.on.id,
            "author_id": note.author_id,
            "project_id": issue.project_id,
            "created_at": note.created_at,
            "updated_at": note.updated_at,
            "internal": note.internal,
            "system": note.system,
            "type": null,
            "attachment": null,
            "line_code": null,
            "commit_id": null,
            "st_diff": null,
            "action": if is_new { "create" } else { "update" },
            "url": format!("{path}#note_{}", note.id),
        },
        "issue": parts.issue(issue),
    })
}

impl EventParts<'_> {
    fn issue_path(&self, issue: &Issue) -> String {
        format!(
            "/{}/-/issues/{}",
            self.project.full_path.as_str(),
            issue.iid
        )
    }

    /// Returns the attributes of an issue. Those of features that this server lacks have the values of an issue without any.
    fn issue(&self, issue: &Issue) -> Map<String, Value> {
        let assignees = &issue.body.assignees;
        let mut attributes = self.changeable(issue);
        // In the attributes, assignees are ids.
        attributes.remove("assignees");
        let fixed = json!({
            "id": issue.id,
            "iid": issue.iid,
            "project_id": issue.project_id,
            "author_id": issue.author_id,
            "created_at": issue.created_at,
            "assignee_ids": assignees,
            "assignee_id": assignees.first(),
            "state": issue.state().as_str(),
            "url": self.issue_path(issue),
            "moved_to_id": null,
            "time_estimate": 0,
            "total_time_spent": 0,
            "time_change": 0,
            "human_time_estimate": null,
            "human_total_time_spent": null,
            "human_time_change": null,
            "weight": null,
            "health_status": null,
        });
        if let Value::Object(fixed) = fixed {
            attributes.extend(fixed);
        }
        attributes
    }

    /// Returns the attributes whose changes an event lists.
    fn changeable(&self, issue: &Issue) -> Map<String, Value> {
        let content = &issue.body.content;
        let attributes = json!({
            "title": content.title,
            "description": content.description,
            "type": match content.kind {
                IssueKind::Issue => "Issue",
                IssueKind::Incident => "Incident",
            },
            "severity": content.severity.as_str(),
            "confidential": content.confidential,
            "discussion_locked": content.discussion_locked,
            "due_date": content.due_date,
            "milestone_id": issue.body.milestone_id,
            "state_id": match issue.state() {
                IssueState::Opened => 1,
                IssueState::Closed => 2,
            },
            "closed_at": issue.body.closing.map(|closing| closing.at),
            "updated_at": issue.updated_at,
            "labels": self.labels(issue),
            "assignees": self.assignees(issue),
        });
        match attributes {
            Value::Object(attributes) => attributes,
            _ => Map::new(),
        }
    }

    /// Returns the labels of an issue, ordered by title.
    fn labels(&self, issue: &Issue) -> Vec<Value> {
        let labels = issue.body.labels.iter();
        let mut labels: Vec<&Label> = labels.filter_map(|id| self.labels.get(id)).collect();
        labels.sort_by(|one, other| one.content.title.cmp(&other.content.title));
        labels.into_iter().map(label).collect()
    }

    fn assignees(&self, issue: &Issue) -> Vec<Value> {
        let assignees = issue.body.assignees.iter();
        assignees
            .filter_map(|id| self.users.get(id).cloned())
            .collect()
    }

    /// Returns the changes. A new issue has those from nothing to its values.
    fn changes(&self, before: Option<&Issue>, after: &Issue) -> Map<String, Value> {
        let before = before.map(|issue| self.changeable(issue));
        let change = |(name, current): (String, Value)| {
            let previous = match &before {
                Some(before) => before.get(&name).cloned().unwrap_or_default(),
                None if is_empty(&current) => current.clone(),
                None => Value::Null,
            };
            let is_changed = previous != current;
            is_changed.then(|| (name, json!({ "previous": previous, "current": current })))
        };
        let after = self.changeable(after).into_iter();
        after.filter_map(change).collect()
    }
}

/// True for the value of an attribute that was not set.
fn is_empty(value: &Value) -> bool {
    value.is_null() || *value == json!(false) || *value == json!([])
}

fn label(label: &Label) -> Value {
    json!({
        "id": label.id,
        "title": label.content.title,
        "color": label.content.color,
        "project_id": label.owner,
        "created_at": label.created_at,
        "updated_at": label.updated_at,
        "template": false,
        "description": label.content.description,
        "type": "ProjectLabel",
        "group_id": null,
    })
}

/// Returns the form of a project that older clients read.
fn repository(project: &Project) -> Value {
    let path = format!("/{}", project.full_path.as_str());
    json!({
        "name": project.name,
        "url": format!("{path}.git"),
        "description": project.description,
        "homepage": path,
    })
}
