//! The JSON of projects, labels and milestones.

mod label;

pub use label::LabelJson;

use api_conventions::access::AccessLevel;
use api_conventions::ids::{MilestoneId, MilestoneIid, NamespaceId, ProjectId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use crate::model::{FullNames, Membership, Milestone, Namespace, NamespaceKind, Project};
use crate::rules::access::ProjectAccess;

/// A namespace inside a project's JSON.
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
    fn new(namespace: &Namespace, base_url: &str) -> Self {
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
            avatar_url: None,
            web_url: format!("{base_url}/{prefix}{full_path}"),
        }
    }
}

/// What everyone who may see a project is told.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimpleProject {
    id: ProjectId,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    created_at: Timestamp,
    web_url: String,
    avatar_url: Option<String>,
    star_count: u32,
    last_activity_at: Timestamp,
    namespace: NamespaceJson,
}

impl SimpleProject {
    /// The public fields of `project`, with links below `base_url`, which has no slash at its end. `names` are those of
    /// its namespace.
    pub fn new(project: &Project, names: &FullNames, base_url: &str) -> Self {
        let full_path = project.full_path.as_str();
        Self {
            id: project.id,
            description: (!project.description.is_empty()).then(|| project.description.clone()),
            name: project.name.clone(),
            name_with_namespace: names.of_project(project),
            path: project.path.clone(),
            path_with_namespace: full_path.to_owned(),
            created_at: project.created_at,
            web_url: format!("{base_url}/{full_path}"),
            avatar_url: None,
            star_count: 0,
            last_activity_at: project.last_activity_at,
            namespace: NamespaceJson::new(&project.namespace, base_url),
        }
    }
}

/// What signed-in viewers see besides.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FullProject {
    #[serde(flatten)]
    simple: SimpleProject,
    #[serde(rename = "_links")]
    links: ProjectLinks,
    visibility: &'static str,
    archived: bool,
    creator_id: UserId,
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Permissions>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ProjectLinks {
    #[serde(rename = "self")]
    this: String,
    events: String,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Permissions {
    project_access: Option<Permission>,
    group_access: Option<Permission>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Permission {
    access_level: i16,
    notification_level: i16,
}

impl Permissions {
    /// Only a group has members of its own: what is inherited from a user's namespace is told as the project's.
    fn new(project: &Project, membership: Membership) -> Self {
        let (own, inherited) = match project.namespace.kind {
            NamespaceKind::User => (membership.highest(), None),
            NamespaceKind::Group => (membership.own, membership.inherited),
        };
        Self {
            project_access: own.map(Permission::new),
            group_access: inherited.map(Permission::new),
        }
    }
}

impl Permission {
    fn new(level: AccessLevel) -> Self {
        Self {
            access_level: level.number(),
            notification_level: 3,
        }
    }
}

impl FullProject {
    /// All fields of `project`; `names` as in [`SimpleProject::new`]. `access` is known when one project is read, and not
    /// in lists.
    pub fn new(
        project: &Project,
        names: &FullNames,
        access: Option<ProjectAccess>,
        base_url: &str,
    ) -> Self {
        let this = format!("{base_url}/api/v4/projects/{}", project.id);
        let permissions = access.map(|access| Permissions::new(project, access.membership()));
        Self {
            simple: SimpleProject::new(project, names, base_url),
            links: ProjectLinks {
                events: format!("{this}/events"),
                this,
            },
            visibility: project.visibility.as_str(),
            archived: false,
            creator_id: project.creator_id,
            updated_at: project.updated_at,
            permissions,
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
    /// A milestone of `project` as it is on the day `today`, with a link below `base_url`, which has no slash at its end.
    pub fn new(
        milestone: Milestone,
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
