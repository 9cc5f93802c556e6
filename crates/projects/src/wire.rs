//! The JSON of groups, projects, labels, milestones, issues, notes, and events of hooks.

mod features;
mod group;
mod hook;
mod issue;
mod label;
mod note;
mod project;
mod settings;
mod snippet;

pub use group::{GroupDetailJson, GroupJson};
pub use hook::{EventParts, event_project, issue_event, note_event};
pub use issue::{IssueJson, IssueParts, IssueUsers, IssueView};
pub use label::LabelJson;
pub use note::NoteJson;
pub use project::{FullProject, SharedWithGroup, SimpleProject};
pub use snippet::{SnippetDetailJson, SnippetJson};

use api_conventions::avatar::Avatar;
use api_conventions::ids::{MilestoneId, MilestoneIid, NamespaceId, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use crate::model::{Namespace, NamespaceKind, Project, ProjectMilestone};

/// A namespace.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamespaceJson {
    id: NamespaceId,
    name: String,
    path: String,
    kind: &'static str,
    full_path: String,
    parent_id: Option<NamespaceId>,
    avatar_url: Option<String>,
    web_url: String,
}

impl NamespaceJson {
    /// A namespace with a link below `base_url`, which has no trailing slash.
    pub fn new(namespace: &Namespace, base_url: &str) -> Self {
        let full_path = namespace.full_path.as_str();
        let prefix = match namespace.kind {
            NamespaceKind::User => "",
            NamespaceKind::Group => "groups/",
        };
        Self {
            id: namespace.id,
            name: namespace.name.clone(),
            path: namespace.path.clone(),
            kind: namespace.kind.as_str(),
            full_path: full_path.to_owned(),
            parent_id: namespace.parent_id,
            // A group has no avatar, and a user's namespace has the avatar of the user.
            avatar_url: (namespace.kind == NamespaceKind::User)
                .then(|| Avatar::new(full_path, &namespace.name).url(base_url)),
            web_url: format!("{base_url}/{prefix}{full_path}"),
        }
    }
}

/// A milestone.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MilestoneJson {
    id: MilestoneId,
    iid: MilestoneIid,
    project_id: ProjectId,
    title: String,
    description: Option<String>,
    state: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    due_date: Option<CalendarDate>,
    start_date: Option<CalendarDate>,
    expired: bool,
    web_url: String,
}

impl MilestoneJson {
    /// A milestone of `project` as of the day `today`, with a link below `base_url`, which has no trailing slash.
    pub fn new(
        milestone: ProjectMilestone,
        project: &Project,
        today: CalendarDate,
        base_url: &str,
    ) -> Self {
        let (path, content) = (project.full_path.as_str(), milestone.content);
        Self {
            id: milestone.id,
            iid: milestone.iid,
            project_id: milestone.owner,
            title: content.title,
            description: content.description,
            state: content.state.as_str(),
            created_at: milestone.created_at,
            updated_at: milestone.updated_at,
            due_date: content.due_date,
            start_date: content.start_date,
            expired: content.due_date.is_some_and(|due| due < today),
            web_url: format!("{base_url}/{path}/-/milestones/{}", milestone.iid),
        }
    }
}
