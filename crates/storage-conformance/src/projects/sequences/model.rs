//! Existing places and their visibility, computed in the simplest way: by the words of the contract and without a
//! store.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use projects::{CancelDeletion, NamespaceKind, Viewer};

/// A day, counted from the first one of a sequence.
pub(super) type Day = i32;

/// A namespace.
#[derive(Debug)]
pub(super) struct Space {
    pub(super) id: NamespaceId,
    pub(super) kind: NamespaceKind,
    pub(super) parent: Option<usize>,
    pub(super) path: String,
    pub(super) visibility: Visibility,
    /// The pending deletion, as an index of the model's deletions.
    pub(super) deletion: Option<usize>,
    pub(super) is_gone: bool,
}

/// A project.
#[derive(Debug)]
pub(super) struct Thing {
    pub(super) id: ProjectId,
    pub(super) space: usize,
    pub(super) path: String,
    pub(super) name: String,
    pub(super) visibility: Visibility,
    pub(super) archived: bool,
    /// Number of issues.
    pub(super) issues: usize,
    pub(super) deletion: Option<usize>,
    pub(super) is_gone: bool,
}

/// A place in which roles are granted, and which can be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    Space(usize),
    Thing(usize),
}

/// A requested deletion.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) id: DeletionId,
    pub(super) of: Spot,
    pub(super) is_gone: bool,
}

/// A role or a share: the access level, and the first day on which it no longer counts.
pub(super) type Right = (AccessLevel, Option<Day>);

/// The whole model.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) today: Day,
    pub(super) spaces: Vec<Space>,
    pub(super) things: Vec<Thing>,
    pub(super) deletions: Vec<Asked>,
    pub(super) roles: BTreeMap<(Spot, UserId), Right>,
    pub(super) shares: BTreeMap<(usize, usize), Right>,
}

impl Model {
    /// Groups that exist, including those pending deletion.
    pub(super) fn groups(&self) -> Vec<usize> {
        let all = self.spaces.iter().enumerate();
        let groups = all.filter(|(_, one)| one.kind == NamespaceKind::Group && !one.is_gone);
        groups.map(|(index, _)| index).collect()
    }

    /// Groups that exist and are not pending deletion.
    pub(super) fn live_groups(&self) -> Vec<usize> {
        let mut groups = self.groups();
        groups.retain(|index| self.spaces[*index].deletion.is_none());
        groups
    }

    /// Namespaces of users, and groups that are not pending deletion.
    pub(super) fn live_spaces(&self) -> Vec<usize> {
        let all = 0..self.spaces.len();
        let is_live = |index: &usize| {
            let one = &self.spaces[*index];
            !one.is_gone && one.deletion.is_none()
        };
        all.filter(is_live).collect()
    }

    /// Projects that exist, including those pending deletion.
    pub(super) fn projects(&self) -> Vec<usize> {
        let all = 0..self.things.len();
        all.filter(|index| !self.things[*index].is_gone).collect()
    }

    /// Projects that exist and are not pending deletion.
    pub(super) fn live_projects(&self) -> Vec<usize> {
        let mut projects = self.projects();
        projects.retain(|index| self.things[*index].deletion.is_none());
        projects
    }

    /// A namespace and all its ancestors, the innermost first.
    pub(super) fn lineage(&self, space: usize) -> Vec<usize> {
        let above = |index: &usize| self.spaces[*index].parent;
        std::iter::successors(Some(space), above).collect()
    }

    pub(super) fn is_within(&self, space: usize, other: usize) -> bool {
        self.lineage(space).contains(&other)
    }

    /// The full path of a namespace.
    pub(super) fn path(&self, space: usize) -> String {
        let mut segments: Vec<&str> = Vec::new();
        for above in self.lineage(space) {
            segments.push(&self.spaces[above].path);
        }
        segments.reverse();
        segments.join("/")
    }

    /// The full path of a project.
    pub(super) fn project_path(&self, thing: usize) -> String {
        let thing = &self.things[thing];
        format!("{}/{}", self.path(thing.space), thing.path)
    }

    /// The full paths of all places that are not pending deletion, in lower case, except one.
    pub(super) fn taken_paths(&self, except: Option<Spot>) -> BTreeSet<String> {
        let spaces = self.live_spaces().into_iter();
        let spaces = spaces.map(|index| (Spot::Space(index), self.path(index)));
        let things = self.live_projects().into_iter();
        let things = things.map(|index| (Spot::Thing(index), self.project_path(index)));
        let others = spaces
            .chain(things)
            .filter(|(spot, _)| Some(*spot) != except);
        others.map(|(_, path)| path.to_lowercase()).collect()
    }

    pub(super) fn is_path_taken(&self, path: &str, except: Option<Spot>) -> bool {
        self.taken_paths(except).contains(&path.to_lowercase())
    }

    pub(super) fn is_name_taken(&self, space: usize, name: &str, except: Option<usize>) -> bool {
        let mut projects = self.live_projects().into_iter();
        projects.any(|index| {
            let one = &self.things[index];
            one.space == space && one.name == name && Some(index) != except
        })
    }

    pub(super) fn counts(&self, right: Right) -> bool {
        right.1.is_none_or(|day| self.today < day)
    }

    /// The role granted to a user directly in the place, if it has not expired.
    pub(super) fn given(&self, spot: Spot, user: UserId) -> Option<AccessLevel> {
        let right = self.roles.get(&(spot, user)).copied();
        Some(right.filter(|right| self.counts(*right))?.0)
    }

    /// The role of a user in a namespace, including inherited roles.
    pub(super) fn role_in(&self, space: usize, user: UserId) -> Option<AccessLevel> {
        let lineage = self.lineage(space).into_iter();
        lineage
            .filter_map(|above| self.given(Spot::Space(above), user))
            .max()
    }

    /// The role of a user in a project through shares.
    pub(super) fn shared_role(&self, thing: usize, user: UserId) -> Option<AccessLevel> {
        let shares = self.shares.iter();
        let its = shares.filter(|((of, _), right)| *of == thing && self.counts(**right));
        let carried = its.filter_map(|((_, group), right)| {
            let role = self.role_in(*group, user)?;
            Some(role.min(right.0))
        });
        carried.max()
    }

    /// The role of a user in a project.
    pub(super) fn role(&self, thing: usize, user: UserId) -> Option<AccessLevel> {
        let own = self.given(Spot::Thing(thing), user);
        let inherited = self.role_in(self.things[thing].space, user);
        own.max(inherited).max(self.shared_role(thing, user))
    }

    /// True if a viewer may see a project that is not pending deletion.
    pub(super) fn sees_project(&self, viewer: Viewer, thing: usize) -> bool {
        let visibility = self.things[thing].visibility;
        match viewer {
            Viewer::Anonymous => visibility == Visibility::Public,
            Viewer::Administrator(_) => true,
            Viewer::User(user) => {
                visibility != Visibility::Private || self.role(thing, user).is_some()
            }
        }
    }

    /// True if a viewer may see a group that is not pending deletion.
    pub(super) fn sees_group(&self, viewer: Viewer, space: usize) -> bool {
        let visibility = self.spaces[space].visibility;
        match viewer {
            Viewer::Anonymous => visibility == Visibility::Public,
            Viewer::Administrator(_) => true,
            Viewer::User(user) => {
                visibility != Visibility::Private
                    || self.role_in(space, user).is_some()
                    || self.is_known_from_below(space, user)
            }
        }
    }

    /// True if a user has a role in any live place within a group.
    fn is_known_from_below(&self, space: usize, user: UserId) -> bool {
        let mut groups = self.live_groups().into_iter();
        let mut projects = self.live_projects().into_iter();
        groups.any(|index| {
            self.is_within(index, space) && self.given(Spot::Space(index), user).is_some()
        }) || projects.any(|index| {
            self.is_within(self.things[index].space, space) && self.role(index, user).is_some()
        })
    }
}

impl Model {
    /// Expected outcome of cancelling a deletion.
    pub(super) fn cancellation(&self, number: usize) -> CancelDeletion {
        let above = match self.deletions[number].of {
            Spot::Space(index) => self.spaces[index].parent,
            Spot::Thing(index) => Some(self.things[index].space),
        };
        if above.is_some_and(|above| self.spaces[above].deletion.is_some()) {
            return CancelDeletion::TooLate;
        }
        let of_it = |deletion: Option<usize>| deletion == Some(number);
        let spaces = self.groups().into_iter();
        let mut spaces = spaces.filter(|index| of_it(self.spaces[*index].deletion));
        let things = self.projects().into_iter();
        let mut things = things.filter(|index| of_it(self.things[*index].deletion));
        let is_taken = spaces.any(|index| self.is_path_taken(&self.path(index), None))
            || things.any(|index| {
                let thing = &self.things[index];
                self.is_path_taken(&self.project_path(index), None)
                    || self.is_name_taken(thing.space, &thing.name, None)
            });
        if is_taken {
            CancelDeletion::PathTaken
        } else {
            CancelDeletion::Cancelled
        }
    }

    /// Restores the places of a deletion.
    pub(super) fn bring_back(&mut self, number: usize) {
        self.deletions[number].is_gone = true;
        let spaces = self.spaces.iter_mut().map(|one| &mut one.deletion);
        let things = self.things.iter_mut().map(|one| &mut one.deletion);
        for deletion in spaces.chain(things) {
            if *deletion == Some(number) {
                *deletion = None;
            }
        }
    }

    /// Completes a deletion: removes its place, with everything in it.
    pub(super) fn take_away(&mut self, of: Spot) {
        let spaces: Vec<usize> = match of {
            Spot::Space(group) => {
                let mut groups = self.groups();
                groups.retain(|index| self.is_within(*index, group));
                groups
            }
            Spot::Thing(_) => Vec::new(),
        };
        let mut things = self.projects();
        things.retain(|index| {
            of == Spot::Thing(*index) || spaces.contains(&self.things[*index].space)
        });
        for index in &spaces {
            self.spaces[*index].is_gone = true;
        }
        for index in &things {
            self.things[*index].is_gone = true;
        }
        let goes = |spot: Spot| match spot {
            Spot::Space(index) => spaces.contains(&index),
            Spot::Thing(index) => things.contains(&index),
        };
        self.roles.retain(|(spot, _), _| !goes(*spot));
        self.shares
            .retain(|(thing, space), _| !things.contains(thing) && !spaces.contains(space));
        for deletion in self.deletions.iter_mut().filter(|one| goes(one.of)) {
            deletion.is_gone = true;
        }
    }
}
