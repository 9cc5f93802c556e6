//! Effect of each step on the store and on the model, and the check that both agree.

use api_conventions::access::{AccessLevel, Visibility};
use projects::{
    InsertNamespace, InsertProject, NewNamespace, NewProject, ProjectChange, ProjectContent,
    SaveGroup, SaveProject,
};
use storage::StoreError;

use super::model::{Space, Spot, Thing};
use super::step::Step;
use super::world::{World, choice, name_of, path_of, visibility_of};
use crate::broken::{Broken, Verdict, same};
use crate::projects::{group, project};

/// Outcome of a change: saved, place missing, or path or name taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saved {
    Done,
    PathTaken,
    NameTaken,
    TooDeep,
    Absent,
}

impl World<'_> {
    /// Plays a step.
    pub(super) fn play(&mut self, step: &Step) -> Verdict {
        match *step {
            Step::MakeGroup { .. } => self.make_group(step),
            Step::MakeProject { .. } => self.make_project(step),
            Step::RenameGroup {
                group,
                path,
                visibility,
            } => self.rename_group(group, path, visibility),
            Step::MoveGroup { group, to } => self.move_group(group, to),
            Step::ChangeProject { .. } => self.change_project(step),
            Step::MoveProject { project, to } => self.move_project(project, to),
            Step::DoomGroup(number) => self.doom_group(number),
            Step::DoomProject(number) => self.doom_project(number),
            Step::Cancel(number) => self.cancel(number),
            Step::CarryOut { deletion, limit } => self.carry_out(deletion, limit),
            Step::Fill(project) => self.fill(project),
            Step::NextDay => {
                self.model.today += 1;
                Ok(())
            }
            _ => self.play_rights(step),
        }
    }

    fn make_group(&mut self, step: &Step) -> Verdict {
        let Step::MakeGroup {
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
            .then(|| choice(parent, &parents))
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
        let parent_id = parent.map(|parent| self.model.spaces[parent].id);
        let visibility = new.visibility;
        let made = self.write(move |tx| {
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
        let is_refused = made == InsertNamespace::PathTaken;
        same(
            &format!("that {full_path} is taken"),
            &is_refused,
            &is_taken,
        )?;
        let InsertNamespace::Inserted(made) = made else {
            return Ok(());
        };
        let index = self.model.spaces.len();
        self.model.spaces.push(Space {
            id: made.id,
            kind: made.kind,
            parent,
            path: path.to_owned(),
            visibility,
            deletion: None,
            is_gone: false,
        });
        let role = (AccessLevel::Owner, None);
        self.model.roles.insert((Spot::Space(index), owner), role);
        Ok(())
    }

    fn make_project(&mut self, step: &Step) -> Verdict {
        let Step::MakeProject {
            namespace,
            path,
            name,
            visibility,
            creator,
        } = *step
        else {
            return Ok(());
        };
        let Some(space) = choice(namespace, &self.model.live_spaces()) else {
            return Ok(());
        };
        let (path, name, creator) = (path_of(path), name_of(name), self.user(creator));
        let visibility = visibility_of(visibility);
        let (id, now) = (self.model.spaces[space].id, self.now());
        let made = self.write(move |tx| {
            let namespace = tx.find_namespace_by_id(id)?;
            let gone = || StoreError::inconsistent("namespaces", id, "not found, but there");
            let new = NewProject {
                name: name.to_owned(),
                visibility,
                created_at: now,
                ..project(&namespace.ok_or_else(gone)?, path, creator)
            };
            tx.insert_project(&new)
        })?;
        let full_path = format!("{}/{path}", self.model.path(space));
        let wanted = self.expected(space, &full_path, name, None);
        let (saved, id) = match made {
            InsertProject::Inserted(made) => (Saved::Done, Some(made.id)),
            InsertProject::PathTaken => (Saved::PathTaken, None),
            InsertProject::NameTaken => (Saved::NameTaken, None),
        };
        same(&format!("what became of {full_path}"), &saved, &wanted)?;
        self.model.things.extend(id.map(|id| Thing {
            id,
            space,
            path: path.to_owned(),
            name: name.to_owned(),
            visibility,
            archived: false,
            issues: 0,
            deletion: None,
            is_gone: false,
        }));
        Ok(())
    }

    /// Expected outcome for a project with this path and name.
    fn expected(&self, space: usize, path: &str, name: &str, own: Option<usize>) -> Saved {
        if self.model.is_path_taken(path, own.map(Spot::Thing)) {
            Saved::PathTaken
        } else if self.model.is_name_taken(space, name, own) {
            Saved::NameTaken
        } else {
            Saved::Done
        }
    }

    fn rename_group(&mut self, number: u8, path: u8, visibility: u8) -> Verdict {
        let Some(index) = choice(number, &self.model.groups()) else {
            return Ok(());
        };
        let parent = self.model.spaces[index].parent;
        let (path, visibility) = (path_of(path), visibility_of(visibility));
        if self.save_group(index, parent, path, visibility)? == Saved::Done {
            let space = &mut self.model.spaces[index];
            space.path = path.to_owned();
            space.visibility = visibility;
        }
        Ok(())
    }

    fn move_group(&mut self, number: u8, to: u8) -> Verdict {
        let Some(index) = choice(number, &self.model.groups()) else {
            return Ok(());
        };
        let places = self.model.live_groups();
        let to = (!to.is_multiple_of(4))
            .then(|| choice(to, &places))
            .flatten();
        // Skipped: callers of the store ensure that no group is moved into itself.
        if to.is_some_and(|to| self.model.is_within(to, index)) {
            return Ok(());
        }
        let space = &self.model.spaces[index];
        let (path, visibility) = (space.path.clone(), space.visibility);
        if self.save_group(index, to, &path, visibility)? == Saved::Done {
            self.model.spaces[index].parent = to;
        }
        Ok(())
    }

    fn save_group(
        &self,
        index: usize,
        parent: Option<usize>,
        path: &str,
        visibility: Visibility,
    ) -> Result<Saved, Broken> {
        let id = self.model.spaces[index].id;
        let parent_id = parent.map(|parent| self.model.spaces[parent].id);
        let (now, segment) = (self.now(), path.to_owned());
        let saved = self.write(move |tx| {
            let others: Vec<_> = parent_id.into_iter().collect();
            let Some(locked) = tx.lock_group(id, &others)? else {
                return Ok(Saved::Absent);
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
                SaveGroup::Saved(_) => Saved::Done,
                SaveGroup::PathTaken => Saved::PathTaken,
                SaveGroup::TooDeep => Saved::TooDeep,
            })
        })?;
        let above = parent.map(|parent| format!("{}/", self.model.path(parent)));
        let full_path = format!("{}{path}", above.unwrap_or_default());
        let own = Spot::Space(index);
        let wanted = if !self.is_live(own) {
            Saved::Absent
        } else if self.model.is_path_taken(&full_path, Some(own)) {
            Saved::PathTaken
        } else {
            Saved::Done
        };
        same(&format!("what became of {full_path}"), &saved, &wanted)?;
        Ok(saved)
    }

    fn change_project(&mut self, step: &Step) -> Verdict {
        let Step::ChangeProject {
            project,
            path,
            name,
            archived,
        } = *step
        else {
            return Ok(());
        };
        let Some(index) = choice(project, &self.model.projects()) else {
            return Ok(());
        };
        let space = self.model.things[index].space;
        let (path, name) = (path_of(path), name_of(name));
        if self.save_project(index, space, (path, name), archived)? == Saved::Done {
            let thing = &mut self.model.things[index];
            (thing.path, thing.name) = (path.to_owned(), name.to_owned());
            thing.archived = archived;
        }
        Ok(())
    }

    fn move_project(&mut self, number: u8, to: u8) -> Verdict {
        let places = self.model.live_spaces();
        let index = choice(number, &self.model.projects());
        let (Some(index), Some(to)) = (index, choice(to, &places)) else {
            return Ok(());
        };
        let thing = &self.model.things[index];
        let (path, name) = (thing.path.clone(), thing.name.clone());
        if self.save_project(index, to, (&path, &name), thing.archived)? == Saved::Done {
            self.model.things[index].space = to;
        }
        Ok(())
    }

    fn save_project(
        &self,
        index: usize,
        space: usize,
        (path, name): (&str, &str),
        archived: bool,
    ) -> Result<Saved, Broken> {
        let (id, to, now) = (
            self.model.things[index].id,
            self.model.spaces[space].id,
            self.now(),
        );
        let (segment, title) = (path.to_owned(), name.to_owned());
        let saved = self.write(move |tx| {
            let Some(locked) = tx.lock_project(id, &[to])? else {
                return Ok(Saved::Absent);
            };
            // A project may only be moved into a group that was found.
            let Some(namespace) = tx.find_namespace_by_id(to)? else {
                return Ok(Saved::Absent);
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
                SaveProject::Saved(_) => Saved::Done,
                SaveProject::PathTaken => Saved::PathTaken,
                SaveProject::NameTaken => Saved::NameTaken,
            })
        })?;
        let full_path = format!("{}/{path}", self.model.path(space));
        let wanted = if self.is_live(Spot::Thing(index)) {
            self.expected(space, &full_path, name, Some(index))
        } else {
            Saved::Absent
        };
        same(&format!("what became of {full_path}"), &saved, &wanted)?;
        Ok(saved)
    }
}
