//! Namespaces, projects and members.

use std::ops::Deref;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
    FullNames, InsertNamespace, InsertProject, MemberPlace, Membership, Namespace, NamespaceKind,
    NewMember, NewNamespace, NewProject, Project, ProjectFilter, ProjectOrder, ProjectQueries,
    ProjectRepository, UserGroup, Viewer,
};
use storage::{StoreError, StoreErrorKind};

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, any_holds, page_of};

/// How long a project's last activity stands before it is noted again.
const ACTIVITY_GRAIN_SECONDS: i64 = 3600;

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    namespaces: Table<NamespaceId, (UserId, Namespace)>,
    projects: Table<ProjectId, Project>,
    members: Vec<NewMember>,
}

impl Tables {
    fn namespace_at(&self, path: &FullPath) -> Option<&Namespace> {
        let key = path.lookup_key();
        let namespaces = &self.namespaces;
        let found = namespaces.find(|(_, namespace)| namespace.full_path.lookup_key() == key);
        found.map(|(_, namespace)| namespace)
    }

    fn project_at(&self, path: &FullPath) -> Option<&Project> {
        let key = path.lookup_key();
        self.projects
            .find(|project| project.full_path.lookup_key() == key)
    }

    fn path_is_taken(&self, path: &FullPath) -> bool {
        self.namespace_at(path).is_some() || self.project_at(path).is_some()
    }

    /// The namespace with this id and all above it.
    fn lineage(&self, id: NamespaceId) -> impl Iterator<Item = NamespaceId> {
        std::iter::successors(Some(id), |id| {
            self.namespaces
                .get(*id)
                .and_then(|(_, namespace)| namespace.parent_id)
        })
    }

    /// The role of a user that was given in a place and counts on the day `today`.
    fn role_in(
        &self,
        user: UserId,
        place: MemberPlace,
        today: CalendarDate,
    ) -> Option<AccessLevel> {
        let mut members = self.members.iter();
        let member = members.find(|member| member.user_id == user && member.place == place)?;
        let counts = member.expires_on.is_none_or(|day| today < day);
        counts.then_some(member.level)
    }

    /// The names of a namespace and of all above it, outermost first.
    fn full_name(&self, id: NamespaceId) -> Vec<String> {
        let lineage = self.lineage(id);
        let rows = lineage.filter_map(|id| self.namespaces.get(id));
        let mut names: Vec<String> = rows.map(|(_, namespace)| namespace.name.clone()).collect();
        names.reverse();
        names
    }

    fn membership(&self, user: UserId, project: &Project, today: CalendarDate) -> Membership {
        let held = |place: MemberPlace| self.role_in(user, place, today);
        let above = self.lineage(project.namespace.id);
        Membership {
            own: held(MemberPlace::Project(project.id)),
            inherited: above
                .filter_map(|id| held(MemberPlace::Namespace(id)))
                .max(),
        }
    }

    fn matches(&self, filter: &ProjectFilter, today: CalendarDate, project: &Project) -> bool {
        let user = filter.viewer.user_id();
        let level = user.and_then(|user| self.membership(user, project, today).highest());
        let visible = match filter.viewer {
            Viewer::Anonymous => project.visibility == Visibility::Public,
            Viewer::User(_) => project.visibility >= Visibility::Internal || level.is_some(),
            Viewer::Administrator(_) => true,
        };
        let own = || {
            let namespace = self.namespaces.get(project.namespace.id);
            namespace.is_some_and(|(owner, namespace)| {
                namespace.kind == NamespaceKind::User && Some(*owner) == user
            })
        };
        let texts = [&*project.name, &*project.path, &*project.description];
        let search = filter.search.as_ref();
        visible
            && search.is_none_or(|part| any_holds(&texts, part))
            && filter
                .visibility
                .is_none_or(|asked| project.visibility == asked)
            && (!filter.owned || own())
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
        Ok(self.0.projects.namespace_at(path).cloned())
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

    fn find_membership(
        &mut self,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError> {
        let tables = &self.0.projects;
        let project = tables.projects.get(project);
        let membership = project.map(|project| tables.membership(user, project, today));
        Ok(membership.unwrap_or_default())
    }

    fn list_groups_of_user(
        &mut self,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError> {
        let tables = &self.0.projects;
        let namespaces = tables.namespaces.rows().map(|(_, namespace)| namespace);
        let groups = namespaces.filter(|namespace| namespace.kind == NamespaceKind::Group);
        let holds = |id| {
            let place = MemberPlace::Namespace(id);
            tables.role_in(user, place, today).is_some()
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
        let matches = |project: &Project| tables.matches(filter, today, project);
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
        let matches = |project: &Project| tables.matches(filter, today, project);
        Ok(tables.projects.stretch(matches, asked))
    }
}

fn no_path() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "insert something without a path")
}

impl ProjectRepository for MemoryWriteTx<'_> {
    fn insert_namespace(&mut self, new: &NewNamespace) -> Result<InsertNamespace, StoreError> {
        let tables = &mut self.0.projects;
        let full_path = new.full_path().ok_or_else(no_path)?;
        if tables.path_is_taken(&full_path) {
            return Ok(InsertNamespace::PathTaken);
        }
        let make = |id| Namespace {
            id,
            kind: new.kind,
            name: new.name.clone(),
            path: new.path.clone(),
            full_path,
            parent_id: new.parent.as_ref().map(|parent| parent.id),
            visibility: new.visibility,
        };
        let (_, namespace) = tables.namespaces.insert_copy(|id| (new.owner, make(id)));
        self.put_member(&NewMember {
            user_id: new.owner,
            place: MemberPlace::Namespace(namespace.id),
            level: AccessLevel::Owner,
            expires_on: None,
            created_at: new.created_at,
        })?;
        Ok(InsertNamespace::Inserted(namespace))
    }

    fn insert_project(&mut self, new: &NewProject) -> Result<InsertProject, StoreError> {
        let tables = &mut self.0.projects;
        let full_path = new.full_path().ok_or_else(no_path)?;
        if tables.path_is_taken(&full_path) {
            return Ok(InsertProject::PathTaken);
        }
        let project = tables.projects.insert_copy(|id| Project {
            id,
            namespace: new.namespace.clone(),
            name: new.name.clone(),
            path: new.path.clone(),
            full_path,
            description: new.description.clone(),
            visibility: new.visibility,
            creator_id: new.creator_id,
            created_at: new.created_at,
            updated_at: new.created_at,
            last_activity_at: new.created_at,
        });
        Ok(InsertProject::Inserted(Box::new(project)))
    }

    fn put_member(&mut self, member: &NewMember) -> Result<(), StoreError> {
        let members = &mut self.0.projects.members;
        members.retain(|other| (other.user_id, other.place) != (member.user_id, member.place));
        members.push(*member);
        Ok(())
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
