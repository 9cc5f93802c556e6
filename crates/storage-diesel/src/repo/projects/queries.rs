//! What a transaction of either kind can tell about projects.

/// Writes the queries for one kind of transaction over one connection type.
macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;
            conditions!($connection);
            bounds!($connection);

            /// The ids of the projects that match, in no order yet. Pages are made of ids, which stand in indexes;
            /// only the rows of the page are read whole.
            fn matching(filter: &ProjectFilter, today: CalendarDate) -> Ids {
                let all = project_table::table
                    .inner_join(namespaces::table)
                    .select(project_table::id)
                    .into_boxed::<Db>();
                let conditions = conditions(filter, today).into_iter();
                conditions.fold(all, |ids, condition| ids.filter(condition))
            }

            /// The projects with these ids, in this order.
            fn with_ids(
                connection: &mut $connection,
                ids: &[i64],
            ) -> Result<Vec<Project>, StoreError> {
                let rows: Vec<(ProjectRow, NamespaceRow)> = project_table::table
                    .inner_join(namespaces::table)
                    .filter(project_table::id.eq_any(ids))
                    .select((ProjectRow::as_select(), NamespaceRow::as_select()))
                    .load(connection)
                    .map_err(|e| from_diesel("list projects", e))?;
                let mut projects = BTreeMap::new();
                for row in rows {
                    let project = read_project(row)?;
                    projects.insert(project.id.get(), project);
                }
                Ok(ids.iter().filter_map(|id| projects.remove(id)).collect())
            }

            impl ProjectQueries for Tx<'_> {
                fn find_namespace(
                    &mut self,
                    path: &FullPath,
                ) -> Result<Option<Namespace>, StoreError> {
                    let id = full_paths::table
                        .find(path.lookup_key())
                        .select(full_paths::namespace_id.assume_not_null());
                    let id = id
                        .filter(full_paths::namespace_id.is_not_null())
                        .get_result::<i64>(self.connection()?);
                    let Some(id) = id.optional().map_err(|e| from_diesel("find path", e))? else {
                        return Ok(None);
                    };
                    let row = namespaces::table.find(id).select(NamespaceRow::as_select());
                    let row = row
                        .get_result(self.connection()?)
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
                        .load(self.connection()?)
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
                            .get_result::<Option<i64>>(self.connection()?)
                            .optional()
                            .map_err(|e| from_diesel("find path", e))?
                            .flatten(),
                    };
                    let Some(id) = id else { return Ok(None) };
                    let row = project_table::table
                        .inner_join(namespaces::table)
                        .filter(project_table::id.eq(id))
                        .select((ProjectRow::as_select(), NamespaceRow::as_select()))
                        .get_result(self.connection()?)
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
                            .get_result::<Option<i16>>(self.connection()?)
                            .map_err(|e| from_diesel("find role", e))?;
                    let direct = project_members::table
                        .find((project.get(), user.get()))
                        .filter(
                            project_members::expires_on
                                .is_null()
                                .or(project_members::expires_on.gt(day)),
                        )
                        .select(project_members::access_level)
                        .get_result::<i16>(self.connection()?)
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
                            .load(self.connection()?)
                            .map_err(|e| from_diesel("list groups of user", e))?;
                    read_groups(roles)
                }

                fn list_projects(
                    &mut self,
                    filter: &ProjectFilter,
                    today: CalendarDate,
                    page: OffsetPage,
                ) -> Result<Page<Project>, StoreError> {
                    let (order, sort) = (filter.order_by, filter.sort);
                    let bound = bound(self.connection()?, filter, order, sort)
                        .map_err(|e| from_diesel("list projects", e))?;
                    let matching = || within(matching(filter, today), &bound, order, sort);
                    let count: i64 = CappedCount(matching().limit(Total::COUNT_LIMIT))
                        .get_result(self.connection()?)
                        .map_err(|e| from_diesel("count projects", e))?;
                    let window = match &bound {
                        Bound::Before(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                        _ => Window::of(page, count),
                    };
                    if window.is_empty() {
                        return Ok(window.page(Vec::new()));
                    }
                    let sort = window.direction(sort);
                    let ids: Vec<i64> = ordered(matching(), &bound, order, sort)
                        .offset(window.skip)
                        .limit(window.take)
                        .load(self.connection()?)
                        .map_err(|e| from_diesel("list projects", e))?;
                    let ids = window.in_order(ids);
                    let page = window.page(with_ids(self.connection()?, &ids)?);
                    // Beyond what may be examined there may be more, or none.
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
                ) -> Result<Stretch<Project>, StoreError> {
                    let (order, sort) = (ProjectOrder::Id, page.sort());
                    let bound = bound(self.connection()?, filter, order, sort)
                        .map_err(|e| from_diesel("list projects", e))?;
                    let ids = within(matching(filter, today), &bound, order, sort);
                    let ids: Vec<i64> = ordered(ids, &bound, order, sort)
                        .limit(page.fetch_limit())
                        .load(self.connection()?)
                        .map_err(|e| from_diesel("list projects", e))?;
                    let projects = with_ids(self.connection()?, &ids)?;
                    let stretch = Stretch::from_fetched(projects, page);
                    match bound {
                        Bound::Before(_) if !stretch.has_next => Err(too_much()),
                        _ => Ok(stretch),
                    }
                }
            }
        };
    };
}

pub(super) use queries;
