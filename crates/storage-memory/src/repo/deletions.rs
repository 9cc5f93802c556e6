//! Deletions of projects and groups. What waits for its deletion is taken out of the tables, so that no other query finds it.

use std::ops::Deref;

use api_conventions::ids::{DeletionId, NamespaceId, ProjectId};
use api_conventions::time::Timestamp;
use projects::{
    CancelDeletion, Deletion, DeletionQueries, DeletionRepository, Doomed, Group, Locked,
    MemberPlace, NamespaceKind, NewDeletion, Project,
};
use storage::StoreError;

use super::projects::Tables;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

impl<S: Deref<Target = State>> DeletionQueries for MemoryTx<S> {
    fn find_deletion(&mut self, doomed: Doomed) -> Result<Option<Deletion>, StoreError> {
        let deletions = &self.0.projects.deletions;
        Ok(deletions.find(|one| one.doomed == doomed).copied())
    }

    fn find_doomed_project(&mut self, id: ProjectId) -> Result<Option<Project>, StoreError> {
        let found = self.0.projects.doomed_projects.get(&id);
        Ok(found.map(|(_, project)| project.clone()))
    }

    fn find_doomed_group(&mut self, id: NamespaceId) -> Result<Option<Group>, StoreError> {
        let found = self.0.projects.doomed_namespaces.get(&id);
        let groups = found.filter(|(_, row)| row.kind == NamespaceKind::Group);
        Ok(groups.map(|(_, row)| row.group.clone()))
    }

    fn list_due_deletions(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Deletion>, StoreError> {
        let rows = self.0.projects.deletions.rows();
        let mut due: Vec<Deletion> = rows.filter(|one| one.due_at <= now).copied().collect();
        due.sort_by_key(|one| (one.due_at, one.id));
        due.truncate(limit);
        Ok(due)
    }

    fn find_project_to_delete(
        &mut self,
        deletion: DeletionId,
    ) -> Result<Option<ProjectId>, StoreError> {
        let tables = &self.0.projects;
        let found = tables.deletions.get(deletion);
        Ok(found.and_then(|found| match found.doomed {
            Doomed::Project(id) => tables.doomed_projects.contains_key(&id).then_some(id),
            Doomed::Group(group) => tables.doomed_in(group),
        }))
    }
}

impl Tables {
    /// Whether a namespace is a doomed group or is below it, by the namespaces that are doomed, too.
    fn is_doomed_within(&self, id: NamespaceId, group: NamespaceId) -> bool {
        let above = |id: &NamespaceId| self.doomed_namespaces.get(id)?.1.group.parent_id;
        std::iter::successors(Some(id), above).any(|above| above == group)
    }

    /// A project in a doomed group, whatever deletion it waits for itself.
    fn doomed_in(&self, group: NamespaceId) -> Option<ProjectId> {
        let mut projects = self.doomed_projects.iter();
        let found =
            projects.find(|(_, (_, project))| self.is_doomed_within(project.namespace.id, group));
        found.map(|(id, _)| *id)
    }

    /// Whether the namespace of a doomed project is doomed itself.
    fn is_homeless(&self, project: ProjectId) -> bool {
        let project = self.doomed_projects.get(&project);
        let namespace = project.map(|(_, project)| project.namespace.id);
        namespace.is_some_and(|id| self.doomed_namespaces.contains_key(&id))
    }

    /// Whether the group above a doomed one is doomed itself.
    fn is_orphan(&self, group: NamespaceId) -> bool {
        let group = self.doomed_namespaces.get(&group);
        let parent = group.and_then(|(_, row)| row.group.parent_id);
        parent.is_some_and(|id| self.doomed_namespaces.contains_key(&id))
    }

    fn insert_deletion(&mut self, doomed: Doomed, new: &NewDeletion) -> Deletion {
        self.deletions.insert_copy(|id| Deletion {
            id,
            doomed,
            requested_by: new.requested_by,
            requested_at: new.requested_at,
            due_at: new.due_at,
            started: false,
        })
    }

    /// The paths that a deletion keeps for what it is to take away.
    fn has_taken_path(&self, id: DeletionId) -> bool {
        let namespaces = self.doomed_namespaces.values();
        let namespaces = namespaces.filter(|(of, _)| *of == id);
        let mut namespaces = namespaces.map(|(_, row)| &row.group.full_path);
        let projects = self.doomed_projects.values();
        let mut projects = projects
            .filter(|(of, _)| *of == id)
            .map(|(_, project)| project);
        namespaces.any(|path| self.path_is_taken(path))
            || projects.any(|project| {
                self.path_is_taken(&project.full_path)
                    || self.name_is_taken(project.namespace.id, &project.name, None)
            })
    }
}

impl DeletionRepository for MemoryWriteTx<'_> {
    fn doom_project(
        &mut self,
        project: Locked<Project>,
        new: &NewDeletion,
    ) -> Result<Deletion, StoreError> {
        let tables = &mut self.0.projects;
        let project = project.into_inner();
        let deletion = tables.insert_deletion(Doomed::Project(project.id), new);
        tables.projects.remove(project.id);
        tables
            .doomed_projects
            .insert(project.id, (deletion.id, project));
        Ok(deletion)
    }

    fn doom_group(
        &mut self,
        group: Locked<Group>,
        new: &NewDeletion,
    ) -> Result<Deletion, StoreError> {
        let tables = &mut self.0.projects;
        let deletion = tables.insert_deletion(Doomed::Group(group.id), new);
        let groups = tables.groups().map(|one| one.id);
        let below: Vec<NamespaceId> = groups
            .filter(|id| tables.is_within(*id, group.id))
            .collect();
        let inside = tables.projects.rows();
        let inside = inside.filter(|project| below.contains(&project.namespace.id));
        for id in inside.map(|project| project.id).collect::<Vec<_>>() {
            if let Some(project) = tables.projects.take(id) {
                tables.doomed_projects.insert(id, (deletion.id, project));
            }
        }
        for id in below {
            if let Some(row) = tables.namespaces.take(id) {
                tables.doomed_namespaces.insert(id, (deletion.id, row));
            }
        }
        Ok(deletion)
    }

    fn cancel_deletion(&mut self, id: DeletionId) -> Result<CancelDeletion, StoreError> {
        let tables = &mut self.0.projects;
        let found = tables.deletions.get(id).filter(|found| !found.started);
        let is_left = |found: &&Deletion| match found.doomed {
            Doomed::Project(project) => tables.is_homeless(project),
            Doomed::Group(group) => tables.is_orphan(group),
        };
        if found.is_none_or(|found| is_left(&found)) {
            return Ok(CancelDeletion::TooLate);
        }
        if tables.has_taken_path(id) {
            return Ok(CancelDeletion::PathTaken);
        }
        tables.deletions.remove(id);
        let namespaces = std::mem::take(&mut tables.doomed_namespaces);
        for (key, (of, row)) in namespaces {
            if of == id {
                tables.namespaces.put_back(key, row);
            } else {
                tables.doomed_namespaces.insert(key, (of, row));
            }
        }
        let projects = std::mem::take(&mut tables.doomed_projects);
        for (key, (of, project)) in projects {
            if of == id {
                tables.projects.put_back(key, project);
            } else {
                tables.doomed_projects.insert(key, (of, project));
            }
        }
        Ok(CancelDeletion::Cancelled)
    }

    fn start_deletion(&mut self, id: DeletionId, now: Timestamp) -> Result<bool, StoreError> {
        let deletion = self.0.projects.deletions.get_mut(id);
        let deletion = deletion.filter(|deletion| deletion.due_at <= now);
        Ok(deletion.map(|deletion| deletion.started = true).is_some())
    }

    fn delete_rows_of_project(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let state = &mut *self.0;
        if !state.projects.doomed_projects.contains_key(&project) {
            return Ok(0);
        }
        let mut left = limit;
        left -= state.notes.delete_of(project, left);
        left -= state.issues.delete_of(project, left);
        left -= state.labels.delete_of(project, left);
        left -= state.milestones.delete_of(project, left);
        left -= state.members.delete_of(MemberPlace::Project(project), left);
        if left > 0 {
            state.projects.doomed_projects.remove(&project);
            let of_project = |one: &Deletion| one.doomed == Doomed::Project(project);
            state
                .projects
                .deletions
                .remove_where(usize::MAX, of_project);
            left -= 1;
        }
        Ok(limit - left)
    }

    fn delete_groups_of(
        &mut self,
        deletion: DeletionId,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let state = &mut *self.0;
        let found = state.projects.deletions.get(deletion).copied();
        let Some(Doomed::Group(group)) = found.map(|found| found.doomed) else {
            return Ok(0);
        };
        let tables = &mut state.projects;
        let all = tables.doomed_namespaces.iter();
        let below = all.filter(|(id, _)| tables.is_doomed_within(**id, group));
        let mut below: Vec<(usize, NamespaceId)> = below
            .map(|(id, (_, row))| (row.group.full_path.as_str().len(), *id))
            .collect();
        // What is further in has the longer path.
        below.sort_unstable_by(|one, next| next.cmp(one));
        below.truncate(limit);
        for (_, id) in &below {
            state
                .members
                .delete_of(MemberPlace::Namespace(*id), usize::MAX);
            tables.doomed_namespaces.remove(id);
            let of_group = |one: &Deletion| one.doomed == Doomed::Group(*id);
            tables.deletions.remove_where(usize::MAX, of_group);
        }
        Ok(below.len())
    }
}
