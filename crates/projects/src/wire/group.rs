//! The JSON of groups.

use api_conventions::ids::NamespaceId;
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::settings::SettingValuesJson;
use super::{SharedWithGroup, SimpleProject};
use crate::model::{FullNames, Group, GroupSettingTable};

/// A group.
/// Attributes of features that this server lacks have the values that clients expect for an unused feature.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupJson {
    id: NamespaceId,
    web_url: String,
    name: String,
    path: String,
    description: String,
    visibility: &'static str,
    share_with_group_lock: bool,
    require_two_factor_authentication: bool,
    project_creation_level: &'static str,
    subgroup_creation_level: &'static str,
    #[serde(flatten)]
    settings: SettingValuesJson<GroupSettingTable>,
    avatar_url: Option<String>,
    full_name: String,
    full_path: String,
    created_at: Timestamp,
    parent_id: Option<NamespaceId>,
}

impl GroupJson {
    /// A group with a link below `base_url`, which has no trailing slash.
    /// `names` are those of the group.
    pub fn new(group: &Group, names: &FullNames, base_url: &str) -> Self {
        let content = &group.content;
        let full_path = group.full_path.as_str();
        Self {
            id: group.id,
            web_url: format!("{base_url}/groups/{full_path}"),
            name: content.name.clone(),
            path: content.path.clone(),
            description: content.description.clone(),
            visibility: content.visibility.as_str(),
            share_with_group_lock: content.share_with_group_lock,
            require_two_factor_authentication: false,
            project_creation_level: content.project_creation_level.as_str(),
            subgroup_creation_level: content.subgroup_creation_level.as_str(),
            settings: SettingValuesJson::new(&content.settings),
            avatar_url: None,
            full_name: names.of_group(group),
            full_path: full_path.to_owned(),
            created_at: group.created_at,
            parent_id: group.parent_id,
        }
    }
}

/// A single group, with the attributes that lists omit.
/// Groups are not shared with other groups here.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupDetailJson {
    #[serde(flatten)]
    group: GroupJson,
    shared_with_groups: Vec<SharedWithGroup>,
    prevent_sharing_groups_outside_hierarchy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    projects: Option<Vec<SimpleProject>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_projects: Option<Vec<SimpleProject>>,
}

impl From<GroupJson> for GroupDetailJson {
    fn from(group: GroupJson) -> Self {
        Self {
            group,
            shared_with_groups: Vec::new(),
            prevent_sharing_groups_outside_hierarchy: false,
            projects: None,
            shared_projects: None,
        }
    }
}

impl GroupDetailJson {
    /// Adds the projects of the group and those shared with it.
    #[must_use]
    pub fn with_projects(
        mut self,
        projects: Vec<SimpleProject>,
        shared: Vec<SimpleProject>,
    ) -> Self {
        self.projects = Some(projects);
        self.shared_projects = Some(shared);
        self
    }
}
