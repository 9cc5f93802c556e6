//! Effect of each step on the store and on the model, and the check that both agree.

use api_conventions::access::{AccessLevel, Visibility};
use projects::{
    InsertNamespace, InsertProject, NewNamespace, NewProject, ProjectChange, ProjectContent,
    SaveGroup, SaveProject,
};
use storage::StoreError;

use super::model::{ModelNamespace, ModelPlace, ModelProject};
use super::step::SequenceStep;
use super::world::{World, choose, name_of, path_of, visibility_of};
use crate::broken_promise::{BrokenPromise, Verdict, same};
use crate::projects::{group, project};

/// Outcome of a change: saved, place missing, or path or name taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeOutcome {
    Done,
    PathTaken,
    NameTaken,
    TooDeep,
    Absent,
}

impl World<'_> {
    /// Plays a step.
    pub(super) fn play(&mut self, step: &SequenceStep) -> Verdict {
        match *step {
            SequenceStep::CreateGroup { .. } => self.create_group(step),
            SequenceStep::CreateProject { .. } => self.create_project(step),
            SequenceStep::RenameGroup {
                group,
                path,
                visibility,
            } => self.rename_group(group, path, visibility),
            SequenceStep::MoveGroup { group, to } => self.move_group(group, to),
            SequenceStep::ChangeProject { .. } => self.change_project(step),
            SequenceStep::MoveProject { project, to } => self.move_project(project, to),
            SequenceStep::ScheduleGroupDeletion(number) => self.schedule_group_deletion(number),
            SequenceStep::ScheduleProjectDeletion(number) => self.schedule_project_deletion(number),
            SequenceStep::Cancel(number) => self.cancel(number),
            SequenceStep::RunDeletion { deletion, limit } => self.run_deletion(deletion, limit),
            SequenceStep::Fill(project) => self.fill(project),
            SequenceStep::NextDay => {
                self.model.today += 1;
                Ok(())
            }
            _ => self.play_roles(step),
        }
    }

    fn create_group(&mut self, step: &SequenceStep) -> Verdict {
        let SequenceStep::CreateGroup {
            parent,
            path,
            visibility,
            owner,
        } = *step
        else {
            return Ok(());
        };
        let parents = self.model.live_groups();
        let parent = (!parent.is_multiple_of(3))
            .then(|| choose(parent, &parents))
            .flatten();
        let (path, owner) = (path_of(path), self.user(owner));
        let full_path = parent.map_or_else(
            || path.to_owned(),
            |parent| format!("{}/{path}", self.model.path(parent)),
        );
        let new = NewNamespace {
            visibility: visibility_of(visibility),
            created_at: self.now(),
            ..group(path, owner)
        };
        let parent_id = parent.map(|parent| self.model.namespaces[parent].id);
        let visibility = new.visibility;
        let created = self.write(move |tx| {
            let parent = match parent_id {
                Some(id) => tx.find_namespace_by_id(id)?,
                None => None,
            };
            tx.insert_namespace(&NewNamespace {
                parent,
                ..new.clone()
            })
        })?;
        let is_taken = self.model.is_path_taken(&full_path, None);
        let is_refused = created == InsertNamespace::PathTaken;
        same(
            &format!("the conflict for {full_path}"),
            &is_refused,
            &is_taken,
        )?;
        let InsertNamespace::Inserted(created) = created else {
            return Ok(());
        };
        let index = self.model.namespaces.len();
        self.model.namespaces.push(ModelNamespace {
            id: created.id,
            kind: created.kind,
            parent,
            path: path.to_owned(),
            visibility,
            deletion: None,
            is_removed: false,
        });
        let role = (AccessLevel::Owner, None);
        self.model
            .roles
            .insert((ModelPlace::Namespace(index), owner), role);
        Ok(())
    }

    fn create_project(&mut self, step: &SequenceStep) -> Verdict {
        let SequenceStep::CreateProject {
            namespace,
            path,
            name,
            visibility,
            creator,
        } = *step
        else {
            return Ok(());
        };
        let Some(namespace) = choose(namespace, &self.model.live_namespaces()) else {
            return Ok(());
        };
        let (path, name, creator) = (path_of(path), name_of(name), self.user(creator));
        let visibility = visibility_of(visibility);
        let (id, now) = (self.model.namespaces[namespace].id, self.now());
        let created = self.write(move |tx| {
            let namespace = tx.find_namespace_by_id(id)?;
            let not_found = || StoreError::inconsistent("namespaces", id, "not found, but exists");
            let new = NewProject {
                name: name.to_owned(),
                visibility,
                created_at: now,
                ..project(&namespace.ok_or_else(not_found)?, path, creator)
            };
            tx.insert_project(&new)
        })?;
        let full_path = format!("{}/{path}", self.model.path(namespace));
        let expected = self.expected(namespace, &full_path, name, None);
        let (saved, id) = match created {
            InsertProject::Inserted(created) => (ChangeOutcome::Done, Some(created.id)),
            InsertProject::PathTaken => (ChangeOutcome::PathTaken, None),
            InsertProject::NameTaken => (ChangeOutcome::NameTaken, None),
        };
        same(&format!("the outcome for {full_path}"), &saved, &expected)?;
        self.model.projects.extend(id.map(|id| ModelProject {
            id,
            namespace,
            path: path.to_owned(),
            name: name.to_owned(),
            visibility,
            archived: false,
            issues: 0,
            deletion: None,
            is_removed: false,
        }));
        Ok(())
    }

    /// Expected outcome for a project with this path and name.
    fn expected(
        &self,
        namespace: usize,
        path: &str,
        name: &str,
        own: Option<usize>,
    ) -> ChangeOutcome {
        if self.model.is_path_taken(path, own.map(ModelPlace::Project)) {
            ChangeOutcome::PathTaken
        } else if self.model.is_name_taken(namespace, name, own) {
            ChangeOutcome::NameTaken
        } else {
            ChangeOutcome::Done
        }
    }

    fn rename_group(&mut self, number: u8, path: u8, visibility: u8) -> Verdict {
        let Some(index) = choose(number, &self.model.groups()) else {
            return Ok(());
        };
        let parent = self.model.namespaces[index].parent;
        let (path, visibility) = (path_of(path), visibility_of(visibility));
        if self.save_group(index, parent, path, visibility)? == ChangeOutcome::Done {
            let namespace = &mut self.model.namespaces[index];
            namespace.path = path.to_owned();
            namespace.visibility = visibility;
        }
        Ok(())
    }

    fn move_group(&mut self, number: u8, to: u8) -> Verdict {
        let Some(index) = choose(number, &self.model.groups()) else {
            return Ok(());
        };
        let places = self.model.live_groups();
        let to = (!to.is_multiple_of(4))
            .then(|| choose(to, &places))
            .flatten();
        // Skipped: callers of the store ensure that no group is moved into itself.
        if to.is_some_and(|to| self.model.is_within(to, index)) {
            return Ok(());
        }
        let namespace = &self.model.namespaces[index];
        let (path, visibility) = (namespace.path.clone(), namespace.visibility);
        if self.save_group(index, to, &path, visibility)? == ChangeOutcome::Done {
            self.model.namespaces[index].parent = to;
        }
        Ok(())
    }

    fn save_group(
        &self,
        index: usize,
        parent: Option<usize>,
        path: &str,
        visibility: Visibility,
    ) -> Result<ChangeOutcome, BrokenPromise> {
        let id = self.model.namespaces[index].id;
        let parent_id = parent.map(|parent| self.model.namespaces[parent].id);
        let (now, segment) = (self.now(), path.to_owned());
        let saved = self.write(move |tx| {
            let others: Vec<_> = parent_id.into_iter().collect();
            let Some(locked) = tx.lock_group(id, &others)? else {
                return Ok(ChangeOutcome::Absent);
            };
            let parent = match parent_id {
                Some(id) => tx.find_namespace_by_id(id)?,
                None => None,
            };
            let mut content = locked.content.clone();
            content.path.clone_from(&segment);
            content.visibility = visibility;
            let saved = tx.update_group(locked, &content, parent.as_ref(), now)?;
            Ok(match saved {
                SaveGroup::Saved(_) => ChangeOutcome::Done,
                SaveGroup::PathTaken => ChangeOutcome::PathTaken,
                SaveGroup::TooDeep => ChangeOutcome::TooDeep,
            })
        })?;
        let above = parent.map(|parent| format!("{}/", self.model.path(parent)));
        let full_path = format!("{}{path}", above.unwrap_or_default());
        let own = ModelPlace::Namespace(index);
        let expected = if !self.is_live(own) {
            ChangeOutcome::Absent
        } else if self.model.is_path_taken(&full_path, Some(own)) {
            ChangeOutcome::PathTaken
        } else {
            ChangeOutcome::Done
        };
        same(&format!("the outcome for {full_path}"), &saved, &expected)?;
        Ok(saved)
    }

    fn change_project(&mut self, step: &SequenceStep) -> Verdict {
        let SequenceStep::ChangeProject {
            project,
            path,
            name,
            archived,
        } = *step
        else {
            return Ok(());
        };
        let Some(index) = choose(project, &self.model.projects()) else {
            return Ok(());
        };
        let namespace = self.model.projects[index].namespace;
        let (path, name) = (path_of(path), name_of(name));
        if self.save_project(index, namespace, path, name, archived)? == ChangeOutcome::Done {
            let project = &mut self.model.projects[index];
            (project.path, project.name) = (path.to_owned(), name.to_owned());
            project.archived = archived;
        }
        Ok(())
    }

    fn move_project(&mut self, number: u8, to: u8) -> Verdict {
        let places = self.model.live_namespaces();
        let index = choose(number, &self.model.projects());
        let (Some(index), Some(to)) = (index, choose(to, &places)) else {
            return Ok(());
        };
        let project = &self.model.projects[index];
        let (path, name) = (project.path.clone(), project.name.clone());
        if self.save_project(index, to, &path, &name, project.archived)? == ChangeOutcome::Done {
            self.model.projects[index].namespace = to;
        }
        Ok(())
    }

    fn save_project(
        &self,
        index: usize,
        namespace: usize,
        path: &str,
        name: &str,
        archived: bool,
    ) -> Result<ChangeOutcome, BrokenPromise> {
        let (id, to, now) = (
            self.model.projects[index].id,
            self.model.namespaces[namespace].id,
            self.now(),
        );
        let (segment, title) = (path.to_owned(), name.to_owned());
        let saved = self.write(move |tx| {
            let Some(locked) = tx.lock_project(id, &[to])? else {
                return Ok(ChangeOutcome::Absent);
            };
            // A project may only be moved into a group that was found.
            let Some(namespace) = tx.find_namespace_by_id(to)? else {
                return Ok(ChangeOutcome::Absent);
            };
            let content = ProjectContent {
                path: segment.clone(),
                name: title.clone(),
                ..locked.content()
            };
            let change = ProjectChange {
                content,
                namespace,
                archived,
            };
            Ok(match tx.update_project(locked, &change, now)? {
                SaveProject::Saved(_) => ChangeOutcome::Done,
                SaveProject::PathTaken => ChangeOutcome::PathTaken,
                SaveProject::NameTaken => ChangeOutcome::NameTaken,
            })
        })?;
        let full_path = format!("{}/{path}", self.model.path(namespace));
        let expected = if self.is_live(ModelPlace::Project(index)) {
            self.expected(namespace, &full_path, name, Some(index))
        } else {
            ChangeOutcome::Absent
        };
        same(&format!("the outcome for {full_path}"), &saved, &expected)?;
        Ok(saved)
    }
}
