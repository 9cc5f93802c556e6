//! Namespaces, projects and members.

mod queries;
mod repository;

use std::collections::BTreeMap;

use api_conventions::access::Visibility;
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::time::CalendarDate;
use projects::{
    Deletion, Group, Membership, Moved, Namespace, NamespaceKind, Project, ProjectFilter,
    ProjectsWithin, Viewer,
};
use storage::{StoreError, StoreErrorKind};

use super::members::Tables as Members;
use crate::table::{Table, any_holds};

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    pub(super) namespaces: Table<NamespaceId, NamespaceRow>,
    pub(super) projects: Table<ProjectId, Project>,
    pub(super) deletions: Table<DeletionId, Deletion>,
    /// What waits for its deletion, away from all queries but those of deletions.
    pub(super) doomed_namespaces: BTreeMap<NamespaceId, (DeletionId, NamespaceRow)>,
    pub(super) doomed_projects: BTreeMap<ProjectId, (DeletionId, Project)>,
    /// What was at a path before it was renamed or moved, by the path in lower case.
    former_paths: BTreeMap<String, Moved>,
}

/// A namespace. What people write of groups stands there for users' namespaces, too, and says nothing.
#[derive(Debug, Clone)]
pub(super) struct NamespaceRow {
    pub(super) kind: NamespaceKind,
    pub(super) owner: UserId,
    pub(super) group: Group,
}

impl NamespaceRow {
    pub(super) fn namespace(&self) -> Namespace {
        Namespace {
            kind: self.kind,
            ..self.group.namespace()
        }
    }
}

impl Tables {
    pub(super) fn namespace_at(&self, path: &FullPath) -> Option<&NamespaceRow> {
        let key = path.lookup_key();
        let namespaces = &self.namespaces;
        namespaces.find(|row| row.group.full_path.lookup_key() == key)
    }

    pub(super) fn project_at(&self, path: &FullPath) -> Option<&Project> {
        let key = path.lookup_key();
        self.projects
            .find(|project| project.full_path.lookup_key() == key)
    }

    /// Notes that something is no longer at one path but at another, whose former tenant is forgotten.
    pub(super) fn move_path(&mut self, before: &FullPath, after: &FullPath, what: Moved) {
        let (before, after) = (before.lookup_key(), after.lookup_key());
        if before != after {
            self.former_paths.insert(before, what);
            self.former_paths.remove(&after);
        }
    }

    pub(super) fn path_is_taken(&self, path: &FullPath) -> bool {
        self.namespace_at(path).is_some() || self.project_at(path).is_some()
    }

    /// Whether a project of a namespace, another one than `except`, has this name.
    pub(super) fn name_is_taken(
        &self,
        namespace: NamespaceId,
        name: &str,
        except: Option<ProjectId>,
    ) -> bool {
        self.projects.has(|project| {
            project.namespace.id == namespace && project.name == name && Some(project.id) != except
        })
    }

    /// All groups.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        let groups = |row: &&NamespaceRow| row.kind == NamespaceKind::Group;
        self.namespaces.rows().filter(groups).map(|row| &row.group)
    }

    /// The namespace with this id and all above it.
    pub(super) fn lineage(&self, id: NamespaceId) -> impl Iterator<Item = NamespaceId> {
        let above = |id: &NamespaceId| {
            let doomed = self.doomed_namespaces.get(id).map(|(_, row)| row);
            self.namespaces.get(*id).or(doomed)?.group.parent_id
        };
        std::iter::successors(Some(id), above)
    }

    /// Whether a namespace is another one or is below it.
    pub(super) fn is_within(&self, id: NamespaceId, other: NamespaceId) -> bool {
        self.lineage(id).any(|above| above == other)
    }

    /// The project with this id.
    pub(super) fn project(&self, id: ProjectId) -> Option<&Project> {
        self.projects.get(id)
    }

    /// The project with this id, also where it waits for its deletion.
    pub(super) fn project_or_doomed(&self, id: ProjectId) -> Option<&Project> {
        let doomed = self.doomed_projects.get(&id).map(|(_, project)| project);
        self.projects.get(id).or(doomed)
    }

    /// Whether there is such a namespace.
    pub(super) fn has_namespace(&self, id: NamespaceId) -> bool {
        self.namespaces.get(id).is_some()
    }

    /// The names of a namespace and of all above it, outermost first.
    fn full_name(&self, id: NamespaceId) -> Vec<String> {
        let lineage = self.lineage(id);
        let rows = lineage.filter_map(|id| self.namespaces.get(id));
        let mut names: Vec<String> = rows.map(|row| row.group.content.name.clone()).collect();
        names.reverse();
        names
    }

    fn matches(
        &self,
        members: &Members,
        filter: &ProjectFilter,
        today: CalendarDate,
        project: &Project,
    ) -> bool {
        let user = filter.viewer.user_id();
        let roles = user.map(|user| members.membership(self, user, project, today));
        let level = roles.and_then(Membership::highest);
        let visible = match filter.viewer {
            Viewer::Anonymous => project.visibility == Visibility::Public,
            Viewer::User(_) => project.visibility >= Visibility::Internal || level.is_some(),
            Viewer::Administrator(_) => true,
        };
        let own = |user: Option<UserId>| {
            let namespace = self.namespaces.get(project.namespace.id);
            namespace.is_some_and(|row| row.kind == NamespaceKind::User && Some(row.owner) == user)
        };
        let mut texts = vec![&*project.name, &*project.path, &*project.description];
        if filter.search_namespaces {
            texts.push(project.full_path.as_str());
        }
        let search = filter.search.as_ref();
        let has_topic = |topic: &String| {
            let topic = topic.to_lowercase();
            let mut topics = project.topics.iter();
            topics.any(|one| one.to_lowercase() == topic)
        };
        let is_within = match filter.within {
            ProjectsWithin::Everywhere => true,
            ProjectsWithin::Group {
                id,
                with_subgroups,
                with_shared,
            } => {
                project.namespace.id == id
                    || with_subgroups && self.is_within(project.namespace.id, id)
                    || with_shared && members.is_shared(project.id, id, today)
            }
        };
        visible
            && search.is_none_or(|part| any_holds(&texts, part))
            && filter
                .visibility
                .is_none_or(|asked| project.visibility == asked)
            && filter
                .archived
                .is_none_or(|asked| project.archived == asked)
            && filter.topics.iter().all(has_topic)
            && (!filter.with_merge_requests || project.settings.has_merge_requests())
            && is_within
            && filter
                .updated_after
                .is_none_or(|timestamp| project.updated_at > timestamp)
            && filter
                .updated_before
                .is_none_or(|timestamp| project.updated_at < timestamp)
            && (filter.owner.is_none() || own(filter.owner))
            && filter
                .min_access_level
                .is_none_or(|least| level >= Some(least))
            && filter.id_after.is_none_or(|id| project.id > id)
            && filter.id_before.is_none_or(|id| project.id < id)
            && filter
                .active_after
                .is_none_or(|timestamp| project.last_activity_at > timestamp)
            && filter
                .active_before
                .is_none_or(|timestamp| project.last_activity_at < timestamp)
    }
}

pub(super) fn no_path() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "write something without a path")
}
