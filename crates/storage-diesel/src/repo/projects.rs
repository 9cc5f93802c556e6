//! Namespaces, projects and members.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use projects::{
    InsertNamespace, InsertProject, MemberPlace, Namespace, NewMember, NewNamespace, NewProject,
    Project, ProjectFilter, ProjectOrder, ProjectQueries, ProjectRepository, Reader,
};
use storage::{StoreError, StoreErrorKind};

use crate::capped_count::CappedCount;
use crate::error::from_diesel;
use crate::rows::RowReader;
use crate::rows::projects::{NamespaceRow, ProjectRow, namespace_kind, read_project};
use crate::schema::{
    full_paths, namespace_lineage, namespace_members, namespaces, project_members,
    projects as project_table,
};
use crate::search::pattern;

/// How long a project's last activity stands before it is noted again.
const ACTIVITY_GRAIN_SECONDS: i64 = 3600;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;
            type Db = <$connection as diesel::Connection>::Backend;
            type Joined =
                diesel::helper_types::InnerJoinQuerySource<project_table::table, namespaces::table>;
            type Condition = Box<dyn BoxableExpression<Joined, Db, SqlType = Bool>>;

            /// What the reader may see, as a condition.
            fn visible(reader: Reader, today: CalendarDate) -> Option<Condition> {
                match reader {
                    Reader::Administrator(_) => None,
                    Reader::Anonymous => Some(Box::new(
                        project_table::visibility.eq(Visibility::Public.number()),
                    )),
                    Reader::User(user) => Some(Box::new(
                        project_table::visibility
                            .ge(Visibility::Internal.number())
                            .or(member(user, 0, today)),
                    )),
                }
            }

            /// That a user has at least the role `least`, in the project or in anything above it.
            fn member(user: UserId, least: i16, today: CalendarDate) -> Condition {
                let day = today.as_days();
                let inherited = namespace_lineage::table
                    .inner_join(
                        namespace_members::table
                            .on(namespace_members::namespace_id.eq(namespace_lineage::ancestor_id)),
                    )
                    .filter(namespace_members::user_id.eq(user.get()))
                    .filter(namespace_members::access_level.ge(least))
                    .filter(
                        namespace_members::expires_on
                            .is_null()
                            .or(namespace_members::expires_on.gt(day)),
                    )
                    .select(namespace_lineage::namespace_id);
                let direct = project_members::table
                    .filter(project_members::user_id.eq(user.get()))
                    .filter(project_members::access_level.ge(least))
                    .filter(
                        project_members::expires_on
                            .is_null()
                            .or(project_members::expires_on.gt(day)),
                    )
                    .select(project_members::project_id);
                Box::new(
                    project_table::namespace_id
                        .eq_any(inherited)
                        .or(project_table::id.eq_any(direct)),
                )
            }

            fn conditions(filter: &ProjectFilter, today: CalendarDate) -> Vec<Condition> {
                let mut all: Vec<Condition> = visible(filter.reader, today).into_iter().collect();
                if let Some(text) = &filter.search {
                    all.push(Box::new(
                        sql::<Bool>("(lower(projects.name) LIKE lower(")
                            .bind::<Text, _>(pattern(text))
                            .sql(") ESCAPE '\\' OR lower(projects.path) LIKE lower(")
                            .bind::<Text, _>(pattern(text))
                            .sql(") ESCAPE '\\' OR lower(projects.description) LIKE lower(")
                            .bind::<Text, _>(pattern(text))
                            .sql(") ESCAPE '\\')"),
                    ));
                }
                if let Some(visibility) = filter.visibility {
                    all.push(Box::new(project_table::visibility.eq(visibility.number())));
                }
                if filter.owned {
                    let owner = filter.reader.user_id().map_or(-1, UserId::get);
                    let own = namespaces::owner_id
                        .eq(owner)
                        .and(namespaces::kind.eq(0_i16));
                    all.push(Box::new(own));
                }
                if let Some(least) = filter.min_access_level {
                    let user = filter.reader.user_id().unwrap_or(UserId::new(-1));
                    all.push(member(user, least.number(), today));
                }
                if let Some(id) = filter.id_after {
                    all.push(Box::new(project_table::id.gt(id.get())));
                }
                if let Some(id) = filter.id_before {
                    all.push(Box::new(project_table::id.lt(id.get())));
                }
                all
            }

            impl ProjectQueries for Tx<'_, $connection> {
                fn find_namespace(
                    &mut self,
                    path: &FullPath,
                ) -> Result<Option<Namespace>, StoreError> {
                    let id = full_paths::table
                        .find(path.lookup_key())
                        .select(full_paths::namespace_id.assume_not_null());
                    let id = id
                        .filter(full_paths::namespace_id.is_not_null())
                        .first::<i64>(self.connection);
                    let Some(id) = id.optional().map_err(|e| from_diesel("find path", e))? else {
                        return Ok(None);
                    };
                    let row = namespaces::table.find(id).select(NamespaceRow::as_select());
                    let row = row
                        .first(self.connection)
                        .map_err(|e| from_diesel("find namespace", e))?;
                    row.read().map(Some)
                }

                fn find_project(
                    &mut self,
                    reference: &ProjectRef,
                ) -> Result<Option<Project>, StoreError> {
                    let id = match reference {
                        ProjectRef::Id(id) => Some(id.get()),
                        ProjectRef::Path(path) => full_paths::table
                            .find(path.lookup_key())
                            .select(full_paths::project_id)
                            .first::<Option<i64>>(self.connection)
                            .optional()
                            .map_err(|e| from_diesel("find path", e))?
                            .flatten(),
                    };
                    let Some(id) = id else { return Ok(None) };
                    let row = project_table::table
                        .inner_join(namespaces::table)
                        .filter(project_table::id.eq(id))
                        .select((ProjectRow::as_select(), NamespaceRow::as_select()))
                        .first(self.connection)
                        .optional();
                    row.map_err(|e| from_diesel("find project", e))?
                        .map(read_project)
                        .transpose()
                }

                fn find_access_level(
                    &mut self,
                    user: UserId,
                    project: ProjectId,
                    today: CalendarDate,
                ) -> Result<Option<AccessLevel>, StoreError> {
                    let day = today.as_days();
                    let inherited =
                        project_table::table
                            .inner_join(namespace_lineage::table.on(
                                namespace_lineage::namespace_id.eq(project_table::namespace_id),
                            ))
                            .inner_join(namespace_members::table.on(
                                namespace_members::namespace_id.eq(namespace_lineage::ancestor_id),
                            ))
                            .filter(project_table::id.eq(project.get()))
                            .filter(namespace_members::user_id.eq(user.get()))
                            .filter(
                                namespace_members::expires_on
                                    .is_null()
                                    .or(namespace_members::expires_on.gt(day)),
                            )
                            .select(diesel::dsl::max(namespace_members::access_level))
                            .first::<Option<i16>>(self.connection)
                            .map_err(|e| from_diesel("find role", e))?;
                    let direct = project_members::table
                        .find((project.get(), user.get()))
                        .filter(
                            project_members::expires_on
                                .is_null()
                                .or(project_members::expires_on.gt(day)),
                        )
                        .select(project_members::access_level)
                        .first::<i16>(self.connection)
                        .optional()
                        .map_err(|e| from_diesel("find role", e))?;
                    let row = RowReader::new("members", project.get());
                    let highest = inherited.max(direct);
                    highest
                        .map(|level| {
                            row.need(AccessLevel::from_number(level.into()), "an unknown role")
                        })
                        .transpose()
                }

                fn list_projects(
                    &mut self,
                    filter: &ProjectFilter,
                    today: CalendarDate,
                    page: OffsetPage,
                ) -> Result<Page<Project>, StoreError> {
                    let mut query = project_table::table
                        .inner_join(namespaces::table)
                        .select((ProjectRow::as_select(), NamespaceRow::as_select()))
                        .into_boxed::<Db>();
                    let mut counted = project_table::table
                        .inner_join(namespaces::table)
                        .select(project_table::id)
                        .into_boxed::<Db>();
                    for condition in conditions(filter, today) {
                        query = query.filter(condition);
                    }
                    for condition in conditions(filter, today) {
                        counted = counted.filter(condition);
                    }
                    macro_rules! by {
                        ($column:expr) => {
                            match filter.sort {
                                SortOrder::Ascending => {
                                    query.order(($column.asc(), project_table::id.asc()))
                                }
                                SortOrder::Descending => {
                                    query.order(($column.desc(), project_table::id.desc()))
                                }
                            }
                        };
                    }
                    let query = match filter.order_by {
                        ProjectOrder::Id => match filter.sort {
                            SortOrder::Ascending => query.order(project_table::id.asc()),
                            SortOrder::Descending => query.order(project_table::id.desc()),
                        },
                        ProjectOrder::Name => by!(sql::<Text>(batch::PROJECT_NAME_ORDER)),
                        ProjectOrder::Path => by!(sql::<Text>(batch::PROJECT_PATH_ORDER)),
                        ProjectOrder::CreatedAt => by!(project_table::created_at),
                        ProjectOrder::UpdatedAt => by!(project_table::updated_at),
                        ProjectOrder::LastActivityAt => by!(project_table::last_activity_at),
                    };
                    let rows = query
                        .offset(page.offset())
                        .limit(page.fetch_limit())
                        .load(self.connection)
                        .map_err(|e| from_diesel("list projects", e))?;
                    let count: i64 = CappedCount(counted.limit(Total::COUNT_LIMIT))
                        .get_result(self.connection)
                        .map_err(|e| from_diesel("count projects", e))?;
                    let items: Result<Vec<Project>, StoreError> =
                        rows.into_iter().map(read_project).collect();
                    Ok(Page::from_fetched(
                        items?,
                        page,
                        u64::try_from(count).unwrap_or_default(),
                    ))
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl crate::repo::WriteTx<'_, $connection> {
            fn path_is_free(&mut self, key: &str) -> Result<bool, StoreError> {
                let taken = diesel::select(diesel::dsl::exists(full_paths::table.find(key)));
                let taken = taken.get_result::<bool>(self.connection);
                taken
                    .map(|taken| !taken)
                    .map_err(|e| from_diesel("find path", e))
            }

            fn take_path(
                &mut self,
                key: &str,
                namespace: Option<i64>,
                project: Option<i64>,
            ) -> Result<(), StoreError> {
                diesel::insert_into(full_paths::table)
                    .values((
                        full_paths::path_key.eq(key),
                        full_paths::namespace_id.eq(namespace),
                        full_paths::project_id.eq(project),
                    ))
                    .execute(self.connection)
                    .map(drop)
                    .map_err(|e| from_diesel("take path", e))
            }
        }

        impl ProjectRepository for crate::repo::WriteTx<'_, $connection> {
            fn insert_namespace(
                &mut self,
                new: &NewNamespace,
            ) -> Result<InsertNamespace, StoreError> {
                let impossible = || {
                    StoreError::new(
                        StoreErrorKind::Internal,
                        "insert a namespace without a path",
                    )
                };
                let path = new.full_path().ok_or_else(impossible)?;
                if !self.path_is_free(&path.lookup_key())? {
                    return Ok(InsertNamespace::PathTaken);
                }
                let parent = new.parent.as_ref().map(|parent| parent.id.get());
                let id: i64 = diesel::insert_into(namespaces::table)
                    .values((
                        namespaces::kind.eq(namespace_kind(new.kind)),
                        namespaces::name.eq(&new.name),
                        namespaces::path.eq(&new.path),
                        namespaces::full_path.eq(path.as_str()),
                        namespaces::parent_id.eq(parent),
                        namespaces::owner_id.eq(new.owner.get()),
                        namespaces::visibility.eq(new.visibility.number()),
                        namespaces::created_at.eq(new.created_at.as_micros()),
                    ))
                    .returning(namespaces::id)
                    .get_result(self.connection)
                    .map_err(|e| from_diesel("insert namespace", e))?;
                self.take_path(&path.lookup_key(), Some(id), None)?;
                let above: Vec<i64> = namespace_lineage::table
                    .filter(namespace_lineage::namespace_id.eq(parent.unwrap_or(-1)))
                    .select(namespace_lineage::ancestor_id)
                    .load(self.connection)
                    .map_err(|e| from_diesel("read lineage", e))?;
                for ancestor in above.into_iter().chain([id]) {
                    diesel::insert_into(namespace_lineage::table)
                        .values((
                            namespace_lineage::namespace_id.eq(id),
                            namespace_lineage::ancestor_id.eq(ancestor),
                        ))
                        .execute(self.connection)
                        .map_err(|e| from_diesel("insert lineage", e))?;
                }
                self.put_member(&NewMember {
                    user_id: new.owner,
                    place: MemberPlace::Namespace(NamespaceId::new(id)),
                    level: AccessLevel::Owner,
                    expires_on: None,
                    created_at: new.created_at,
                })?;
                Ok(InsertNamespace::Inserted(Namespace {
                    id: NamespaceId::new(id),
                    kind: new.kind,
                    name: new.name.clone(),
                    path: new.path.clone(),
                    full_path: path,
                    parent_id: parent.map(NamespaceId::new),
                    visibility: new.visibility,
                }))
            }

            fn insert_project(&mut self, new: &NewProject) -> Result<InsertProject, StoreError> {
                let impossible =
                    || StoreError::new(StoreErrorKind::Internal, "insert a project without a path");
                let path = new.full_path().ok_or_else(impossible)?;
                if !self.path_is_free(&path.lookup_key())? {
                    return Ok(InsertProject::PathTaken);
                }
                let created_at = new.created_at.as_micros();
                let id: i64 = diesel::insert_into(project_table::table)
                    .values((
                        project_table::namespace_id.eq(new.namespace.id.get()),
                        project_table::name.eq(&new.name),
                        project_table::path.eq(&new.path),
                        project_table::full_path.eq(path.as_str()),
                        project_table::description.eq(&new.description),
                        project_table::visibility.eq(new.visibility.number()),
                        project_table::creator_id.eq(new.creator_id.get()),
                        project_table::created_at.eq(created_at),
                        project_table::updated_at.eq(created_at),
                        project_table::last_activity_at.eq(created_at),
                    ))
                    .returning(project_table::id)
                    .get_result(self.connection)
                    .map_err(|e| from_diesel("insert project", e))?;
                self.take_path(&path.lookup_key(), None, Some(id))?;
                Ok(InsertProject::Inserted(Box::new(Project {
                    id: ProjectId::new(id),
                    namespace: new.namespace.clone(),
                    name: new.name.clone(),
                    path: new.path.clone(),
                    full_path: path,
                    description: new.description.clone(),
                    visibility: new.visibility,
                    creator_id: new.creator_id,
                    created_at: new.created_at,
                    updated_at: new.created_at,
                    last_activity_at: new.created_at,
                })))
            }

            fn put_member(&mut self, member: &NewMember) -> Result<(), StoreError> {
                let level = member.level.number();
                let expires_on = member.expires_on.map(CalendarDate::as_days);
                let created_at = member.created_at.as_micros();
                let user = member.user_id.get();
                let written = match member.place {
                    MemberPlace::Namespace(namespace) => {
                        diesel::insert_into(namespace_members::table)
                            .values((
                                namespace_members::namespace_id.eq(namespace.get()),
                                namespace_members::user_id.eq(user),
                                namespace_members::access_level.eq(level),
                                namespace_members::expires_on.eq(expires_on),
                                namespace_members::created_at.eq(created_at),
                            ))
                            .on_conflict((
                                namespace_members::namespace_id,
                                namespace_members::user_id,
                            ))
                            .do_update()
                            .set((
                                namespace_members::access_level.eq(level),
                                namespace_members::expires_on.eq(expires_on),
                            ))
                            .execute(self.connection)
                    }
                    MemberPlace::Project(project) => diesel::insert_into(project_members::table)
                        .values((
                            project_members::project_id.eq(project.get()),
                            project_members::user_id.eq(user),
                            project_members::access_level.eq(level),
                            project_members::expires_on.eq(expires_on),
                            project_members::created_at.eq(created_at),
                        ))
                        .on_conflict((project_members::project_id, project_members::user_id))
                        .do_update()
                        .set((
                            project_members::access_level.eq(level),
                            project_members::expires_on.eq(expires_on),
                        ))
                        .execute(self.connection),
                };
                written.map(drop).map_err(|e| from_diesel("put member", e))
            }

            fn touch_projects(
                &mut self,
                projects: &[ProjectId],
                at: Timestamp,
            ) -> Result<(), StoreError> {
                let ids: Vec<i64> = projects.iter().map(|id| id.get()).collect();
                let earlier = at.plus_seconds(-ACTIVITY_GRAIN_SECONDS).as_micros();
                let stale = project_table::table
                    .filter(project_table::id.eq_any(ids))
                    .filter(project_table::last_activity_at.le(earlier));
                diesel::update(stale)
                    .set(project_table::last_activity_at.eq(at.as_micros()))
                    .execute(self.connection)
                    .map(drop)
                    .map_err(|e| from_diesel("touch projects", e))
            }
        }
    };
}

super::for_each_database!(queries, repository, batch);
