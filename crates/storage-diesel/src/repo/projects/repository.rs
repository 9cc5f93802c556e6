//! What a write transaction can change about projects.

/// Writes the repository for one connection type.
macro_rules! repository {
    ($connection:ty) => {
        impl WriteTx<'_> {
            fn path_is_free(&mut self, key: &str) -> Result<bool, StoreError> {
                let taken = diesel::select(diesel::dsl::exists(full_paths::table.find(key)));
                let taken = taken.get_result::<bool>(self.connection()?);
                taken
                    .map(|taken| !taken)
                    .map_err(|e| from_diesel("find path", e))
            }

            /// Takes a path, unless somebody else was faster since it was last seen free.
            fn take_path(
                &mut self,
                key: &str,
                namespace: Option<i64>,
                project: Option<i64>,
            ) -> Result<bool, StoreError> {
                diesel::insert_into(full_paths::table)
                    .values((
                        full_paths::path_key.eq(key),
                        full_paths::namespace_id.eq(namespace),
                        full_paths::project_id.eq(project),
                    ))
                    .on_conflict_do_nothing()
                    .execute(self.connection()?)
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("take path", e))
            }
        }

        impl ProjectRepository for WriteTx<'_> {
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
                    .get_result(self.connection()?)
                    .map_err(|e| from_diesel("insert namespace", e))?;
                if !self.take_path(&path.lookup_key(), Some(id), None)? {
                    diesel::delete(namespaces::table.find(id))
                        .execute(self.connection()?)
                        .map_err(|e| from_diesel("take namespace back", e))?;
                    return Ok(InsertNamespace::PathTaken);
                }
                let above: Vec<i64> = namespace_lineage::table
                    .filter(namespace_lineage::namespace_id.eq(parent.unwrap_or(-1)))
                    .select(namespace_lineage::ancestor_id)
                    .load(self.connection()?)
                    .map_err(|e| from_diesel("read lineage", e))?;
                for ancestor in above.into_iter().chain([id]) {
                    diesel::insert_into(namespace_lineage::table)
                        .values((
                            namespace_lineage::namespace_id.eq(id),
                            namespace_lineage::ancestor_id.eq(ancestor),
                        ))
                        .execute(self.connection()?)
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
                        project_table::name_key.eq(new.name.to_lowercase()),
                        project_table::path_key.eq(new.path.to_lowercase()),
                    ))
                    .returning(project_table::id)
                    .get_result(self.connection()?)
                    .map_err(|e| from_diesel("insert project", e))?;
                if !self.take_path(&path.lookup_key(), None, Some(id))? {
                    diesel::delete(project_table::table.find(id))
                        .execute(self.connection()?)
                        .map_err(|e| from_diesel("take project back", e))?;
                    return Ok(InsertProject::PathTaken);
                }
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
                            .execute(self.connection()?)
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
                        .execute(self.connection()?),
                };
                written.map(drop).map_err(|e| from_diesel("put member", e))
            }

            fn touch_projects(
                &mut self,
                moments: &[(ProjectId, Timestamp)],
            ) -> Result<(), StoreError> {
                let told: Vec<(i64, i64)> = moments
                    .iter()
                    .map(|(project, at)| (project.get(), at.as_micros()))
                    .collect();
                batch::touch_projects(self, &told, ACTIVITY_GRAIN_MICROS)
            }
        }
    };
}

pub(super) use repository;
