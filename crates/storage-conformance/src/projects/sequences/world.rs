//! A store and its model, which take the same steps.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::UserId;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    GroupFilter, GroupsWithin, MemberSource, NamespaceKind, NewNamespace, ProjectFilter,
    ProjectWriteTx, Viewer,
};
use storage::{StoreError, StoreExt as _};

use super::deletions::{deletion_by, run_deletion};
use super::model::{Model, ModelDay, ModelNamespace, ModelPlace};
use crate::areas::Projects;
use crate::broken_promise::BrokenPromise;
use crate::projects::{group, insert_namespace};
use crate::samples::{page, timestamp};

/// Last segments of paths; some differ only in case.
const PATHS: [&str; 5] = ["a", "b", "A", "c", "B"];
/// The names of projects.
const NAMES: [&str; 4] = ["One", "Two", "Three", "one"];

/// Chooses an element by a number.
pub(super) fn choose<T: Copy>(number: u8, among: &[T]) -> Option<T> {
    let index = usize::from(number).checked_rem(among.len())?;
    among.get(index).copied()
}

pub(super) fn path_of(number: u8) -> &'static str {
    PATHS[usize::from(number) % PATHS.len()]
}

pub(super) fn name_of(number: u8) -> &'static str {
    NAMES[usize::from(number) % NAMES.len()]
}

pub(super) fn visibility_of(number: u8) -> Visibility {
    let all = [
        Visibility::Private,
        Visibility::Private,
        Visibility::Internal,
        Visibility::Public,
    ];
    all[usize::from(number) % all.len()]
}

pub(super) fn level_of(number: u8) -> AccessLevel {
    AccessLevel::ALL[usize::from(number) % AccessLevel::ALL.len()]
}

/// The date this many days after the first day of a sequence.
pub(super) fn date(day: ModelDay) -> CalendarDate {
    timestamp(i64::from(day) * 86_400).date()
}

/// A store, its model, and the users of both.
pub(super) struct World<'s> {
    pub(super) store: &'s Projects,
    pub(super) people: [UserId; 3],
    pub(super) model: Model,
}

impl<'s> World<'s> {
    /// Creates the model of a store that has only the users' own namespaces.
    pub(super) fn new(store: &'s Projects, people: [UserId; 3]) -> Result<Self, BrokenPromise> {
        let mut model = Model::default();
        for (number, user) in people.into_iter().enumerate() {
            let path = format!("own-{number}");
            let new = NewNamespace {
                kind: NamespaceKind::User,
                ..group(&path, user)
            };
            let own = store.change(move |tx| {
                let known = tx.find_namespace_of(user)?;
                known.map_or_else(|| insert_namespace(tx, &new), Ok)
            });
            model.namespaces.push(ModelNamespace {
                id: own.wait()?.id,
                kind: NamespaceKind::User,
                parent: None,
                path,
                visibility: Visibility::Public,
                deletion: None,
                is_removed: false,
            });
            let role = (AccessLevel::Owner, None);
            model
                .roles
                .insert((ModelPlace::Namespace(number), user), role);
        }
        Ok(Self {
            store,
            people,
            model,
        })
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn ProjectWriteTx) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, BrokenPromise> {
        Ok(self.store.change(move |tx| work(tx)).wait()?)
    }

    pub(super) fn user(&self, number: u8) -> UserId {
        self.people[usize::from(number) % self.people.len()]
    }

    /// The current time: a fixed time of the current day.
    pub(super) fn now(&self) -> Timestamp {
        timestamp(i64::from(self.model.today) * 86_400)
    }

    pub(super) fn today(&self) -> CalendarDate {
        date(self.model.today)
    }

    /// A day of expiry: mostly none, otherwise a past day, the next one, or a later one.
    pub(super) fn expiry_of(&self, number: u8) -> Option<ModelDay> {
        let today = self.model.today;
        match number % 6 {
            0 => Some(today),
            1 => Some(today + 1),
            2 => Some(today + 2),
            _ => None,
        }
    }

    /// A group or a project, in which roles are granted.
    pub(super) fn place_of(&self, number: u8) -> Option<ModelPlace> {
        let groups = self.model.groups().into_iter().map(ModelPlace::Namespace);
        let projects = self.model.projects().into_iter().map(ModelPlace::Project);
        let all: Vec<ModelPlace> = groups.chain(projects).collect();
        choose(number, &all)
    }

    /// The place in the terms of the store.
    pub(super) fn member_source(&self, place: ModelPlace) -> MemberSource {
        match place {
            ModelPlace::Namespace(index) => {
                MemberSource::Namespace(self.model.namespaces[index].id)
            }
            ModelPlace::Project(index) => MemberSource::Project(self.model.projects[index].id),
        }
    }

    /// True if a place exists and is not pending deletion.
    pub(super) fn is_live(&self, place: ModelPlace) -> bool {
        match place {
            ModelPlace::Namespace(index) => self.model.namespaces[index].deletion.is_none(),
            ModelPlace::Project(index) => self.model.projects[index].deletion.is_none(),
        }
    }

    /// Deletes everything but the users' own namespaces.
    pub(super) fn clear(&self) -> Result<(), BrokenPromise> {
        let now = self.now();
        let administrator = Viewer::Administrator(self.people[0]);
        let new = deletion_by(self.people[0], now);
        self.write(move |tx| {
            let all = GroupFilter {
                within: GroupsWithin::TopLevel,
                ..GroupFilter::new(administrator)
            };
            for group in tx.list_groups(&all, now.date(), page(1, 100))?.items {
                if let Some(locked) = tx.lock_group(group.id, &[])? {
                    tx.schedule_group_deletion(locked, &new)?;
                }
            }
            let all = ProjectFilter::new(administrator);
            for project in tx.list_projects(&all, now.date(), page(1, 100))?.items {
                if let Some(locked) = tx.lock_project(project.id, &[])? {
                    tx.schedule_project_deletion(locked, &new)?;
                }
            }
            for deletion in tx.list_due_deletions(Timestamp::MAX, 1_000)? {
                run_deletion(tx, &deletion, 1_000)?;
            }
            Ok(())
        })
    }
}
