//! Existing places and their visibility, computed in the simplest way: by the words of the contract and without a
//! store.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use projects::{CancelDeletion, NamespaceKind, Viewer};

/// A day, counted from the first one of a sequence.
pub(super) type ModelDay = i32;

/// A namespace.
#[derive(Debug)]
pub(super) struct ModelNamespace {
    pub(super) id: NamespaceId,
    pub(super) kind: NamespaceKind,
    pub(super) parent: Option<usize>,
    pub(super) path: String,
    pub(super) visibility: Visibility,
    /// The pending deletion, as an index of the model's deletions.
    pub(super) deletion: Option<usize>,
    pub(super) is_removed: bool,
}

/// A project.
#[derive(Debug)]
pub(super) struct ModelProject {
    pub(super) id: ProjectId,
    pub(super) namespace: usize,
    pub(super) path: String,
    pub(super) name: String,
    pub(super) visibility: Visibility,
    pub(super) archived: bool,
    /// Number of issues.
    pub(super) issues: usize,
    pub(super) deletion: Option<usize>,
    pub(super) is_removed: bool,
}

/// A place in which roles are granted, and which can be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ModelPlace {
    Namespace(usize),
    Project(usize),
}

/// A requested deletion.
#[derive(Debug)]
pub(super) struct RequestedDeletion {
    pub(super) id: DeletionId,
    pub(super) of: ModelPlace,
    pub(super) is_removed: bool,
}

/// A role or a share: the access level, and the first day on which it no longer counts.
pub(super) type ModelRole = (AccessLevel, Option<ModelDay>);

/// The whole model.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) today: ModelDay,
    pub(super) namespaces: Vec<ModelNamespace>,
    pub(super) projects: Vec<ModelProject>,
    pub(super) deletions: Vec<RequestedDeletion>,
    pub(super) roles: BTreeMap<(ModelPlace, UserId), ModelRole>,
    pub(super) shares: BTreeMap<(usize, usize), ModelRole>,
}

impl Model {
    /// Groups that exist, including those pending deletion.
    pub(super) fn groups(&self) -> Vec<usize> {
        let all = self.namespaces.iter().enumerate();
        let groups = all.filter(|(_, one)| one.kind == NamespaceKind::Group && !one.is_removed);
        groups.map(|(index, _)| index).collect()
    }

    /// Groups that exist and are not pending deletion.
    pub(super) fn live_groups(&self) -> Vec<usize> {
        let mut groups = self.groups();
        groups.retain(|index| self.namespaces[*index].deletion.is_none());
        groups
    }

    /// Namespaces of users, and groups that are not pending deletion.
    pub(super) fn live_namespaces(&self) -> Vec<usize> {
        let all = 0..self.namespaces.len();
        let is_live = |index: &usize| {
            let one = &self.namespaces[*index];
            !one.is_removed && one.deletion.is_none()
        };
        all.filter(is_live).collect()
    }

    /// Projects that exist, including those pending deletion.
    pub(super) fn projects(&self) -> Vec<usize> {
        let all = 0..self.projects.len();
        all.filter(|index| !self.projects[*index].is_removed)
            .collect()
    }

    /// Projects that exist and are not pending deletion.
    pub(super) fn live_projects(&self) -> Vec<usize> {
        let mut projects = self.projects();
        projects.retain(|index| self.projects[*index].deletion.is_none());
        projects
    }

    /// A namespace and all its ancestors, the innermost first.
    pub(super) fn lineage(&self, namespace: usize) -> Vec<usize> {
        let above = |index: &usize| self.namespaces[*index].parent;
        std::iter::successors(Some(namespace), above).collect()
    }

    pub(super) fn is_within(&self, namespace: usize, other: usize) -> bool {
        self.lineage(namespace).contains(&other)
    }

    /// The full path of a namespace.
    pub(super) fn path(&self, namespace: usize) -> String {
        let mut segments: Vec<&str> = Vec::new();
        for above in self.lineage(namespace) {
            segments.push(&self.namespaces[above].path);
        }
        segments.reverse();
        segments.join("/")
    }

    /// The full path of a project.
    pub(super) fn project_path(&self, project: usize) -> String {
        let project = &self.projects[project];
        format!("{}/{}", self.path(project.namespace), project.path)
    }

    /// The full paths of all places that are not pending deletion, in lower case, except one.
    pub(super) fn taken_paths(&self, except: Option<ModelPlace>) -> BTreeSet<String> {
        let namespaces = self.live_namespaces().into_iter();
        let namespaces = namespaces.map(|index| (ModelPlace::Namespace(index), self.path(index)));
        let projects = self.live_projects().into_iter();
        let projects = projects.map(|index| (ModelPlace::Project(index), self.project_path(index)));
        let others = namespaces
            .chain(projects)
            .filter(|(place, _)| Some(*place) != except);
        others.map(|(_, path)| path.to_lowercase()).collect()
    }

    pub(super) fn is_path_taken(&self, path: &str, except: Option<ModelPlace>) -> bool {
        self.taken_paths(except).contains(&path.to_lowercase())
    }

    pub(super) fn is_name_taken(
        &self,
        namespace: usize,
        name: &str,
        except: Option<usize>,
    ) -> bool {
        let mut projects = self.live_projects().into_iter();
        projects.any(|index| {
            let one = &self.projects[index];
            one.namespace == namespace && one.name == name && Some(index) != except
        })
    }

    pub(super) fn counts(&self, granted: ModelRole) -> bool {
        granted.1.is_none_or(|day| self.today < day)
    }

    /// The role granted to a user directly in the place, if it has not expired.
    pub(super) fn given(&self, place: ModelPlace, user: UserId) -> Option<AccessLevel> {
        let granted = self.roles.get(&(place, user)).copied();
        Some(granted.filter(|granted| self.counts(*granted))?.0)
    }

    /// The role of a user in a namespace, including inherited roles.
    pub(super) fn role_in(&self, namespace: usize, user: UserId) -> Option<AccessLevel> {
        let lineage = self.lineage(namespace).into_iter();
        lineage
            .filter_map(|above| self.given(ModelPlace::Namespace(above), user))
            .max()
    }

    /// The role of a user in a project through shares.
    pub(super) fn shared_role(&self, project: usize, user: UserId) -> Option<AccessLevel> {
        let shares = self.shares.iter();
        let its = shares.filter(|((of, _), granted)| *of == project && self.counts(**granted));
        let carried = its.filter_map(|((_, group), granted)| {
            let role = self.role_in(*group, user)?;
            Some(role.min(granted.0))
        });
        carried.max()
    }

    /// The role of a user in a project.
    pub(super) fn role(&self, project: usize, user: UserId) -> Option<AccessLevel> {
        let own = self.given(ModelPlace::Project(project), user);
        let inherited = self.role_in(self.projects[project].namespace, user);
        own.max(inherited).max(self.shared_role(project, user))
    }

    /// True if a viewer may see a project that is not pending deletion.
    pub(super) fn sees_project(&self, viewer: Viewer, project: usize) -> bool {
        let visibility = self.projects[project].visibility;
        match viewer {
            Viewer::Anonymous => visibility == Visibility::Public,
            Viewer::Administrator(_) => true,
            Viewer::User(user) => {
                visibility != Visibility::Private || self.role(project, user).is_some()
            }
        }
    }

    /// True if a viewer may see a group that is not pending deletion.
    pub(super) fn sees_group(&self, viewer: Viewer, namespace: usize) -> bool {
        let visibility = self.namespaces[namespace].visibility;
        match viewer {
            Viewer::Anonymous => visibility == Visibility::Public,
            Viewer::Administrator(_) => true,
            Viewer::User(user) => {
                visibility != Visibility::Private
                    || self.role_in(namespace, user).is_some()
                    || self.is_known_from_below(namespace, user)
            }
        }
    }

    /// True if a user has a role in any live place within a group.
    fn is_known_from_below(&self, namespace: usize, user: UserId) -> bool {
        let mut groups = self.live_groups().into_iter();
        let mut projects = self.live_projects().into_iter();
        groups.any(|index| {
            self.is_within(index, namespace)
                && self.given(ModelPlace::Namespace(index), user).is_some()
        }) || projects.any(|index| {
            self.is_within(self.projects[index].namespace, namespace)
                && self.role(index, user).is_some()
        })
    }
}

impl Model {
    /// Expected outcome of cancelling a deletion.
    pub(super) fn cancellation(&self, number: usize) -> CancelDeletion {
        let above = match self.deletions[number].of {
            ModelPlace::Namespace(index) => self.namespaces[index].parent,
            ModelPlace::Project(index) => Some(self.projects[index].namespace),
        };
        if above.is_some_and(|above| self.namespaces[above].deletion.is_some()) {
            return CancelDeletion::TooLate;
        }
        let of_it = |deletion: Option<usize>| deletion == Some(number);
        let namespaces = self.groups().into_iter();
        let mut namespaces = namespaces.filter(|index| of_it(self.namespaces[*index].deletion));
        let projects = self.projects().into_iter();
        let mut projects = projects.filter(|index| of_it(self.projects[*index].deletion));
        let is_taken = namespaces.any(|index| self.is_path_taken(&self.path(index), None))
            || projects.any(|index| {
                let project = &self.projects[index];
                self.is_path_taken(&self.project_path(index), None)
                    || self.is_name_taken(project.namespace, &project.name, None)
            });
        if is_taken {
            CancelDeletion::PathTaken
        } else {
            CancelDeletion::Cancelled
        }
    }

    /// Restores the places of a deletion.
    pub(super) fn restore(&mut self, number: usize) {
        self.deletions[number].is_removed = true;
        let namespaces = self.namespaces.iter_mut().map(|one| &mut one.deletion);
        let projects = self.projects.iter_mut().map(|one| &mut one.deletion);
        for deletion in namespaces.chain(projects) {
            if *deletion == Some(number) {
                *deletion = None;
            }
        }
    }

    /// Completes a deletion: removes its place, with everything in it.
    pub(super) fn remove_place(&mut self, of: ModelPlace) {
        let namespaces: Vec<usize> = match of {
            ModelPlace::Namespace(group) => {
                let mut groups = self.groups();
                groups.retain(|index| self.is_within(*index, group));
                groups
            }
            ModelPlace::Project(_) => Vec::new(),
        };
        let mut projects = self.projects();
        projects.retain(|index| {
            of == ModelPlace::Project(*index)
                || namespaces.contains(&self.projects[*index].namespace)
        });
        for index in &namespaces {
            self.namespaces[*index].is_removed = true;
        }
        for index in &projects {
            self.projects[*index].is_removed = true;
        }
        let goes = |place: ModelPlace| match place {
            ModelPlace::Namespace(index) => namespaces.contains(&index),
            ModelPlace::Project(index) => projects.contains(&index),
        };
        self.roles.retain(|(place, _), _| !goes(*place));
        self.shares.retain(|(project, namespace), _| {
            !projects.contains(project) && !namespaces.contains(namespace)
        });
        for deletion in self.deletions.iter_mut().filter(|one| goes(one.of)) {
            deletion.is_removed = true;
        }
    }
}
