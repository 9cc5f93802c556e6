//! Queries of projects, for both kinds of transaction.

use ::projects::{
    FullNames, Membership, Namespace, NamespaceKind, Project, ProjectFilter, ProjectQueries,
    RedirectTarget, UserGroup,
};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, Total};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::CalendarDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::projects::limits::{Bound, too_much};
use crate::projects::rows::{NamespaceRow, PlacedProjectRow, namespace_kind, read_groups};
use crate::projects::tables::{
    former_paths, full_paths, namespace_lineage, namespace_members, namespaces, projects,
};
use crate::projects::{LIST, holds_on};
use crate::window::Window;

#[for_each_database(dialect = crate::projects, with(crate::projects::conditions, crate::projects::bounds))]
mod database {
    impl ReadTx<'_> {
        /// Returns the projects with these ids, in this order, together with their namespaces.
        fn projects_with(&mut self, ids: &[i64]) -> Result<Vec<Project>, StoreError> {
            let projects = projects::table.inner_join(namespaces::table);
            let projects = projects.filter(projects::id.eq_any(ids));
            self.list_in_order::<PlacedProjectRow>(LIST, ids, projects)
        }
    }

    impl ::projects::ProjectQueriesWrapper for WriteTx<'_> {}

    impl ProjectQueries for ReadTx<'_> {
        fn find_namespace(&mut self, path: &FullPath) -> Result<Option<Namespace>, StoreError> {
            let id = full_paths::table
                .find(path.lookup_key())
                .select(full_paths::namespace_id.assume_not_null())
                .filter(full_paths::namespace_id.is_not_null());
            let id: Option<i64> = self.value_if("find path", id)?;
            id.map_or(Ok(None), |id| {
                self.find_namespace_by_id(NamespaceId::new(id))
            })
        }

        fn find_namespace_by_id(
            &mut self,
            id: NamespaceId,
        ) -> Result<Option<Namespace>, StoreError> {
            let namespace = namespaces::table.find(id.get());
            let namespace = namespace.filter(namespaces::deletion_id.is_null());
            self.find::<NamespaceRow>("find namespace", namespace)
        }

        fn find_namespace_of(&mut self, user: UserId) -> Result<Option<Namespace>, StoreError> {
            let own = namespaces::table
                .filter(namespaces::owner_id.eq(user.get()))
                .filter(namespaces::kind.eq(namespace_kind(NamespaceKind::User)))
                .order(namespaces::id)
                .limit(1);
            self.find::<NamespaceRow>("find namespace of user", own)
        }

        fn list_full_names(&mut self, namespaces: &[NamespaceId]) -> Result<FullNames, StoreError> {
            let ids: Vec<i64> = namespaces.iter().map(|id| id.get()).collect();
            // Among a namespace and its ancestors, the outermost has the shortest path.
            let names = namespace_lineage::table
                .inner_join(namespaces::table.on(namespaces::id.eq(namespace_lineage::ancestor_id)))
                .filter(namespace_lineage::namespace_id.eq_any(ids))
                .order((
                    namespace_lineage::namespace_id,
                    sql::<BigInt>("length(namespaces.full_path)"),
                ))
                .select((namespace_lineage::namespace_id, namespaces::name));
            let names: Vec<(i64, String)> = self.values("list names", names)?;
            let names = names.into_iter();
            Ok(names
                .map(|(id, name)| (NamespaceId::new(id), name))
                .collect())
        }

        fn find_project(&mut self, reference: &ProjectRef) -> Result<Option<Project>, StoreError> {
            let id = match reference {
                ProjectRef::Id(id) => Some(id.get()),
                ProjectRef::Path(path) => {
                    let path = full_paths::table.find(path.lookup_key());
                    self.value_if("find path", path.select(full_paths::project_id))?
                        .flatten()
                }
            };
            let Some(id) = id else { return Ok(None) };
            let project = projects::table.inner_join(namespaces::table);
            let project = project
                .filter(projects::id.eq(id))
                .filter(projects::deletion_id.is_null());
            self.find::<PlacedProjectRow>("find project", project)
        }

        fn find_redirect(&mut self, path: &FullPath) -> Result<Option<RedirectTarget>, StoreError> {
            let former = former_paths::table.find(path.lookup_key());
            let former = former.select((former_paths::namespace_id, former_paths::project_id));
            let found: Option<(Option<i64>, Option<i64>)> =
                self.value_if("find redirect", former)?;
            Ok(match found {
                Some((Some(id), _)) => {
                    let found = self.find_namespace_by_id(NamespaceId::new(id))?;
                    found.map(|found| RedirectTarget::Namespace(found.id))
                }
                Some((None, Some(id))) => {
                    let found = self.find_project(&ProjectRef::Id(ProjectId::new(id)))?;
                    found.map(|found| RedirectTarget::Project(found.id))
                }
                _ => None,
            })
        }

        fn list_projects_by_id(&mut self, ids: &[ProjectId]) -> Result<Vec<Project>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let projects = projects::table.inner_join(namespaces::table);
            let projects = projects
                .filter(projects::id.eq_any(ids))
                .filter(projects::deletion_id.is_null());
            self.list::<PlacedProjectRow>(LIST, projects)
        }

        fn find_membership(
            &mut self,
            user: UserId,
            project: ProjectId,
            today: CalendarDate,
        ) -> Result<Membership, StoreError> {
            self.membership(user, project, today)
        }

        fn list_groups_of_user(
            &mut self,
            user: UserId,
            today: CalendarDate,
        ) -> Result<Vec<UserGroup>, StoreError> {
            let roles = namespaces::table
                .inner_join(
                    namespace_lineage::table.on(namespace_lineage::namespace_id.eq(namespaces::id)),
                )
                .inner_join(
                    namespace_members::table
                        .on(namespace_members::namespace_id.eq(namespace_lineage::ancestor_id)),
                )
                .filter(namespace_members::user_id.eq(user.get()))
                .filter(holds_on!(namespace_members, today.as_days()))
                .filter(namespaces::kind.eq(namespace_kind(NamespaceKind::Group)))
                .filter(namespaces::deletion_id.is_null())
                .select((
                    namespaces::id,
                    namespaces::full_path,
                    namespace_lineage::ancestor_id,
                    namespace_members::access_level,
                ));
            read_groups(self.values("list groups of user", roles)?)
        }

        fn list_projects(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
            page: OffsetPage,
        ) -> Result<Page<Project>, StoreError> {
            let is_many = self.holds_many(filter, today)?;
            if is_many {
                let window = Window::of(page, Total::COUNT_LIMIT);
                if let Some(ids) = self.near_ids(filter, today, window)? {
                    return Ok(window.page(self.projects_with(&ids)?));
                }
            }
            let (bound, count) = if is_many {
                let bound = self.bound(filter, filter.order_by, filter.sort)?;
                (bound, Total::COUNT_LIMIT)
            } else {
                self.counted_bound(filter, today)?
            };
            let window = match &bound {
                Bound::Before(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                _ => Window::of(page, count),
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = self.ids_in(filter, today, &bound, window)?;
            let page = window.page(self.projects_with(&ids)?);
            // Behind the bound there may be more matches or none.
            match bound {
                Bound::Before(_) if !page.has_next => Err(too_much()),
                _ => Ok(page),
            }
        }

        fn list_projects_by_key(
            &mut self,
            filter: &ProjectFilter,
            today: CalendarDate,
            page: KeysetPage,
        ) -> Result<KeysetSlice<Project>, StoreError> {
            let (ids, bound) = self.ids_after(filter, today, page)?;
            let slice = KeysetSlice::from_fetched(self.projects_with(&ids)?, page);
            match bound {
                Bound::Before(_) if !slice.has_next => Err(too_much()),
                _ => Ok(slice),
            }
        }
    }
}
