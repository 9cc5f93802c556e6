//! Namespaces, projects and members.

use std::collections::BTreeMap;
use std::ops::Deref;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    Deletion, FullNames, Group, GroupContent, InsertNamespace, InsertProject, Locked, MemberPlace,
    Membership, Moved, Namespace, NamespaceKind, NewMember, NewNamespace, NewProject, Project,
    ProjectChange, ProjectFilter, ProjectOrder, ProjectQueries, ProjectRepository, ProjectsWithin,
    SaveProject, UserGroup, Viewer,
};
use storage::{StoreError, StoreErrorKind};

use super::members::Tables as Members;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, any_holds, page_of};

/// How long a project's last activity stands before it is noted again.
const ACTIVITY_GRAIN_SECONDS: i64 = 3600;

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

/// Sorts by the column, and by the id where it is the same.
fn sort(projects: &mut [&Project], by: ProjectOrder) {
    match by {
        ProjectOrder::Id => projects.sort_by_key(|project| project.id),
        ProjectOrder::Name => {
            projects.sort_by_cached_key(|project| (project.name.to_lowercase(), project.id));
        }
        ProjectOrder::Path => {
            projects.sort_by_cached_key(|project| (project.path.to_lowercase(), project.id));
        }
        ProjectOrder::CreatedAt => projects.sort_by_key(|project| (project.created_at, project.id)),
        ProjectOrder::UpdatedAt => projects.sort_by_key(|project| (project.updated_at, project.id)),
        ProjectOrder::LastActivityAt => {
            projects.sort_by_key(|project| (project.last_activity_at, project.id));
        }
    }
}

impl<S: Deref<Target = State>> ProjectQueries for MemoryTx<S> {
    fn find_namespace(&mut self, path: &FullPath) -> Result<Option<Namespace>, StoreError> {
        let row = self.0.projects.namespace_at(path);
        Ok(row.map(NamespaceRow::namespace))
    }

    fn find_namespace_by_id(&mut self, id: NamespaceId) -> Result<Option<Namespace>, StoreError> {
        let row = self.0.projects.namespaces.get(id);
        Ok(row.map(NamespaceRow::namespace))
    }

    fn find_namespace_of(&mut self, user: UserId) -> Result<Option<Namespace>, StoreError> {
        let is_own = |row: &NamespaceRow| row.kind == NamespaceKind::User && row.owner == user;
        let row = self.0.projects.namespaces.find(is_own);
        Ok(row.map(NamespaceRow::namespace))
    }

    fn list_full_names(&mut self, namespaces: &[NamespaceId]) -> Result<FullNames, StoreError> {
        let tables = &self.0.projects;
        let known = namespaces
            .iter()
            .filter(|id| tables.namespaces.get(**id).is_some());
        Ok(known.map(|id| (*id, tables.full_name(*id))).collect())
    }

    fn find_project(&mut self, reference: &ProjectRef) -> Result<Option<Project>, StoreError> {
        let tables = &self.0.projects;
        let found = match reference {
            ProjectRef::Id(id) => tables.projects.get(*id),
            ProjectRef::Path(path) => tables.project_at(path),
        };
        Ok(found.cloned())
    }

    fn find_moved(&mut self, path: &FullPath) -> Result<Option<Moved>, StoreError> {
        let tables = &self.0.projects;
        let found = tables.former_paths.get(&path.lookup_key()).copied();
        Ok(found.filter(|found| match found {
            Moved::Namespace(id) => tables.namespaces.get(*id).is_some(),
            Moved::Project(id) => tables.projects.get(*id).is_some(),
        }))
    }

    fn list_projects_by_id(&mut self, ids: &[ProjectId]) -> Result<Vec<Project>, StoreError> {
        let projects = self.0.projects.projects.rows();
        let projects = projects.filter(|project| ids.contains(&project.id));
        Ok(projects.cloned().collect())
    }

    fn find_membership(
        &mut self,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError> {
        let tables = &self.0.projects;
        let project = tables.project_or_doomed(project);
        let members = &self.0.members;
        let membership = project.map(|project| members.membership(tables, user, project, today));
        Ok(membership.unwrap_or_default())
    }

    fn list_groups_of_user(
        &mut self,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError> {
        let tables = &self.0.projects;
        let groups = tables.groups();
        let holds = |id| {
            let place = MemberPlace::Namespace(id);
            self.0.members.role_in(place, user, today).is_some()
        };
        let mut found: Vec<UserGroup> = groups
            .filter(|group| tables.lineage(group.id).any(holds))
            .map(|group| UserGroup {
                full_path: group.full_path.clone(),
                is_direct: holds(group.id),
            })
            .collect();
        found.sort_by(|one, next| one.full_path.as_str().cmp(next.full_path.as_str()));
        Ok(found)
    }

    fn list_projects(
        &mut self,
        filter: &ProjectFilter,
        today: CalendarDate,
        asked: OffsetPage,
    ) -> Result<Page<Project>, StoreError> {
        let tables = &self.0.projects;
        let members = &self.0.members;
        let matches = |project: &Project| tables.matches(members, filter, today, project);
        let mut matching = tables.projects.list(matches, |_| (), SortOrder::Ascending);
        sort(&mut matching, filter.order_by);
        if filter.sort == SortOrder::Descending {
            matching.reverse();
        }
        Ok(page_of(matching, asked))
    }

    fn list_projects_by_key(
        &mut self,
        filter: &ProjectFilter,
        today: CalendarDate,
        asked: KeysetPage,
    ) -> Result<Stretch<Project>, StoreError> {
        let tables = &self.0.projects;
        let members = &self.0.members;
        let matches = |project: &Project| tables.matches(members, filter, today, project);
        Ok(tables.projects.stretch(matches, asked))
    }
}

pub(super) fn no_path() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "write something without a path")
}

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
