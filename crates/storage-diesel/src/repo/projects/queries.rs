//! What a transaction of either kind can tell about projects.

/// Writes the queries for one kind of transaction over one connection type.
macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;
            conditions!($connection);

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
                        .get_result::<i64>(self.connection);
                    let Some(id) = id.optional().map_err(|e| from_diesel("find path", e))? else {
                        return Ok(None);
                    };
                    let row = namespaces::table.find(id).select(NamespaceRow::as_select());
                    let row = row
                        .get_result(self.connection)
                        .map_err(|e| from_diesel("find namespace", e))?;
                    row.read().map(Some)
                }

                fn list_full_names(
                    &mut self,
                    namespaces: &[NamespaceId],
                ) -> Result<FullNames, StoreError> {
                    let ids: Vec<i64> = namespaces.iter().map(|id| id.get()).collect();
                    // Among the namespaces above one another the outermost has the shortest path.
                    let rows: Vec<(i64, String)> = namespace_lineage::table
                        .inner_join(
                            namespaces::table.on(namespaces::id.eq(namespace_lineage::ancestor_id)),
                        )
                        .filter(namespace_lineage::namespace_id.eq_any(ids))
                        .order((
                            namespace_lineage::namespace_id,
                            sql::<BigInt>("length(namespaces.full_path)"),
                        ))
                        .select((namespace_lineage::namespace_id, namespaces::name))
                        .load(self.connection)
                        .map_err(|e| from_diesel("list names", e))?;
                    let names = rows.into_iter();
                    Ok(names
                        .map(|(id, name)| (NamespaceId::new(id), name))
                        .collect())
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
                            .get_result::<Option<i64>>(self.connection)
                            .optional()
                            .map_err(|e| from_diesel("find path", e))?
                            .flatten(),
                    };
                    let Some(id) = id else { return Ok(None) };
                    let row = project_table::table
                        .inner_join(namespaces::table)
                        .filter(project_table::id.eq(id))
                        .select((ProjectRow::as_select(), NamespaceRow::as_select()))
                        .get_result(self.connection)
                        .optional();
                    row.map_err(|e| from_diesel("find project", e))?
                        .map(read_project)
                        .transpose()
                }

                fn find_membership(
                    &mut self,
                    user: UserId,
                    project: ProjectId,
                    today: CalendarDate,
                ) -> Result<Membership, StoreError> {
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
                            .get_result::<Option<i16>>(self.connection)
                            .map_err(|e| from_diesel("find role", e))?;
                    let direct = project_members::table
                        .find((project.get(), user.get()))
                        .filter(
                            project_members::expires_on
                                .is_null()
                                .or(project_members::expires_on.gt(day)),
                        )
                        .select(project_members::access_level)
                        .get_result::<i16>(self.connection)
                        .optional()
                        .map_err(|e| from_diesel("find role", e))?;
                    let row = RowReader::new("members", project.get());
                    let read = |level: Option<i16>| {
                        let known = level.map(|level| AccessLevel::from_number(level.into()));
                        known
                            .map(|level| row.need(level, "an unknown role"))
                            .transpose()
                    };
                    Ok(Membership {
                        own: read(direct)?,
                        inherited: read(inherited)?,
                    })
                }

                fn list_groups_of_user(
                    &mut self,
                    user: UserId,
                    today: CalendarDate,
                ) -> Result<Vec<UserGroup>, StoreError> {
                    let roles: Vec<(i64, String, i64)> =
                        namespaces::table
                            .inner_join(
                                namespace_lineage::table
                                    .on(namespace_lineage::namespace_id.eq(namespaces::id)),
                            )
                            .inner_join(namespace_members::table.on(
                                namespace_members::namespace_id.eq(namespace_lineage::ancestor_id),
                            ))
                            .filter(namespace_members::user_id.eq(user.get()))
                            .filter(
                                namespace_members::expires_on
                                    .is_null()
                                    .or(namespace_members::expires_on.gt(today.as_days())),
                            )
                            .filter(namespaces::kind.eq(namespace_kind(NamespaceKind::Group)))
                            .select((
                                namespaces::id,
                                namespaces::full_path,
                                namespace_lineage::ancestor_id,
                            ))
                            .load(self.connection)
                            .map_err(|e| from_diesel("list groups of user", e))?;
                    read_groups(roles)
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
                    Ok(Page::from_fetched(items?, page, count_of(count)))
                }
            }
        };
    };
}

pub(super) use queries;
