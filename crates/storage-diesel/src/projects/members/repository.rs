//! Changes of members, for write transactions.

use ::projects::{
    Locked, Member, MemberRepository, MemberSource, NewMember, NewShare, ProjectQueries,
    ProjectShare,
};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::projects::members::queries::{in_namespace, in_project};
use crate::projects::members::sources::{MemberColumns, read_in_namespace, read_in_project};
use crate::projects::members::{NewShareRow, ShareRow, project_shares};
use crate::projects::tables::{namespace_lineage, namespace_members, project_members, projects};
use crate::rows::DomainRow;
use crate::transaction::row_limit;

/// Writes a role in a place of one of the tables.
/// An expired role is deleted first, so that none of its columns stay.
macro_rules! put {
    ($tx:expr, $members:ident by $place:ident, $id:expr, $member:expr) => {{
        const OPERATION: &str = "put member";
        let (id, user) = ($id, $member.user_id.get());
        let today = $member.created_at.date().as_days();
        let over = $members::table
            .find((id, user))
            .filter($members::expires_on.le(today));
        $tx.execute(OPERATION, diesel::delete(over))?;
        let role = (
            $members::access_level.eq($member.level.number()),
            $members::expires_on.eq($member.expires_on.map(CalendarDate::as_days)),
        );
        let member = (
            $members::$place.eq(id),
            $members::user_id.eq(user),
            role,
            $members::created_by.eq($member.created_by.map(UserId::get)),
            $members::created_at.eq($member.created_at.as_micros()),
        );
        let put = diesel::insert_into($members::table)
            .values(member)
            .on_conflict(($members::$place, $members::user_id))
            .do_update()
            .set(role);
        $tx.execute(OPERATION, put).map(drop)
    }};
}

#[for_each_database(dialect = crate::projects)]
mod database {
    impl WriteTx<'_> {
        /// Writes the role of the owner of a new namespace.
        /// No other transaction knows the namespace yet, so nothing has to be locked.
        pub(in crate::projects) fn insert_first_owner(
            &mut self,
            namespace: NamespaceId,
            owner: UserId,
            now: Timestamp,
        ) -> Result<(), StoreError> {
            let member = NewMember {
                user_id: owner,
                level: AccessLevel::Owner,
                expires_on: None,
                created_by: None,
                created_at: now,
            };
            self.put_member_of_namespace(namespace, &member)
        }

        fn put_member_of_namespace(
            &mut self,
            namespace: NamespaceId,
            member: &NewMember,
        ) -> Result<(), StoreError> {
            put!(self, namespace_members by namespace_id, namespace.get(), member)
        }
    }

    impl MemberRepository for WriteTx<'_> {
        fn lock_members(
            &mut self,
            place: MemberSource,
        ) -> Result<Option<Locked<MemberSource>>, StoreError> {
            let is_there = match place {
                MemberSource::Namespace(id) => {
                    dialect::lock_trees(self, &[id.get()])?;
                    ProjectQueries::find_namespace_by_id(self, id)?.is_some()
                }
                MemberSource::Project(id) => {
                    let reference = ProjectRef::Id(id);
                    dialect::lock_project(self, id.get())?
                        && ProjectQueries::find_project(self, &reference)?.is_some()
                }
            };
            Ok(is_there.then(|| Locked::by_adapter(place)))
        }

        fn put_member(
            &mut self,
            place: &Locked<MemberSource>,
            member: &NewMember,
        ) -> Result<(), StoreError> {
            match **place {
                MemberSource::Namespace(id) => self.put_member_of_namespace(id, member),
                MemberSource::Project(id) => {
                    put!(self, project_members by project_id, id.get(), member)
                }
            }
        }

        fn remove_member(
            &mut self,
            place: &Locked<MemberSource>,
            user: UserId,
        ) -> Result<Option<Member>, StoreError> {
            const OPERATION: &str = "remove member";
            let user = user.get();
            match **place {
                MemberSource::Namespace(id) => {
                    let its = namespace_members::table.find((id.get(), user));
                    let delete = diesel::delete(its).returning(in_namespace!());
                    self.value_if(OPERATION, delete)?.map(read_in_namespace)
                }
                MemberSource::Project(id) => {
                    let its = project_members::table.find((id.get(), user));
                    let delete = diesel::delete(its).returning(in_project!());
                    self.value_if(OPERATION, delete)?.map(read_in_project)
                }
            }
            .transpose()
        }

        fn remove_members_below(
            &mut self,
            place: &Locked<MemberSource>,
            user: UserId,
        ) -> Result<Vec<Member>, StoreError> {
            const OPERATION: &str = "remove members of descendants";
            let MemberSource::Namespace(id) = **place else {
                return Ok(Vec::new());
            };
            // A user has few roles, so each role is checked for being below the place, instead of checking each place
            // below it.
            let lineage =
                namespace_lineage::table.filter(namespace_lineage::ancestor_id.eq(id.get()));
            let below =
                lineage.filter(namespace_lineage::namespace_id.eq(namespace_members::namespace_id));
            let delete = diesel::delete(
                namespace_members::table
                    .filter(namespace_members::user_id.eq(user.get()))
                    .filter(namespace_members::namespace_id.ne(id.get()))
                    .filter(diesel::dsl::exists(below)),
            );
            let mut rows: Vec<MemberColumns> =
                self.values(OPERATION, delete.returning(in_namespace!()))?;
            rows.sort_unstable();
            let below = projects::table
                .inner_join(
                    namespace_lineage::table
                        .on(namespace_lineage::namespace_id.eq(projects::namespace_id)),
                )
                .filter(projects::id.eq(project_members::project_id))
                .filter(namespace_lineage::ancestor_id.eq(id.get()));
            let delete = diesel::delete(
                project_members::table
                    .filter(project_members::user_id.eq(user.get()))
                    .filter(diesel::dsl::exists(below)),
            );
            let mut of_projects: Vec<MemberColumns> =
                self.values(OPERATION, delete.returning(in_project!()))?;
            of_projects.sort_unstable();
            let rows = rows.into_iter().map(read_in_namespace);
            rows.chain(of_projects.into_iter().map(read_in_project))
                .collect()
        }

        fn insert_share(
            &mut self,
            project: &Locked<MemberSource>,
            share: &NewShare,
        ) -> Result<Option<ProjectShare>, StoreError> {
            const OPERATION: &str = "insert share";
            let Some(id) = project.project() else {
                return Ok(None);
            };
            let today = share.created_at.date().as_days();
            let over = project_shares::table
                .filter(project_shares::project_id.eq(id.get()))
                .filter(project_shares::group_id.eq(share.group_id.get()))
                .filter(project_shares::expires_on.le(today));
            self.execute(OPERATION, diesel::delete(over))?;
            let insert = diesel::insert_into(project_shares::table)
                .values(NewShareRow {
                    project_id: id.get(),
                    group_id: share.group_id.get(),
                    access_level: share.level.number(),
                    expires_on: share.expires_on.map(CalendarDate::as_days),
                    created_by: share.created_by.map(UserId::get),
                    created_at: share.created_at.as_micros(),
                })
                .on_conflict_do_nothing()
                .returning(ShareRow::as_returning());
            let row: Option<ShareRow> = self.value_if(OPERATION, insert)?;
            row.map(DomainRow::read).transpose()
        }

        fn remove_share(
            &mut self,
            project: &Locked<MemberSource>,
            group: NamespaceId,
        ) -> Result<Option<ProjectShare>, StoreError> {
            let Some(id) = project.project() else {
                return Ok(None);
            };
            let its = project_shares::table
                .filter(project_shares::project_id.eq(id.get()))
                .filter(project_shares::group_id.eq(group.get()));
            let delete = diesel::delete(its).returning(ShareRow::as_returning());
            let row: Option<ShareRow> = self.value_if("remove share", delete)?;
            row.map(DomainRow::read).transpose()
        }

        fn take_expired_members(
            &mut self,
            today: CalendarDate,
            limit: usize,
        ) -> Result<Vec<Member>, StoreError> {
            const OPERATION: &str = "delete expired members";
            let day = today.as_days();
            let rows = namespace_members::table
                .filter(namespace_members::expires_on.le(day))
                .order(namespace_members::expires_on.asc())
                .limit(row_limit(limit))
                .select(in_namespace!());
            let rows: Vec<MemberColumns> = self.values(OPERATION, dialect::free!(rows))?;
            for (place, user, ..) in &rows {
                let one = namespace_members::table.find((*place, *user));
                self.execute(OPERATION, diesel::delete(one))?;
            }
            let left = limit.saturating_sub(rows.len());
            let of_projects = project_members::table
                .filter(project_members::expires_on.le(day))
                .order(project_members::expires_on.asc())
                .limit(row_limit(left))
                .select(in_project!());
            let of_projects: Vec<MemberColumns> =
                self.values(OPERATION, dialect::free!(of_projects))?;
            for (place, user, ..) in &of_projects {
                let one = project_members::table.find((*place, *user));
                self.execute(OPERATION, diesel::delete(one))?;
            }
            let rows = rows.into_iter().map(read_in_namespace);
            rows.chain(of_projects.into_iter().map(read_in_project))
                .collect()
        }

        fn take_expired_shares(
            &mut self,
            today: CalendarDate,
            limit: usize,
        ) -> Result<Vec<ProjectShare>, StoreError> {
            const OPERATION: &str = "delete expired shares";
            let rows = project_shares::table
                .filter(project_shares::expires_on.le(today.as_days()))
                .order(project_shares::expires_on.asc())
                .limit(row_limit(limit))
                .select(ShareRow::as_select());
            let rows: Vec<ShareRow> = self.values(OPERATION, dialect::free!(rows))?;
            for row in &rows {
                let one = project_shares::table.find(row.id);
                self.execute(OPERATION, diesel::delete(one))?;
            }
            rows.into_iter().map(DomainRow::read).collect()
        }
    }
}
