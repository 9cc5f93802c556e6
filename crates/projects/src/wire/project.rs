//! The JSON of projects.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use serde::Serialize;

use super::NamespaceJson;
use super::features::Features;
use super::settings::SettingValuesJson;
use crate::model::{
    FullNames, Group, Membership, NamespaceKind, Project, ProjectSettingTable, ProjectShare,
};

/// Project fields for every viewer.
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
    default_branch: Option<String>,
    tag_list: Vec<String>,
    topics: Vec<String>,
    ssh_url_to_repo: String,
    http_url_to_repo: String,
    web_url: String,
    readme_url: Option<String>,
    forks_count: u32,
    avatar_url: Option<String>,
    star_count: u32,
    last_activity_at: Timestamp,
    namespace: NamespaceJson,
}

impl SimpleProject {
    /// Public fields of `project`, with links below `base_url`, which has no trailing slash.
    /// `names` are those of its namespace.
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
            default_branch: project.settings.default_branch(),
            tag_list: project.topics.clone(),
            topics: project.topics.clone(),
            ssh_url_to_repo: format!("git@{}:{full_path}.git", host_of(base_url)),
            http_url_to_repo: format!("{base_url}/{full_path}.git"),
            web_url: format!("{base_url}/{full_path}"),
            readme_url: None,
            forks_count: 0,
            avatar_url: None,
            star_count: 0,
            last_activity_at: project.last_activity_at,
            namespace: NamespaceJson::new(&project.namespace, base_url),
        }
    }
}

/// Host of a URL, without its port.
/// Clients parse the URL of a repository, so it is present although the server hosts no repositories.
fn host_of(base_url: &str) -> &str {
    let after_scheme = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let authority = after_scheme.split('/').next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Project fields for signed-in viewers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FullProject {
    #[serde(flatten)]
    simple: SimpleProject,
    #[serde(rename = "_links")]
    links: ProjectResourceLinks,
    visibility: &'static str,
    archived: bool,
    creator_id: UserId,
    updated_at: Timestamp,
    #[serde(flatten)]
    features: Features,
    #[serde(flatten)]
    settings: SettingValuesJson<ProjectSettingTable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_with_groups: Option<Vec<SharedWithGroup>>,
    permissions: Permissions,
}

/// A group with which a project is shared.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedWithGroup {
    group_id: NamespaceId,
    group_name: String,
    group_full_path: String,
    group_access_level: i16,
    expires_at: Option<CalendarDate>,
}

impl SharedWithGroup {
    /// A share with `group`.
    pub fn new(share: &ProjectShare, group: &Group) -> Self {
        Self {
            group_id: group.id,
            group_name: group.content.name.clone(),
            group_full_path: group.full_path.as_str().to_owned(),
            group_access_level: share.level.number(),
            expires_at: share.expires_on,
        }
    }
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProjectLinks"))]
struct ProjectResourceLinks {
    #[serde(rename = "self")]
    this: String,
    issues: String,
    labels: String,
    events: String,
    members: String,
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
    /// Only a group has members of its own: a role inherited from a user's namespace counts as one in the project.
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
    /// All fields of `project`; `names` as in [`SimpleProject::new`].
    /// `membership` is that of the viewer.
    pub fn new(
        project: &Project,
        names: &FullNames,
        membership: Membership,
        base_url: &str,
    ) -> Self {
        let this = format!("{base_url}/api/v4/projects/{}", project.id);
        Self {
            simple: SimpleProject::new(project, names, base_url),
            links: ProjectResourceLinks {
                issues: format!("{this}/issues"),
                labels: format!("{this}/labels"),
                events: format!("{this}/events"),
                members: format!("{this}/members"),
                this,
            },
            visibility: project.visibility.as_str(),
            archived: project.archived,
            creator_id: project.creator_id,
            updated_at: project.updated_at,
            features: Features::of_every_project(),
            settings: SettingValuesJson::new(&project.settings),
            shared_with_groups: None,
            permissions: Permissions::new(project, membership),
        }
    }

    /// Adds the groups that the project is shared with.
    #[must_use]
    pub fn with_shares(mut self, shares: Vec<SharedWithGroup>) -> Self {
        self.shared_with_groups = Some(shares);
        self
    }
}
