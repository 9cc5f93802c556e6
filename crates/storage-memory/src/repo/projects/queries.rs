//! Queries about namespaces and projects.

use std::ops::Deref;

use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::CalendarDate;
use projects::{
    FullNames, Group, MemberPlace, Membership, Moved, Namespace, NamespaceKind, Project,
    ProjectFilter, ProjectOrder, ProjectQueries, UserGroup,
};
use storage::StoreError;

use super::NamespaceRow;
use crate::state::State;
use crate::store::MemoryTx;
use crate::table::page_of;

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
        let role = |id| {
            let place = MemberPlace::Namespace(id);
            let member = self.0.members.role_in(place, user, today);
            member.map(|member| member.level)
        };
        let of_group = |group: &Group| {
            let level = tables.lineage(group.id).filter_map(role).max()?;
            Some(UserGroup {
                full_path: group.full_path.clone(),
                is_direct: role(group.id).is_some(),
                level,
            })
        };
        let mut found: Vec<UserGroup> = groups.filter_map(of_group).collect();
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
