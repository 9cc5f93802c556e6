//! The JSON of groups.

use api_conventions::ids::NamespaceId;
use api_conventions::time::Timestamp;
use serde::Serialize;

use super::settings::SettingsJson;
use crate::model::{FullNames, Group, OfGroups};

/// A group. What this server does not have stands there as clients of the API expect it where there is none.
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
    settings: SettingsJson<OfGroups>,
    avatar_url: Option<String>,
    full_name: String,
    full_path: String,
    created_at: Timestamp,
    parent_id: Option<NamespaceId>,
}

impl GroupJson {
    /// A group with a link below `base_url`, which has no slash at its end. `names` are those of the group.
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
            settings: SettingsJson::new(&content.settings),
            avatar_url: None,
            full_name: names.of_group(group),
            full_path: full_path.to_owned(),
            created_at: group.created_at,
            parent_id: group.parent_id,
        }
    }
}
