//! Projects in which a user has a role.

use ::projects::{MemberQueries, Membership};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::CalendarDate;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::projects::limits::{EXAMINED, NumberRow};
use crate::projects::tables::projects;
use crate::transaction::row_limit;

const OPERATION: &str = "list projects of user";

/// Number of projects whose roles are read at once if a user has roles in very many.
const CHUNK: i64 = 1000;

/// Selects the projects in which a user has at least a role on a day, once for each such role, and no more than one
/// above the number that one request may examine. A role through a share is at most that of the share.
/// The text contains only numbers, so no parameters are bound.
fn statement(user: UserId, least: AccessLevel, today: CalendarDate) -> String {
    let (level, day) = (least.number(), today.as_days());
    let holds = |table: &str| {
        format!(
            "({table}.expires_on IS NULL OR {table}.expires_on > {day}) AND {table}.access_level >= {level}"
        )
    };
    let (of_member, of_share) = (holds("m"), holds("s"));
    let most = EXAMINED + 1;
    format!(
        "SELECT number FROM (\
         SELECT p.id AS number FROM namespace_members AS m JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id \
         JOIN projects AS p ON p.namespace_id = l.namespace_id \
         WHERE m.user_id = {user} AND {of_member} AND p.deletion_id IS NULL \
         UNION ALL SELECT p.id FROM project_members AS m JOIN projects AS p ON p.id = m.project_id \
         WHERE m.user_id = {user} AND {of_member} AND p.deletion_id IS NULL \
         UNION ALL SELECT p.id FROM namespace_members AS m JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id \
         JOIN project_shares AS s ON s.group_id = l.namespace_id JOIN projects AS p ON p.id = s.project_id \
         WHERE m.user_id = {user} AND {of_member} AND {of_share} AND p.deletion_id IS NULL) AS roles LIMIT {most}"
    )
}

#[for_each_database(dialect = crate::projects)]
mod database {
    impl ReadTx<'_> {
        /// Returns the newest projects in which a user has at least a role.
        pub(in crate::projects) fn project_ids_of_user(
            &mut self,
            user: UserId,
            least: AccessLevel,
            today: CalendarDate,
            limit: usize,
        ) -> Result<Vec<ProjectId>, StoreError> {
            let rows = diesel::sql_query(statement(user, least, today));
            let rows: Vec<NumberRow> = self.values(OPERATION, rows)?;
            if row_limit(rows.len()) > EXAMINED {
                return self.newest_with_role(user, least, today, limit);
            }
            let mut ids: Vec<i64> = rows.into_iter().map(|row| row.number).collect();
            ids.sort_unstable_by(|one, other| other.cmp(one));
            ids.dedup();
            ids.truncate(limit);
            Ok(ids.into_iter().map(ProjectId::new).collect())
        }

        /// Returns those of the newest projects in which a user has at least a role.
        fn newest_with_role(
            &mut self,
            user: UserId,
            least: AccessLevel,
            today: CalendarDate,
            limit: usize,
        ) -> Result<Vec<ProjectId>, StoreError> {
            let (mut found, mut before) = (Vec::new(), i64::MAX);
            for _ in 0..EXAMINED / CHUNK {
                let newest = projects::table
                    .filter(projects::id.lt(before))
                    .filter(projects::deletion_id.is_null())
                    .order(projects::id.desc())
                    .limit(CHUNK)
                    .select(projects::id);
                let newest: Vec<i64> = self.values(OPERATION, newest)?;
                let Some(lowest) = newest.last() else { break };
                before = *lowest;
                let newest: Vec<ProjectId> = newest.into_iter().map(ProjectId::new).collect();
                let roles = self.list_memberships(user, &newest, today)?;
                let is_enough = |one: &(ProjectId, Membership)| one.1.highest() >= Some(least);
                found.extend(roles.into_iter().rev().filter(is_enough).map(|one| one.0));
                if found.len() >= limit {
                    break;
                }
            }
            found.truncate(limit);
            Ok(found)
        }
    }
}
