//! What changes namespaces and projects.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::reference::FullPath;
use api_conventions::time::Timestamp;
use projects::{
    Group, GroupContent, InsertNamespace, InsertProject, Locked, MemberPlace, Moved, NewMember,
    NewNamespace, NewProject, Project, ProjectChange, ProjectRepository, SaveProject,
};
use storage::StoreError;

use super::{NamespaceRow, no_path};
use crate::store::MemoryWriteTx;

/// How long a project's last activity stands before it is noted again.
const ACTIVITY_GRAIN_SECONDS: i64 = 3600;

impl ProjectRepository for MemoryWriteTx<'_> {
    fn insert_namespace(&mut self, new: &NewNamespace) -> Result<InsertNamespace, StoreError> {
        let tables = &mut self.0.projects;
        let full_path = new.full_path().ok_or_else(no_path)?;
        if tables.path_is_taken(&full_path) {
            return Ok(InsertNamespace::PathTaken);
        }
        tables.former_paths.remove(&full_path.lookup_key());
        let content = GroupContent {
            name: new.name.clone(),
            path: new.path.clone(),
            visibility: new.visibility,
            ..GroupContent::default()
        };
        let row = tables.namespaces.insert_copy(|id| NamespaceRow {
            kind: new.kind,
            owner: new.owner,
            group: Group {
                id,
                parent_id: new.parent.as_ref().map(|parent| parent.id),
                full_path,
                content,
                created_at: new.created_at,
                updated_at: new.created_at,
            },
        });
        let namespace = row.namespace();
        let owner = NewMember {
            user_id: new.owner,
            level: AccessLevel::Owner,
            expires_on: None,
            created_by: None,
            created_at: new.created_at,
        };
        let place = MemberPlace::Namespace(namespace.id);
        self.0.members.put(place, &owner);
        Ok(InsertNamespace::Inserted(namespace))
    }

    fn insert_project(&mut self, new: &NewProject) -> Result<InsertProject, StoreError> {
        let tables = &mut self.0.projects;
        let full_path = new.full_path().ok_or_else(no_path)?;
        if tables.path_is_taken(&full_path) {
            return Ok(InsertProject::PathTaken);
        }
        if tables.name_is_taken(new.namespace.id, &new.name, None) {
            return Ok(InsertProject::NameTaken);
        }
        tables.former_paths.remove(&full_path.lookup_key());
        let project = tables.projects.insert_copy(|id| Project {
            id,
            namespace: new.namespace.clone(),
            name: new.name.clone(),
            path: new.path.clone(),
            full_path,
            description: new.description.clone(),
            visibility: new.visibility,
            topics: new.topics.clone(),
            settings: new.settings.clone(),
            archived: false,
            creator_id: new.creator_id,
            created_at: new.created_at,
            updated_at: new.created_at,
            last_activity_at: new.created_at,
        });
        Ok(InsertProject::Inserted(Box::new(project)))
    }

    fn lock_project(
        &mut self,
        project: ProjectId,
        _: &[NamespaceId],
    ) -> Result<Option<Locked<Project>>, StoreError> {
        let found = self.0.projects.projects.get(project).cloned();
        Ok(found.map(Locked::by_adapter))
    }

    fn update_project(
        &mut self,
        project: Locked<Project>,
        change: &ProjectChange,
        now: Timestamp,
    ) -> Result<SaveProject, StoreError> {
        let tables = &mut self.0.projects;
        let (id, content) = (project.id, &change.content);
        let parent = change.namespace.full_path.as_str();
        let full_path =
            FullPath::parse(&format!("{parent}/{}", content.path)).ok_or_else(no_path)?;
        if full_path.lookup_key() != project.full_path.lookup_key()
            && tables.path_is_taken(&full_path)
        {
            return Ok(SaveProject::PathTaken);
        }
        if tables.name_is_taken(change.namespace.id, &content.name, Some(id)) {
            return Ok(SaveProject::NameTaken);
        }
        tables.move_path(&project.full_path, &full_path, Moved::Project(id));
        let changed = Project {
            namespace: change.namespace.clone(),
            name: content.name.clone(),
            path: content.path.clone(),
            full_path,
            description: content.description.clone(),
            visibility: content.visibility,
            topics: content.topics.clone(),
            settings: content.settings.clone(),
            archived: change.archived,
            updated_at: now,
            ..project.into_inner()
        };
        tables.projects.update(id, |row| row.clone_from(&changed));
        Ok(SaveProject::Saved(Box::new(changed)))
    }

    fn touch_projects(&mut self, timestamps: &[(ProjectId, Timestamp)]) -> Result<(), StoreError> {
        for (id, at) in timestamps {
            let earlier = at.plus_seconds(-ACTIVITY_GRAIN_SECONDS);
            if let Some(project) = self.0.projects.projects.get_mut(*id)
                && project.last_activity_at <= earlier
            {
                project.last_activity_at = *at;
            }
        }
        Ok(())
    }
}
