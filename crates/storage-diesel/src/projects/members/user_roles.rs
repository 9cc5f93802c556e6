//! Direct roles of a user.

use ::projects::{MemberSource, UserRole, UserRoleFilter};
use api_conventions::ids::{NamespaceId, ProjectId};
use diesel::sql_types::{BigInt, Text};
use storage::StoreError;

use crate::rows::RowReader;

/// A role: in a project (kind 1) or in a group (kind 2).
#[derive(diesel::QueryableByName)]
pub(super) struct UserRoleRow {
    #[diesel(sql_type = BigInt)]
    kind: i64,
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    level: i64,
}

impl UserRoleRow {
    pub(super) fn read(self) -> Result<UserRole, StoreError> {
        let row = RowReader::new("members", self.id);
        let source = if self.kind == 1 {
            MemberSource::Project(ProjectId::new(self.id))
        } else {
            MemberSource::Namespace(NamespaceId::new(self.id))
        };
        let level = api_conventions::access::AccessLevel::from_number(self.level);
        Ok(UserRole {
            source,
            source_name: self.name,
            level: row.require(level, "unknown role")?,
        })
    }
}

/// Selects the roles of a user, not ordered yet.
pub(super) fn roles_of_user(filter: UserRoleFilter) -> String {
    let (user, day) = (filter.user, filter.today.as_days());
    let role = |kind: u8, members: &str, key: &str, places: &str| {
        format!(
            "SELECT CAST({kind} AS BIGINT) AS kind, p.id AS id, p.name AS name, CAST(m.access_level AS BIGINT) AS level \
             FROM {members} AS m JOIN {places} AS p ON p.id = m.{key} \
             WHERE m.user_id = {user} AND p.deletion_id IS NULL AND (m.expires_on IS NULL OR m.expires_on > {day})"
        )
    };
    let mut all = Vec::new();
    if filter.projects {
        all.push(role(1, "project_members", "project_id", "projects"));
    }
    if filter.groups {
        let groups = role(2, "namespace_members", "namespace_id", "namespaces");
        all.push(format!("{groups} AND p.kind = 1"));
    }
    if all.is_empty() {
        all.push(format!(
            "{} AND 1 = 0",
            role(1, "project_members", "project_id", "projects")
        ));
    }
    all.join(" UNION ALL ")
}
