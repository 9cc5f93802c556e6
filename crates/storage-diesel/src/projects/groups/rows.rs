//! Rows of groups.

use ::projects::{Group, GroupContent, GroupSettings, ProjectCreation, SubgroupCreation};
use api_conventions::ids::NamespaceId;
use api_conventions::reference::FullPath;
use diesel::prelude::*;
use storage::StoreError;

use crate::projects::tables::namespaces;
use crate::rows::{DomainRow, KeyedRow, RowReader};

#[derive(Queryable, Selectable)]
#[diesel(table_name = namespaces)]
pub(crate) struct GroupRow {
    id: i64,
    parent_id: Option<i64>,
    name: String,
    path: String,
    full_path: String,
    description: String,
    visibility: i16,
    project_creation_level: i16,
    subgroup_creation_level: i16,
    share_with_group_lock: bool,
    settings: String,
    created_at: i64,
    updated_at: i64,
}

impl KeyedRow for GroupRow {
    fn key(&self) -> i64 {
        self.id
    }
}

impl DomainRow for GroupRow {
    type Value = Group;

    fn read(self) -> Result<Group, StoreError> {
        let row = RowReader::new("namespaces", self.id);
        Ok(Group {
            id: NamespaceId::new(self.id),
            parent_id: self.parent_id.map(NamespaceId::new),
            full_path: row.require(FullPath::parse(&self.full_path), "invalid path")?,
            content: GroupContent {
                name: self.name,
                path: self.path,
                description: self.description,
                visibility: row.visibility(self.visibility)?,
                project_creation_level: row.require(
                    ProjectCreation::from_number(self.project_creation_level),
                    "unknown project creation level",
                )?,
                subgroup_creation_level: row.require(
                    SubgroupCreation::from_number(self.subgroup_creation_level),
                    "unknown subgroup creation level",
                )?,
                share_with_group_lock: self.share_with_group_lock,
                settings: row.require(
                    GroupSettings::from_json(&self.settings),
                    "settings are not an object",
                )?,
            },
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}
