//! Members, and shares of projects with groups.

mod lists;
mod of_user;
mod queries;
mod repository;
mod sources;
mod user_roles;

use std::collections::BTreeMap;

use ::projects::{Membership, ProjectShare};
use api_conventions::ids::{NamespaceId, ProjectId, ShareId, UserId};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::{DomainRow, RowReader};
use sources::read_level;

/// Name of the operation in the errors of a list.
const LIST: &str = "list members";

entity! {
    project_shares: ShareRow, NewShareRow;
    fixed {
        project_id: BigInt,
        group_id: BigInt,
        access_level: SmallInt,
        expires_on: Nullable<Integer>,
        created_by: Nullable<BigInt>,
        created_at: BigInt,
    }
}

impl DomainRow for ShareRow {
    type Value = ProjectShare;

    fn read(self) -> Result<ProjectShare, StoreError> {
        let row = self.reader();
        Ok(ProjectShare {
            id: ShareId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            group_id: NamespaceId::new(self.group_id),
            level: read_level(row, self.access_level)?,
            expires_on: self.expires_on.map(|days| row.day(days)).transpose()?,
            created_by: self.created_by.map(UserId::new),
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

/// Columns of an effective role in a project: the project, the kind of role (0 for direct, 1 for inherited, 2 for one
/// through a share), the role, and the maximum role of the share.
type RoleColumns = (i64, i16, i16, i16);

/// Reads the roles of a user in each project.
fn read_memberships(rows: Vec<RoleColumns>) -> Result<Vec<(ProjectId, Membership)>, StoreError> {
    let mut memberships: BTreeMap<i64, Membership> = BTreeMap::new();
    for (project, arm, level, at_most) in rows {
        let row = RowReader::new("members", project);
        let level = Some(read_level(row, level.min(at_most))?);
        let known = memberships.entry(project).or_default();
        let part = match arm {
            0 => &mut known.own,
            1 => &mut known.inherited,
            _ => &mut known.shared,
        };
        *part = level.max(*part);
    }
    let memberships = memberships.into_iter();
    Ok(memberships
        .map(|(project, membership)| (ProjectId::new(project), membership))
        .collect())
}

/// Selects the roles of a user in the projects whose ids, in the named column, meet a condition.
/// It is one statement, whose text does not depend on the user or the day.
macro_rules! roles {
    ($user:ident, $day:ident, |$project:ident| $condition:expr) => {{
        let literal = |text: &'static str| sql::<diesel::sql_types::SmallInt>(text);
        let $project = project_members::project_id;
        let own = project_members::table
            .filter($condition)
            .filter(project_members::user_id.eq($user))
            .filter(holds_on!(project_members, $day))
            .select((
                project_members::project_id,
                literal("CAST(0 AS SMALLINT)"),
                project_members::access_level,
                literal("CAST(50 AS SMALLINT)"),
            ));
        let $project = projects::id;
        let inherited = projects::table
            .inner_join(
                namespace_lineage::table
                    .on(namespace_lineage::namespace_id.eq(projects::namespace_id)),
            )
            .inner_join(
                namespace_members::table
                    .on(namespace_members::namespace_id
                        .eq(sql::<BigInt>(dialect::LINEAGE_ANCESTOR))),
            )
            .filter($condition)
            .filter(namespace_members::user_id.eq($user))
            .filter(holds_on!(namespace_members, $day))
            .select((
                projects::id,
                literal("CAST(1 AS SMALLINT)"),
                namespace_members::access_level,
                literal("CAST(50 AS SMALLINT)"),
            ));
        let $project = project_shares::project_id;
        let shared = project_shares::table
            .inner_join(
                namespace_lineage::table
                    .on(namespace_lineage::namespace_id.eq(project_shares::group_id)),
            )
            .inner_join(
                namespace_members::table
                    .on(namespace_members::namespace_id
                        .eq(sql::<BigInt>(dialect::LINEAGE_ANCESTOR))),
            )
            .filter($condition)
            .filter(namespace_members::user_id.eq($user))
            .filter(holds_on!(namespace_members, $day))
            .filter(holds_on!(project_shares, $day))
            .select((
                project_shares::project_id,
                literal("CAST(2 AS SMALLINT)"),
                namespace_members::access_level,
                project_shares::access_level,
            ));
        own.union_all(inherited).union_all(shared)
    }};
}

use roles;
