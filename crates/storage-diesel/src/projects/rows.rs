//! Rows of namespaces and projects.

use std::collections::BTreeMap;

use ::projects::{Namespace, NamespaceKind, Project, ProjectSettings, UserGroup};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::reference::FullPath;
use diesel::prelude::*;
use storage::StoreError;

use super::tables::{namespaces, projects};
use crate::rows::{DomainRow, KeyedRow, RowReader};

#[derive(Queryable, Selectable)]
#[diesel(table_name = namespaces)]
pub(crate) struct NamespaceRow {
    id: i64,
    kind: i16,
    name: String,
    path: String,
    full_path: String,
    parent_id: Option<i64>,
    visibility: i16,
}

/// Returns the number of a kind of namespace.
pub(crate) fn namespace_kind(kind: NamespaceKind) -> i16 {
    match kind {
        NamespaceKind::User => 0,
        NamespaceKind::Group => 1,
    }
}

impl KeyedRow for NamespaceRow {
    fn key(&self) -> i64 {
        self.id
    }
}

impl DomainRow for NamespaceRow {
    type Value = Namespace;

    fn read(self) -> Result<Namespace, StoreError> {
        let row = RowReader::new("namespaces", self.id);
        let kind = match self.kind {
            0 => NamespaceKind::User,
            1 => NamespaceKind::Group,
            _ => return Err(row.inconsistent("unknown kind")),
        };
        Ok(Namespace {
            id: NamespaceId::new(self.id),
            kind,
            name: self.name,
            path: self.path,
            full_path: row.require(FullPath::parse(&self.full_path), "invalid path")?,
            parent_id: self.parent_id.map(NamespaceId::new),
            visibility: row.visibility(self.visibility)?,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = projects)]
pub(crate) struct ProjectRow {
    id: i64,
    name: String,
    path: String,
    full_path: String,
    description: String,
    visibility: i16,
    topics: String,
    settings: String,
    archived: bool,
    creator_id: i64,
    created_at: i64,
    updated_at: i64,
    last_activity_at: i64,
}

/// Row of a project with its namespace.
pub(crate) type PlacedProjectRow = (ProjectRow, NamespaceRow);

impl KeyedRow for PlacedProjectRow {
    fn key(&self) -> i64 {
        self.0.id
    }
}

impl DomainRow for PlacedProjectRow {
    type Value = Project;

    fn read(self) -> Result<Project, StoreError> {
        let (project, namespace) = self;
        let row = RowReader::new("projects", project.id);
        Ok(Project {
            id: ProjectId::new(project.id),
            namespace: namespace.read()?,
            name: project.name,
            path: project.path,
            full_path: row.require(FullPath::parse(&project.full_path), "invalid path")?,
            description: project.description,
            visibility: row.visibility(project.visibility)?,
            topics: row.require(
                serde_json::from_str(&project.topics).ok(),
                "topics are not a list of strings",
            )?,
            settings: row.require(
                ProjectSettings::from_json(&project.settings),
                "settings are not an object",
            )?,
            archived: project.archived,
            creator_id: UserId::new(project.creator_id),
            created_at: row.timestamp(project.created_at)?,
            updated_at: row.timestamp(project.updated_at)?,
            last_activity_at: row.timestamp(project.last_activity_at)?,
        })
    }
}

/// Formats texts as JSON for a column.
pub(crate) fn as_json(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

/// Reads the groups of a user, in the order of their paths.
/// There is a row for each effective role in a group: the id and the full path of the group, the id of the place in
/// which the role was given, and the role. The groups are sorted here, because each database compares texts by its own
/// rules.
pub(crate) fn read_groups(
    roles: Vec<(i64, String, i64, i16)>,
) -> Result<Vec<UserGroup>, StoreError> {
    let mut groups = BTreeMap::new();
    for (id, full_path, place, role) in roles {
        let (_, is_direct, highest) = groups.entry(full_path).or_insert((id, false, role));
        *is_direct |= place == id;
        *highest = role.max(*highest);
    }
    let groups = groups
        .into_iter()
        .map(|(full_path, (id, is_direct, role))| {
            let row = RowReader::new("namespaces", id);
            let level = AccessLevel::from_number(role.into());
            Ok(UserGroup {
                full_path: row.require(FullPath::parse(&full_path), "invalid path")?,
                is_direct,
                level: row.require(level, "unknown role")?,
            })
        });
    groups.collect()
}
