//! What each step does to the store and to the model, and whether the store says the same of it.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use projects::{
    CancelDeletion, Deletion, Doomed, InsertNamespace, InsertProject, NewDeletion, NewNamespace,
    NewProject, ProjectChange, ProjectContent, ProjectWriteTx, SaveGroup, SaveProject,
};
use storage::StoreError;

use super::model::{Asked, Space, Spot, Thing};
use super::step::Step;
use super::world::{World, choice, name_of, path_of, visibility_of};
use crate::broken::{Broken, Verdict, check, same};
use crate::projects::{group, project};
use crate::store_traits::Projects;

/// A deletion that somebody asks for, due at once.
pub(super) fn deletion_by(user: UserId, now: Timestamp) -> NewDeletion {
    NewDeletion {
        requested_by: user,
        requested_at: now,
        due_at: now,
    }
}

/// Carries a deletion out, a few rows at a time.
pub(super) fn carry_out(
    tx: &mut dyn ProjectWriteTx,
    deletion: &Deletion,
    limit: usize,
) -> Result<(), StoreError> {
    if !tx.start_deletion(deletion.id, Timestamp::MAX)? {
        return Ok(());
    }
    while let Some(project) = tx.find_project_to_delete(deletion.id)? {
        tx.delete_rows_of_project(project, limit)?;
    }
    if let Doomed::Group(_) = deletion.doomed {
        while tx.delete_groups_of(deletion.id, limit)? > 0 {}
    }
    Ok(())
}

/// What became of a change: whether the place was there, and whether its path or its name was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Saved {
    Done,
    PathTaken,
    NameTaken,
    Absent,
}

impl<S: Projects> World<'_, S> {
    /// Does a step.
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
        let parent = (parent % 3 > 0).then(|| choice(parent, &parents)).flatten();
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
        let role = (api_conventions::access::AccessLevel::Owner, None);
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
            deletion: None,
            is_gone: false,
        }));
        Ok(())
    }

    /// What becomes of a project that is to have a path and a name.
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
        let to = (to % 4 > 0).then(|| choice(to, &places)).flatten();
        // No group is put into itself: the caller sees to that.
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
        visibility: api_conventions::access::Visibility,
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
            // A project may be in a group that was found to be there, and in no other.
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

    fn doom_group(&mut self, number: u8) -> Verdict {
        let Some(index) = choice(number, &self.model.groups()) else {
            return Ok(());
        };
        let (id, new) = (
            self.model.spaces[index].id,
            deletion_by(self.people[0], self.now()),
        );
        let deletion = self.write(move |tx| {
            let locked = tx.lock_group(id, &[])?;
            locked.map(|locked| tx.doom_group(locked, &new)).transpose()
        })?;
        let own = Spot::Space(index);
        same(
            "that the group can be deleted",
            &deletion.is_some(),
            &self.is_live(own),
        )?;
        let Some(deletion) = deletion else {
            return Ok(());
        };
        let number = self.ask(deletion, own);
        for space in self.model.live_groups() {
            if self.model.is_within(space, index) {
                self.model.spaces[space].deletion = Some(number);
            }
        }
        for thing in self.model.live_projects() {
            if self.model.is_within(self.model.things[thing].space, index) {
                self.model.things[thing].deletion = Some(number);
            }
        }
        Ok(())
    }

    fn doom_project(&mut self, number: u8) -> Verdict {
        let Some(index) = choice(number, &self.model.projects()) else {
            return Ok(());
        };
        let (id, new) = (
            self.model.things[index].id,
            deletion_by(self.people[0], self.now()),
        );
        let deletion = self.write(move |tx| {
            let locked = tx.lock_project(id, &[])?;
            locked
                .map(|locked| tx.doom_project(locked, &new))
                .transpose()
        })?;
        let own = Spot::Thing(index);
        same(
            "that the project can be deleted",
            &deletion.is_some(),
            &self.is_live(own),
        )?;
        if let Some(deletion) = deletion {
            self.model.things[index].deletion = Some(self.ask(deletion, own));
        }
        Ok(())
    }

    fn ask(&mut self, deletion: Deletion, of: Spot) -> usize {
        self.model.deletions.push(Asked {
            id: deletion.id,
            of,
            is_gone: false,
        });
        self.model.deletions.len() - 1
    }

    /// A deletion that was asked for and is neither cancelled nor done.
    fn asked(&self, number: u8) -> Option<usize> {
        let all = 0..self.model.deletions.len();
        let open: Vec<usize> = all
            .filter(|index| !self.model.deletions[*index].is_gone)
            .collect();
        choice(number, &open)
    }

    fn cancel(&mut self, number: u8) -> Verdict {
        let Some(number) = self.asked(number) else {
            return Ok(());
        };
        let id = self.model.deletions[number].id;
        let wanted = self.model.cancellation(number);
        let cancelled = self.write(move |tx| tx.cancel_deletion(id))?;
        same("what became of a cancellation", &cancelled, &wanted)?;
        if cancelled == CancelDeletion::Cancelled {
            self.model.bring_back(number);
        }
        Ok(())
    }

    fn carry_out(&mut self, number: u8, limit: u8) -> Verdict {
        let Some(number) = self.asked(number) else {
            return Ok(());
        };
        let asked = &self.model.deletions[number];
        let doomed = match asked.of {
            Spot::Space(index) => Doomed::Group(self.model.spaces[index].id),
            Spot::Thing(index) => Doomed::Project(self.model.things[index].id),
        };
        let limit = usize::from(limit % 3) + 1;
        let left = self.write(move |tx| {
            if let Some(deletion) = tx.find_deletion(doomed)? {
                carry_out(tx, &deletion, limit)?;
                return tx.find_deletion(doomed);
            }
            Err(StoreError::inconsistent(
                "deletions",
                0,
                "asked for, but not found",
            ))
        })?;
        check(left.is_none(), || {
            format!("{doomed:?} was deleted, but its deletion is still there")
        })?;
        let of = asked.of;
        self.model.take_away(of);
        Ok(())
    }
}
