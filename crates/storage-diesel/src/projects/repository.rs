//! Changes of projects, for write transactions.

use ::projects::ProjectQueries as _;
use ::projects::{
    InsertNamespace, InsertProject, Locked, Namespace, NewNamespace, NewProject, Project,
    ProjectChange, ProjectRepository, SaveProject,
};
use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use crate::projects::rows::{as_json, namespace_kind};
use crate::projects::tables::{
    former_paths, full_paths, namespace_lineage, namespaces, project_topics, projects,
};
use crate::projects::{ACTIVITY_GRAIN_MICROS, groups};

#[for_each_database(dialect = crate::projects)]
mod database {
    impl WriteTx<'_> {
        pub(crate) fn path_is_free(&mut self, key: &str) -> Result<bool, StoreError> {
            let taken = diesel::select(diesel::dsl::exists(full_paths::table.find(key)));
            let taken: bool = self.value("find path", taken)?;
            Ok(!taken)
        }

        /// True if a project of a namespace, another one than `except`, has this name.
        fn name_is_taken(
            &mut self,
            namespace: NamespaceId,
            name: &str,
            except: Option<ProjectId>,
        ) -> Result<bool, StoreError> {
            let others = projects::table
                .filter(projects::namespace_id.eq(namespace.get()))
                .filter(projects::name.eq(name))
                .filter(projects::deletion_id.is_null())
                .filter(projects::id.ne(except.map_or(-1, ProjectId::get)));
            self.value("find name", diesel::select(diesel::dsl::exists(others)))
        }

        /// Replaces the topics of a project.
        fn write_topics(&mut self, project: i64, topics: &[String]) -> Result<(), StoreError> {
            let old = project_topics::table.filter(project_topics::project_id.eq(project));
            self.execute("delete topics", diesel::delete(old))?;
            for topic in topics {
                let topic = (
                    project_topics::topic_key.eq(topic.to_lowercase()),
                    project_topics::project_id.eq(project),
                );
                let insert = diesel::insert_into(project_topics::table).values(topic);
                self.execute("insert topic", insert.on_conflict_do_nothing())?;
            }
            Ok(())
        }

        /// Reserves a path, unless another transaction has taken it since it was found free.
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
            let is_taken = self.changes("reserve path", take.on_conflict_do_nothing())?;
            if is_taken {
                let former = diesel::delete(former_paths::table.find(key));
                self.execute("delete redirect", former)?;
            }
            Ok(is_taken)
        }
    }

    impl ProjectRepository for WriteTx<'_> {
        fn insert_namespace(&mut self, new: &NewNamespace) -> Result<InsertNamespace, StoreError> {
            let impossible = || StoreError::new(StoreErrorKind::Internal, "build full path");
            let parent = new.parent.as_ref().map(|parent| parent.id.get());
            dialect::lock_trees(self, parent.as_slice())?;
            let path = new.full_path().ok_or_else(impossible)?;
            if !self.path_is_free(&path.lookup_key())? {
                return Ok(InsertNamespace::PathTaken);
            }
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
                    namespaces::updated_at.eq(new.created_at.as_micros()),
                    namespaces::name_key.eq(new.name.to_lowercase()),
                    namespaces::path_key.eq(new.path.to_lowercase()),
                ))
                .returning(namespaces::id);
            let id: i64 = self.value("insert namespace", insert)?;
            if !self.take_path(&path.lookup_key(), Some(id), None)? {
                let back = diesel::delete(namespaces::table.find(id));
                self.execute("undo insertion of namespace", back)?;
                return Ok(InsertNamespace::PathTaken);
            }
            let above = namespace_lineage::table
                .filter(namespace_lineage::namespace_id.eq(parent.unwrap_or(-1)))
                .select(namespace_lineage::ancestor_id);
            let above: Vec<i64> = self.values("list ancestors", above)?;
            for ancestor in above.into_iter().chain([id]) {
                let line = (
                    namespace_lineage::namespace_id.eq(id),
                    namespace_lineage::ancestor_id.eq(ancestor),
                );
                let insert = diesel::insert_into(namespace_lineage::table).values(line);
                self.execute("insert ancestors", insert)?;
            }
            self.insert_first_owner(NamespaceId::new(id), new.owner, new.created_at)?;
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
            let impossible = || StoreError::new(StoreErrorKind::Internal, "build full path");
            let path = new.full_path().ok_or_else(impossible)?;
            dialect::lock_trees(self, &[new.namespace.id.get()])?;
            if !self.path_is_free(&path.lookup_key())? {
                return Ok(InsertProject::PathTaken);
            }
            if self.name_is_taken(new.namespace.id, &new.name, None)? {
                return Ok(InsertProject::NameTaken);
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
                    projects::topics.eq(as_json(&new.topics)),
                    projects::settings.eq(new.settings.to_json()),
                    projects::merge_requests_enabled.eq(new.settings.has_merge_requests()),
                ))
                .returning(projects::id);
            let id: i64 = self.value("insert project", insert)?;
            if !self.take_path(&path.lookup_key(), None, Some(id))? {
                let back = diesel::delete(projects::table.find(id));
                self.execute("undo insertion of project", back)?;
                return Ok(InsertProject::PathTaken);
            }
            self.write_topics(id, &new.topics)?;
            Ok(InsertProject::Inserted(Box::new(Project {
                id: ProjectId::new(id),
                namespace: new.namespace.clone(),
                name: new.name.clone(),
                path: new.path.clone(),
                full_path: path,
                description: new.description.clone(),
                visibility: new.visibility,
                topics: new.topics.clone(),
                settings: new.settings.clone(),
                archived: false,
                creator_id: new.creator_id,
                created_at: new.created_at,
                updated_at: new.created_at,
                last_activity_at: new.created_at,
            })))
        }

        fn lock_project(
            &mut self,
            project: ProjectId,
            others: &[NamespaceId],
        ) -> Result<Option<Locked<Project>>, StoreError> {
            let reference = ProjectRef::Id(project);
            let Some(found) = self.find_project(&reference)? else {
                return Ok(None);
            };
            let places = [found.namespace.id];
            let trees: Vec<i64> = places.iter().chain(others).map(|id| id.get()).collect();
            dialect::lock_trees(self, &trees)?;
            dialect::lock_project(self, project.get())?;
            // The project may have been moved or deleted before it was locked.
            let locked = self.find_project(&reference)?;
            let is_same = |locked: &Project| locked.namespace.id == found.namespace.id;
            if locked.as_ref().is_some_and(|locked| !is_same(locked)) {
                return Err(StoreError::new(StoreErrorKind::Contention, "lock project"));
            }
            Ok(locked.map(Locked::by_adapter))
        }

        fn update_project(
            &mut self,
            project: Locked<Project>,
            change: &ProjectChange,
            now: Timestamp,
        ) -> Result<SaveProject, StoreError> {
            let (id, content) = (project.id, &change.content);
            let path = groups::path_below(Some(&change.namespace), &content.path)?;
            let key = path.lookup_key();
            let has_moved = key != project.full_path.lookup_key();
            if has_moved && !self.path_is_free(&key)? {
                return Ok(SaveProject::PathTaken);
            }
            if self.name_is_taken(change.namespace.id, &content.name, Some(id))? {
                return Ok(SaveProject::NameTaken);
            }
            let row = projects::table.find(id.get());
            let update = diesel::update(row).set((
                projects::namespace_id.eq(change.namespace.id.get()),
                projects::name.eq(&content.name),
                projects::path.eq(&content.path),
                projects::full_path.eq(path.as_str()),
                projects::description.eq(&content.description),
                projects::visibility.eq(content.visibility.number()),
                projects::archived.eq(change.archived),
                projects::updated_at.eq(now.as_micros()),
                projects::name_key.eq(content.name.to_lowercase()),
                projects::path_key.eq(content.path.to_lowercase()),
                projects::topics.eq(as_json(&content.topics)),
                projects::settings.eq(content.settings.to_json()),
                projects::merge_requests_enabled.eq(content.settings.has_merge_requests()),
            ));
            self.execute("update project", update)?;
            if has_moved {
                let its = format!("project_id = {id}");
                self.add_redirects(&its)?;
                let path = full_paths::table.filter(full_paths::project_id.eq(id.get()));
                let path = diesel::update(path).set(full_paths::path_key.eq(&key));
                self.execute("move path", path)?;
                self.delete_redirects(&its)?;
            }
            if content.topics != project.topics {
                self.write_topics(id.get(), &content.topics)?;
            }
            let after = self.find_project(&ProjectRef::Id(id))?;
            let gone =
                || StoreError::inconsistent("projects", id.get(), "deleted while it was locked");
            Ok(SaveProject::Saved(Box::new(after.ok_or_else(gone)?)))
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
}
