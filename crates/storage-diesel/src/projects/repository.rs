//! What a write transaction can change about projects.

/// Writes the repository for one database.
macro_rules! repository {
    ($tx:ident) => {
        conditions!($tx);
        bounded!();

        impl $tx<'_> {
            fn path_is_free(&mut self, key: &str) -> Result<bool, StoreError> {
                let taken = diesel::select(diesel::dsl::exists(full_paths::table.find(key)));
                let taken: bool = self.value("find path", taken)?;
                Ok(!taken)
            }

            /// Takes a path, unless somebody else was faster since it was last seen free.
            fn take_path(
                &mut self,
                key: &str,
                namespace: Option<i64>,
                project: Option<i64>,
            ) -> Result<bool, StoreError> {
                let path = (
                    full_paths::path_key.eq(key),
                    full_paths::namespace_id.eq(namespace),
                    full_paths::project_id.eq(project),
                );
                let take = diesel::insert_into(full_paths::table).values(path);
                self.changes("take path", take.on_conflict_do_nothing())
            }
        }

        impl ProjectRepository for $tx<'_> {
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
                let insert = diesel::insert_into(namespaces::table)
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
                    .returning(namespaces::id);
                let id: i64 = self.value("insert namespace", insert)?;
                if !self.take_path(&path.lookup_key(), Some(id), None)? {
                    let back = diesel::delete(namespaces::table.find(id));
                    self.execute("take namespace back", back)?;
                    return Ok(InsertNamespace::PathTaken);
                }
                let above = namespace_lineage::table
                    .filter(namespace_lineage::namespace_id.eq(parent.unwrap_or(-1)))
                    .select(namespace_lineage::ancestor_id);
                let above: Vec<i64> = self.values("read lineage", above)?;
                for ancestor in above.into_iter().chain([id]) {
                    let line = (
                        namespace_lineage::namespace_id.eq(id),
                        namespace_lineage::ancestor_id.eq(ancestor),
                    );
                    let insert = diesel::insert_into(namespace_lineage::table).values(line);
                    self.execute("insert lineage", insert)?;
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
                let insert = diesel::insert_into(projects::table)
                    .values((
                        projects::namespace_id.eq(new.namespace.id.get()),
                        projects::name.eq(&new.name),
                        projects::path.eq(&new.path),
                        projects::full_path.eq(path.as_str()),
                        projects::description.eq(&new.description),
                        projects::visibility.eq(new.visibility.number()),
                        projects::creator_id.eq(new.creator_id.get()),
                        projects::created_at.eq(created_at),
                        projects::updated_at.eq(created_at),
                        projects::last_activity_at.eq(created_at),
                        projects::name_key.eq(new.name.to_lowercase()),
                        projects::path_key.eq(new.path.to_lowercase()),
                    ))
                    .returning(projects::id);
                let id: i64 = self.value("insert project", insert)?;
                if !self.take_path(&path.lookup_key(), None, Some(id))? {
                    let back = diesel::delete(projects::table.find(id));
                    self.execute("take project back", back)?;
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
                let put = match member.place {
                    MemberPlace::Namespace(namespace) => {
                        let role = (
                            namespace_members::access_level.eq(level),
                            namespace_members::expires_on.eq(expires_on),
                        );
                        let member = (
                            namespace_members::namespace_id.eq(namespace.get()),
                            namespace_members::user_id.eq(user),
                            role,
                            namespace_members::created_at.eq(created_at),
                        );
                        let put = diesel::insert_into(namespace_members::table)
                            .values(member)
                            .on_conflict((
                                namespace_members::namespace_id,
                                namespace_members::user_id,
                            ))
                            .do_update()
                            .set(role);
                        self.execute("put member", put)
                    }
                    MemberPlace::Project(project) => {
                        let role = (
                            project_members::access_level.eq(level),
                            project_members::expires_on.eq(expires_on),
                        );
                        let member = (
                            project_members::project_id.eq(project.get()),
                            project_members::user_id.eq(user),
                            role,
                            project_members::created_at.eq(created_at),
                        );
                        let put = diesel::insert_into(project_members::table)
                            .values(member)
                            .on_conflict((project_members::project_id, project_members::user_id))
                            .do_update()
                            .set(role);
                        self.execute("put member", put)
                    }
                };
                put.map(drop)
            }

            fn touch_projects(
                &mut self,
                timestamps: &[(ProjectId, Timestamp)],
            ) -> Result<(), StoreError> {
                let activity: Vec<(i64, i64)> = timestamps
                    .iter()
                    .map(|(project, at)| (project.get(), at.as_micros()))
                    .collect();
                dialect::touch_projects(self, &activity, ACTIVITY_GRAIN_MICROS)
            }
        }
    };
}

pub(super) use repository;
