//! Queries of members, for both kinds of transaction.

use ::projects::{
    Member, MemberFilter, MemberQueries, MemberScope, MemberSource, Membership, ProjectShare,
    UserRole, UserRoleFilter,
};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::CalendarDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::user_roles::{UserRoleRow, roles_of_user};
use crate::cached_statement::cached;
use crate::capped_count::count_of;
use crate::projects::holds_on;
use crate::projects::limits::NumberRow;
use crate::projects::members::lists::Users;
use crate::projects::members::sources::{
    MemberColumns, RoleSource, read_in_namespace, read_in_project, strongest,
};
use crate::projects::members::{LIST, ShareRow, project_shares, read_memberships, roles};
use crate::projects::tables::{
    namespace_lineage, namespace_members, namespaces, project_members, projects,
};
use crate::transaction::row_limit;
use crate::window::Window;

/// Columns of a role in a namespace, as [`MemberColumns`](super::MemberColumns).
macro_rules! in_namespace {
    () => {
        (
            namespace_members::namespace_id,
            namespace_members::user_id,
            namespace_members::access_level,
            namespace_members::expires_on,
            namespace_members::created_by,
            namespace_members::created_at,
        )
    };
}

/// Columns of a role in a project.
macro_rules! in_project {
    () => {
        (
            project_members::project_id,
            project_members::user_id,
            project_members::access_level,
            project_members::expires_on,
            project_members::created_by,
            project_members::created_at,
        )
    };
}

pub(super) use {in_namespace, in_project};

#[for_each_database(dialect = crate::projects)]
mod database {
    impl ReadTx<'_> {
        /// Returns the roles of a user in a project, in one statement.
        pub(in crate::projects) fn membership(
            &mut self,
            user: UserId,
            project: ProjectId,
            today: CalendarDate,
        ) -> Result<Membership, StoreError> {
            let (user, day, project) = (user.get(), today.as_days(), project.get());
            let roles = cached(roles!(user, day, |project_id| project_id.eq(project)));
            let found = read_memberships(self.values("find role", roles)?)?;
            let membership = found.into_iter().next();
            Ok(membership.map_or_else(Membership::default, |(_, membership)| membership))
        }

        /// Returns the sources of the members of a place.
        fn sources(
            &mut self,
            place: MemberSource,
            scope: MemberScope,
            today: CalendarDate,
        ) -> Result<Vec<RoleSource>, StoreError> {
            let own = RoleSource::whole(place, 0);
            if scope == MemberScope::Direct {
                return Ok(vec![own]);
            }
            // Among a namespace and its ancestors, the nearest has the longest path.
            let above = namespace_lineage::table
                .inner_join(namespaces::table.on(namespaces::id.eq(namespace_lineage::ancestor_id)))
                .order(sql::<BigInt>("length(namespaces.full_path) DESC"))
                .select(namespaces::id);
            let above: Vec<i64> = match place {
                MemberSource::Namespace(id) => {
                    let its = namespace_lineage::namespace_id.eq(id.get());
                    self.values(LIST, above.filter(its))?
                }
                MemberSource::Project(id) => {
                    let home = projects::table
                        .filter(projects::id.eq(id.get()))
                        .select(projects::namespace_id);
                    let its = namespace_lineage::namespace_id.eq_any(home);
                    self.values(LIST, above.filter(its))?
                }
            };
            let mut sources: Vec<RoleSource> = above
                .into_iter()
                .enumerate()
                .map(|(distance, id)| {
                    let place = MemberSource::Namespace(NamespaceId::new(id));
                    RoleSource::whole(place, distance + 1)
                })
                .collect();
            if let MemberSource::Project(id) = place {
                sources.insert(0, own);
                let shares = project_shares::table
                    .inner_join(
                        namespace_lineage::table
                            .on(namespace_lineage::namespace_id.eq(project_shares::group_id)),
                    )
                    .filter(project_shares::project_id.eq(id.get()))
                    .filter(holds_on!(project_shares, today.as_days()))
                    .select((namespace_lineage::ancestor_id, project_shares::access_level));
                let shares: Vec<(i64, i16)> = self.values(LIST, shares)?;
                sources.extend(shares.into_iter().map(|(id, at_most)| RoleSource {
                    place: MemberSource::Namespace(NamespaceId::new(id)),
                    at_most,
                    distance: usize::MAX,
                }));
            }
            Ok(sources)
        }

        /// Returns the effective roles of these users in these places.
        fn members_of(
            &mut self,
            sources: &[RoleSource],
            users: &[i64],
            today: CalendarDate,
        ) -> Result<Vec<Member>, StoreError> {
            let day = today.as_days();
            let mut found = Vec::new();
            let namespaces: Vec<i64> = sources
                .iter()
                .filter_map(|source| match source.place {
                    MemberSource::Namespace(id) => Some(id.get()),
                    MemberSource::Project(_) => None,
                })
                .collect();
            if !namespaces.is_empty() {
                let rows = namespace_members::table
                    .filter(namespace_members::namespace_id.eq_any(namespaces))
                    .filter(namespace_members::user_id.eq_any(users))
                    .filter(holds_on!(namespace_members, day))
                    .select(in_namespace!());
                let rows: Vec<MemberColumns> = self.values(LIST, rows)?;
                for row in rows {
                    found.push(read_in_namespace(row)?);
                }
            }
            for source in sources {
                let MemberSource::Project(id) = source.place else {
                    continue;
                };
                let rows = project_members::table
                    .filter(project_members::project_id.eq(id.get()))
                    .filter(project_members::user_id.eq_any(users))
                    .filter(holds_on!(project_members, day))
                    .select(in_project!());
                let rows: Vec<MemberColumns> = self.values(LIST, rows)?;
                for row in rows {
                    found.push(read_in_project(row)?);
                }
            }
            Ok(strongest(found, sources))
        }

        fn numbers_of(&mut self, statement: String) -> Result<Vec<i64>, StoreError> {
            let rows: Vec<NumberRow> = self.values(LIST, diesel::sql_query(statement))?;
            Ok(rows.into_iter().map(|row| row.number).collect())
        }
    }

    impl ::projects::MemberQueriesWrapper for WriteTx<'_> {}

    impl MemberQueries for ReadTx<'_> {
        fn find_member(
            &mut self,
            place: MemberSource,
            scope: MemberScope,
            user: UserId,
            today: CalendarDate,
        ) -> Result<Option<Member>, StoreError> {
            let sources = self.sources(place, scope, today)?;
            Ok(self.members_of(&sources, &[user.get()], today)?.pop())
        }

        fn list_members(
            &mut self,
            place: MemberSource,
            scope: MemberScope,
            filter: &MemberFilter,
            today: CalendarDate,
            page: OffsetPage,
        ) -> Result<Page<Member>, StoreError> {
            let sources = self.sources(place, scope, today)?;
            let users = Users::of(&sources, filter, today)?;
            let count = self.numbers_of(users.count(Total::COUNT_LIMIT))?;
            let window = Window::of(page, count.first().copied().unwrap_or_default());
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let sort = window.direction(SortOrder::Ascending);
            let ids = self.numbers_of(users.window(window.skip, window.take, sort))?;
            Ok(window.page(self.members_of(&sources, &ids, today)?))
        }

        fn list_member_ids(
            &mut self,
            place: MemberSource,
            scope: MemberScope,
            filter: &MemberFilter,
            today: CalendarDate,
            limit: usize,
        ) -> Result<Vec<UserId>, StoreError> {
            let sources = self.sources(place, scope, today)?;
            let users = Users::of(&sources, filter, today)?;
            let first = users.window(0, row_limit(limit), SortOrder::Ascending);
            let ids = self.numbers_of(first)?;
            Ok(ids.into_iter().map(UserId::new).collect())
        }

        fn list_memberships(
            &mut self,
            user: UserId,
            projects: &[ProjectId],
            today: CalendarDate,
        ) -> Result<Vec<(ProjectId, Membership)>, StoreError> {
            let projects: Vec<i64> = projects.iter().map(|id| id.get()).collect();
            let (user, day) = (user.get(), today.as_days());
            let roles = roles!(user, day, |project_id| project_id.eq_any(projects.clone()));
            read_memberships(self.values("list roles", roles)?)
        }

        fn list_roles_of_user(
            &mut self,
            filter: UserRoleFilter,
            page: OffsetPage,
        ) -> Result<Page<UserRole>, StoreError> {
            const LIST: &str = "list roles of user";
            let all = roles_of_user(filter);
            let count = format!(
                "SELECT COUNT(*) AS number FROM (SELECT id FROM ({all}) AS a LIMIT {}) AS b",
                Total::COUNT_LIMIT
            );
            let count: NumberRow = self.value(LIST, diesel::sql_query(count))?;
            let (limit, offset) = (page.fetch_limit(), page.offset());
            let rows = format!("{all} ORDER BY kind, id LIMIT {limit} OFFSET {offset}");
            let rows: Vec<UserRoleRow> = self.values(LIST, diesel::sql_query(rows))?;
            let rows: Result<Vec<UserRole>, StoreError> =
                rows.into_iter().map(UserRoleRow::read).collect();
            Ok(Page::from_fetched(rows?, page, count_of(count.number)))
        }

        fn list_project_ids_of_user(
            &mut self,
            user: UserId,
            least: AccessLevel,
            today: CalendarDate,
            limit: usize,
        ) -> Result<Vec<ProjectId>, StoreError> {
            self.project_ids_of_user(user, least, today, limit)
        }

        fn has_other_owner(
            &mut self,
            group: NamespaceId,
            user: UserId,
        ) -> Result<bool, StoreError> {
            // As text, not as parameters: only then can the planner choose the partial index.
            let stays = sql::<Bool>(
                "namespace_members.access_level = 50 AND namespace_members.expires_on IS NULL",
            );
            let others = namespace_members::table
                .filter(namespace_members::namespace_id.eq(group.get()))
                .filter(namespace_members::user_id.ne(user.get()))
                .filter(stays);
            self.value("find owner", diesel::select(diesel::dsl::exists(others)))
        }

        fn list_groups_owned_alone(
            &mut self,
            user: UserId,
            limit: usize,
        ) -> Result<Vec<NamespaceId>, StoreError> {
            let alone = format!(
                "SELECT m.namespace_id AS number FROM namespace_members AS m \
                 JOIN namespaces AS g ON g.id = m.namespace_id \
                 WHERE m.user_id = {user} AND m.access_level = 50 AND m.expires_on IS NULL \
                 AND g.kind = 1 AND g.parent_id IS NULL AND g.deletion_id IS NULL \
                 AND NOT EXISTS (SELECT 1 FROM namespace_members AS o WHERE o.namespace_id = m.namespace_id \
                 AND o.user_id <> {user} AND o.access_level = 50 AND o.expires_on IS NULL) \
                 ORDER BY m.namespace_id LIMIT {limit}"
            );
            let found: Vec<NumberRow> =
                self.values("list groups owned alone", diesel::sql_query(alone))?;
            let found = found.into_iter();
            Ok(found.map(|row| NamespaceId::new(row.number)).collect())
        }

        fn list_shares(
            &mut self,
            project: ProjectId,
            today: CalendarDate,
        ) -> Result<Vec<ProjectShare>, StoreError> {
            let its = project_shares::table
                .filter(project_shares::project_id.eq(project.get()))
                .filter(holds_on!(project_shares, today.as_days()))
                .order(project_shares::id.asc());
            self.list::<ShareRow>("list shares", its)
        }
    }
}
