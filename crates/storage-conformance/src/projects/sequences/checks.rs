//! Checks of the store against the model after a sequence.

use std::collections::BTreeMap;

use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use projects::{
    Group, GroupFilter, GroupOrder, IssueFilter, IssueScope, MemberFilter, MemberScope, Project,
    ProjectFilter, ProjectOrder, ProjectReadTx, Viewer,
};
use storage::StoreExt as _;

use super::model::ModelPlace;
use super::world::{World, date};
use crate::broken_promise::{BrokenPromise, Verdict, check, same};
use crate::samples::page;

/// Rows per page: few, so that lists have several pages.
const SIZE: u16 = 3;
/// Maximum number of pages of a list, for a store whose lists never end.
const MOST_PAGES: u64 = 60;

type Tx<'t> = &'t mut dyn ProjectReadTx;

fn path(text: &str) -> Result<FullPath, BrokenPromise> {
    FullPath::parse(text).ok_or_else(|| BrokenPromise::new(format!("{text} is not a path")))
}

impl World<'_> {
    /// Checks all queries.
    pub(super) fn check(&self) -> Verdict {
        let paths = self.model.taken_paths(None);
        let count = self.model.live_namespaces().len() + self.model.live_projects().len();
        same("the number of paths", &paths.len(), &count)?;
        self.check_records()?;
        let viewers = [
            Viewer::Anonymous,
            Viewer::User(self.people[0]),
            Viewer::User(self.people[1]),
            Viewer::User(self.people[2]),
            Viewer::Administrator(self.people[0]),
        ];
        for viewer in viewers {
            let for_viewer =
                |broken: BrokenPromise| BrokenPromise::new(format!("for {viewer:?} {broken}"));
            self.check_projects(viewer).map_err(for_viewer)?;
            self.check_groups(viewer).map_err(for_viewer)?;
        }
        self.check_roles()
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(Tx<'_>) -> Result<T, storage::StoreError> + Send + 'static,
    ) -> Result<T, BrokenPromise> {
        Ok(self.store.query(|tx| work(tx)).wait()?)
    }

    /// Checks that each place is found by its id and by its path, unless it is pending deletion.
    fn check_records(&self) -> Verdict {
        for index in self.model.projects() {
            let project = &self.model.projects[index];
            let full_path = self.model.project_path(index);
            let (id, by_path) = (
                project.id,
                ProjectRef::Path(path(&full_path.to_uppercase())?),
            );
            let (found, at_path, pending) = self.read(move |tx| {
                let found = tx.find_project(&ProjectRef::Id(id))?;
                Ok((
                    found,
                    tx.find_project(&by_path)?,
                    tx.find_project_pending_deletion(id)?,
                ))
            })?;
            let is_live = project.deletion.is_none();
            same("the existence of a project", &found.is_some(), &is_live)?;
            same(
                "the pending deletion of a project",
                &pending.is_some(),
                &!is_live,
            )?;
            if is_live {
                same(&format!("the project at {full_path}"), &at_path, &found)?;
            }
            let record = found.or(pending);
            check(
                record.is_some_and(|record| self.is_project(&record, index)),
                || format!("the record of {full_path} differs from what was written"),
            )?;
        }
        for index in self.model.groups() {
            let namespace = &self.model.namespaces[index];
            let full_path = self.model.path(index);
            let (id, by_path) = (
                namespace.id,
                NamespaceRef::Path(path(&full_path.to_uppercase())?),
            );
            let (found, at_path, pending) = self.read(move |tx| {
                let found = tx.find_group(&NamespaceRef::Id(id))?;
                Ok((
                    found,
                    tx.find_group(&by_path)?,
                    tx.find_group_pending_deletion(id)?,
                ))
            })?;
            let is_live = namespace.deletion.is_none();
            same("the existence of a group", &found.is_some(), &is_live)?;
            same(
                "the pending deletion of a group",
                &pending.is_some(),
                &!is_live,
            )?;
            if is_live {
                same(&format!("the group at {full_path}"), &at_path, &found)?;
            }
            let record = found.or(pending);
            check(
                record.is_some_and(|record| self.is_group(&record, index)),
                || format!("the record of {full_path} differs from what was written"),
            )?;
        }
        Ok(())
    }

    fn is_project(&self, record: &Project, index: usize) -> bool {
        let project = &self.model.projects[index];
        let namespace = &self.model.namespaces[project.namespace];
        let parent = namespace
            .parent
            .map(|parent| self.model.namespaces[parent].id);
        let stored = &record.namespace;
        record.id == project.id
            && record.full_path.as_str() == self.model.project_path(index)
            && (&*record.path, &*record.name) == (&*project.path, &*project.name)
            && (record.visibility, record.archived) == (project.visibility, project.archived)
            && (stored.id, stored.parent_id) == (namespace.id, parent)
            && stored.full_path.as_str() == self.model.path(project.namespace)
            && stored.visibility == namespace.visibility
    }

    fn is_group(&self, record: &Group, index: usize) -> bool {
        let namespace = &self.model.namespaces[index];
        let parent = namespace
            .parent
            .map(|parent| self.model.namespaces[parent].id);
        (record.id, record.parent_id) == (namespace.id, parent)
            && record.full_path.as_str() == self.model.path(index)
            && record.content.path == namespace.path
            && record.content.visibility == namespace.visibility
    }

    /// Checks that each project that a viewer may see is listed once, by pages and by keys.
    fn check_projects(&self, viewer: Viewer) -> Verdict {
        let seen = self.model.live_projects().into_iter();
        let seen = seen.filter(|index| self.model.sees_project(viewer, *index));
        let mut expected: Vec<ProjectId> =
            seen.map(|index| self.model.projects[index].id).collect();
        expected.sort_unstable();
        let seen = self.model.live_projects().into_iter();
        let seen = seen.filter(|index| self.model.sees_project(viewer, *index));
        let issues: usize = seen.map(|index| self.model.projects[index].issues).sum();
        let today = self.today();
        let everywhere = IssueFilter::new(IssueScope::Everywhere, viewer);
        let listed = self.read(move |tx| tx.list_issues(&everywhere, today, page(1, 100)))?;
        same("the number of issues", &listed.items.len(), &issues)?;
        let (paged, ascending, descending) = self.read(move |tx| {
            let mut paged = Vec::new();
            for number in 1..=MOST_PAGES {
                let filter = ProjectFilter::new(viewer);
                let listed = tx.list_projects(&filter, today, page(number, SIZE.into()))?;
                paged.extend(listed.items.iter().map(|project| project.id));
                if !listed.has_next {
                    paged.extend(wrong_total(listed.total, paged.len()));
                    break;
                }
            }
            let mut walk = |sort| walk_projects(tx, viewer, today, sort);
            Ok((
                paged,
                walk(SortOrder::Ascending)?,
                walk(SortOrder::Descending)?,
            ))
        })?;
        let mut by_pages = paged;
        by_pages.sort_unstable();
        same("the projects on all pages", &by_pages, &expected)?;
        same("the projects on all keyset pages", &ascending, &expected)?;
        expected.reverse();
        same(
            "the projects on all keyset pages, backwards",
            &descending,
            &expected,
        )
    }

    /// Checks that each group that a viewer may see is listed once, by pages and by names.
    fn check_groups(&self, viewer: Viewer) -> Verdict {
        let seen = self.model.live_groups().into_iter();
        let seen = seen.filter(|index| self.model.sees_group(viewer, *index));
        let mut expected: Vec<NamespaceId> =
            seen.map(|index| self.model.namespaces[index].id).collect();
        expected.sort_unstable();
        let today = self.today();
        let (paged, mut walked) = self.read(move |tx| {
            let filter = GroupFilter {
                order_by: GroupOrder::Id,
                ..GroupFilter::new(viewer)
            };
            let mut paged = Vec::new();
            for number in 1..=MOST_PAGES {
                let listed = tx.list_groups(&filter, today, page(number, SIZE.into()))?;
                paged.extend(listed.items.iter().map(|group| group.id));
                if !listed.has_next {
                    break;
                }
            }
            let mut walked: Vec<Group> = Vec::new();
            for _ in 1..=MOST_PAGES {
                let last = walked.last().cloned();
                let after = last.as_ref().map(|group| (&*group.content.name, group.id));
                let keyset = KeysetPage::new(SIZE, SortOrder::Ascending);
                let slice = tx.list_groups_by_name(&filter, after, today, keyset)?;
                walked.extend(slice.items);
                if !slice.has_next {
                    break;
                }
            }
            let walked = walked.into_iter().map(|group| group.id);
            Ok((paged, walked.collect::<Vec<_>>()))
        })?;
        same("the groups on all pages", &paged, &expected)?;
        walked.sort_unstable();
        same("the groups on all keyset pages", &walked, &expected)
    }

    /// Checks the role of each user in each place.
    fn check_roles(&self) -> Verdict {
        let (today, people) = (self.today(), self.people);
        for index in self.model.live_projects() {
            let project = &self.model.projects[index];
            let (id, home) = (project.id, project.namespace);
            let source = self.member_source(ModelPlace::Project(index));
            for user in people {
                let (found, among, member) = self.read(move |tx| {
                    let found = tx.find_membership(user, id, today)?;
                    let among = tx.list_memberships(user, &[id], today)?;
                    let member = tx.find_member(source, MemberScope::All, user, today)?;
                    Ok((found, among, member))
                })?;
                let expected = [
                    self.model.given(ModelPlace::Project(index), user),
                    self.model.role_in(home, user),
                    self.model.shared_role(index, user),
                ];
                let roles = [found.own, found.inherited, found.shared];
                same("the roles in a project", &roles, &expected)?;
                let highest = self.model.role(index, user);
                same("the highest role", &found.highest(), &highest)?;
                let among: Vec<_> = among.into_iter().map(|(_, roles)| roles).collect();
                let alone: Vec<_> = highest.map(|_| found).into_iter().collect();
                same("the roles among those of projects", &among, &alone)?;
                let member = member.map(|member| member.level);
                same("the role among all members", &member, &highest)?;
            }
        }
        for index in self.model.live_groups() {
            let id = self.model.namespaces[index].id;
            for user in people {
                let found = self.read(move |tx| tx.find_group_membership(user, id, today))?;
                let expected = self.model.role_in(index, user);
                same("the role in a group", &found.role, &expected)?;
            }
        }
        self.check_lists_of_roles()
    }

    /// Checks the direct members of each place, and the shares of each project.
    fn check_lists_of_roles(&self) -> Verdict {
        let today = self.today();
        let groups = self
            .model
            .live_groups()
            .into_iter()
            .map(ModelPlace::Namespace);
        let projects = self
            .model
            .live_projects()
            .into_iter()
            .map(ModelPlace::Project);
        for place in groups.chain(projects) {
            let source = self.member_source(place);
            let listed = self.read(move |tx| {
                let filter = MemberFilter::default();
                tx.list_members(source, MemberScope::Direct, &filter, today, page(1, 100))
            })?;
            let listed = listed.items.iter();
            let listed: Vec<_> = listed
                .map(|member| (member.user_id, member.level))
                .collect();
            let mut expected: Vec<_> = self.people.to_vec();
            expected.sort_unstable();
            let expected = expected.into_iter();
            let expected = expected.filter_map(|user| Some((user, self.model.given(place, user)?)));
            let expected: Vec<_> = expected.collect();
            same("the direct members of a place", &listed, &expected)?;
        }
        for index in self.model.live_projects() {
            let id = self.model.projects[index].id;
            let listed = self.read(move |tx| tx.list_shares(id, today))?;
            let listed = listed.iter();
            let listed: BTreeMap<_, _> = listed
                .map(|share| (share.group_id, (share.level, share.expires_on)))
                .collect();
            let shares = self.model.shares.iter();
            let its =
                shares.filter(|((of, _), granted)| *of == index && self.model.counts(**granted));
            let expected: BTreeMap<_, _> = its
                .map(|((_, group), granted)| {
                    let group = self.model.namespaces[*group].id;
                    (group, (granted.0, granted.1.map(date)))
                })
                .collect();
            same("the shares of a project", &listed, &expected)?;
        }
        Ok(())
    }
}

/// The id of no project, if a total differs from the number of rows.
fn wrong_total(total: Total, rows: usize) -> Option<ProjectId> {
    let rows = u64::try_from(rows).unwrap_or(u64::MAX);
    (total != Total::Exact(rows)).then_some(ProjectId::new(i64::MAX))
}

fn walk_projects(
    tx: Tx<'_>,
    viewer: Viewer,
    today: api_conventions::time::CalendarDate,
    sort: SortOrder,
) -> Result<Vec<ProjectId>, storage::StoreError> {
    let mut filter = ProjectFilter {
        order_by: ProjectOrder::Id,
        sort,
        ..ProjectFilter::new(viewer)
    };
    let mut walked: Vec<ProjectId> = Vec::new();
    for _ in 1..=MOST_PAGES {
        let slice = tx.list_projects_by_key(&filter, today, KeysetPage::new(SIZE, sort))?;
        walked.extend(slice.items.iter().map(|project| project.id));
        match sort {
            SortOrder::Ascending => filter.id_after = walked.last().copied(),
            SortOrder::Descending => filter.id_before = walked.last().copied(),
        }
        if !slice.has_next {
            break;
        }
    }
    Ok(walked)
}
