//! Groups.

use std::ops::Deref;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::reference::{FullPath, NamespaceRef};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::rules::nesting::{Extent, fits};
use projects::{
    Group, GroupContent, GroupFilter, GroupMembership, GroupOrder, GroupQueries, GroupRepository,
    GroupsWithin, Locked, MemberPlace, Moved, Namespace, NamespaceFilter, NamespaceKind, SaveGroup,
    Viewer,
};
use storage::StoreError;

use super::members::Tables as Members;
use super::projects::{NamespaceRow, Tables, no_path};
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{any_holds, page_of};

fn group_role(
    (places, members): (&Tables, &Members),
    user: UserId,
    group: NamespaceId,
    today: CalendarDate,
) -> Option<AccessLevel> {
    let role = |id| members.role_in(MemberPlace::Namespace(id), user, today);
    let roles = places.lineage(group).filter_map(role);
    roles.map(|member| member.level).max()
}

/// Whether a user has a role in something below a group.
fn is_below(
    (places, members): (&Tables, &Members),
    user: UserId,
    group: NamespaceId,
    today: CalendarDate,
) -> bool {
    let subgroup = |row: &NamespaceRow| {
        let place = MemberPlace::Namespace(row.group.id);
        places.is_within(row.group.id, group) && members.role_in(place, user, today).is_some()
    };
    places.namespaces.rows().any(subgroup)
        || places.projects.has(|project| {
            let membership = members.membership(places, user, project, today);
            places.is_within(project.namespace.id, group) && membership.highest().is_some()
        })
}

fn membership(
    tables: (&Tables, &Members),
    user: UserId,
    group: NamespaceId,
    today: CalendarDate,
) -> GroupMembership {
    GroupMembership {
        role: group_role(tables, user, group, today),
        is_below: is_below(tables, user, group, today),
    }
}

impl Tables {
    fn lists_group(
        &self,
        members: &Members,
        filter: &GroupFilter,
        today: CalendarDate,
        group: &Group,
    ) -> bool {
        let content = &group.content;
        let membership = filter.viewer.user_id();
        let membership =
            membership.map(|user| self::membership((self, members), user, group.id, today));
        let is_member = membership.is_some_and(|one| one.role.is_some() || one.is_below);
        let visible = match filter.viewer {
            Viewer::Anonymous => content.visibility == Visibility::Public,
            Viewer::Administrator(_) => true,
            Viewer::User(_) => content.visibility >= Visibility::Internal || is_member,
        };
        let within = match filter.within {
            GroupsWithin::Everywhere => true,
            GroupsWithin::TopLevel => group.parent_id.is_none(),
            GroupsWithin::ChildrenOf(parent) => group.parent_id == Some(parent),
            GroupsWithin::Below(other) => group.id != other && self.is_within(group.id, other),
        };
        let texts = [&*content.name, &*content.path];
        let search = filter.search.as_ref();
        visible
            && within
            && search.is_none_or(|part| any_holds(&texts, part))
            && filter
                .visibility
                .is_none_or(|asked| content.visibility == asked)
            && filter
                .min_access_level
                .is_none_or(|least| membership.and_then(|one| one.role) >= Some(least))
            && (!filter.is_member || is_member)
            && !filter.skip.contains(&group.id)
    }
}

fn name_key(group: &Group) -> (String, NamespaceId) {
    (group.content.name.to_lowercase(), group.id)
}

/// Sorts by the column, and by the id where it is the same.
fn sort(groups: &mut [&Group], by: GroupOrder) {
    match by {
        GroupOrder::Name => groups.sort_by_cached_key(|group| name_key(group)),
        GroupOrder::Path => {
            groups.sort_by_cached_key(|group| (group.content.path.to_lowercase(), group.id));
        }
        GroupOrder::Id => groups.sort_by_key(|group| group.id),
    }
}

impl<S: Deref<Target = State>> GroupQueries for MemoryTx<S> {
    fn find_group(&mut self, reference: &NamespaceRef) -> Result<Option<Group>, StoreError> {
        let tables = &self.0.projects;
        let found = match reference {
            NamespaceRef::Id(id) => tables.namespaces.get(*id),
            NamespaceRef::Path(path) => tables.namespace_at(path),
        };
        let found = found.filter(|row| row.kind == NamespaceKind::Group);
        Ok(found.map(|row| row.group.clone()))
    }

    fn find_group_membership(
        &mut self,
        user: UserId,
        group: NamespaceId,
        today: CalendarDate,
    ) -> Result<GroupMembership, StoreError> {
        Ok(membership(
            (&self.0.projects, &self.0.members),
            user,
            group,
            today,
        ))
    }

    fn list_groups(
        &mut self,
        filter: &GroupFilter,
        today: CalendarDate,
        asked: OffsetPage,
    ) -> Result<Page<Group>, StoreError> {
        let tables = &self.0.projects;
        let groups = tables.groups();
        let mut groups: Vec<&Group> = groups
            .filter(|group| tables.lists_group(&self.0.members, filter, today, group))
            .collect();
        sort(&mut groups, filter.order_by);
        if filter.sort == SortOrder::Descending {
            groups.reverse();
        }
        Ok(page_of(groups, asked))
    }

    fn list_groups_by_name(
        &mut self,
        filter: &GroupFilter,
        after: Option<(&str, NamespaceId)>,
        today: CalendarDate,
        asked: KeysetPage,
    ) -> Result<Stretch<Group>, StoreError> {
        let tables = &self.0.projects;
        let after = after.map(|(name, id)| (name.to_lowercase(), id));
        let follows = |group: &&Group| after.as_ref().is_none_or(|after| name_key(group) > *after);
        let mut groups: Vec<&Group> = tables
            .groups()
            .filter(|group| tables.lists_group(&self.0.members, filter, today, group))
            .filter(follows)
            .collect();
        sort(&mut groups, GroupOrder::Name);
        let rows = groups.into_iter().take(usize::from(asked.per_page()) + 1);
        Ok(Stretch::from_fetched(rows.cloned().collect(), asked))
    }

    fn list_namespaces(
        &mut self,
        filter: &NamespaceFilter,
        today: CalendarDate,
        asked: OffsetPage,
    ) -> Result<Page<Namespace>, StoreError> {
        let tables = &self.0.projects;
        let is_held = |row: &NamespaceRow| {
            let Some(user) = filter.user else { return true };
            let role = group_role((tables, &self.0.members), user, row.group.id, today);
            let least = filter.min_access_level;
            let is_own = row.kind == NamespaceKind::Group || row.owner == user;
            is_own && role.is_some() && least.is_none_or(|least| role >= Some(least))
        };
        let holds = |row: &NamespaceRow| {
            let content = &row.group.content;
            let texts = [&*content.name, &*content.path];
            filter
                .search
                .as_ref()
                .is_none_or(|part| any_holds(&texts, part))
        };
        let matches = |row: &NamespaceRow| is_held(row) && holds(row);
        let matching = tables
            .namespaces
            .list(matches, |_| (), SortOrder::Ascending);
        Ok(page_of(matching, asked).map(|row| row.namespace()))
    }

    fn list_lineage(&mut self, namespace: NamespaceId) -> Result<Vec<Namespace>, StoreError> {
        let tables = &self.0.projects;
        let rows = tables
            .lineage(namespace)
            .filter_map(|id| tables.namespaces.get(id));
        let mut all: Vec<Namespace> = rows.map(NamespaceRow::namespace).collect();
        all.reverse();
        Ok(all)
    }

    fn find_widest_below(&mut self, group: NamespaceId) -> Result<Option<Visibility>, StoreError> {
        let tables = &self.0.projects;
        let groups = tables
            .groups()
            .filter(|one| one.id != group && tables.is_within(one.id, group));
        let projects = tables.projects.rows();
        let projects = projects.filter(|project| tables.is_within(project.namespace.id, group));
        let visibilities = projects.map(|project| project.visibility);
        Ok(groups
            .map(|one| one.content.visibility)
            .chain(visibilities)
            .max())
    }
}

impl GroupRepository for MemoryWriteTx<'_> {
    fn lock_group(
        &mut self,
        group: NamespaceId,
        _: &[NamespaceId],
    ) -> Result<Option<Locked<Group>>, StoreError> {
        let found = self.find_group(&NamespaceRef::Id(group))?;
        Ok(found.map(Locked::by_adapter))
    }

    fn update_group(
        &mut self,
        group: Locked<Group>,
        content: &GroupContent,
        parent: Option<&Namespace>,
        now: Timestamp,
    ) -> Result<SaveGroup, StoreError> {
        let tables = &mut self.0.projects;
        let before = group.into_inner();
        let above = parent.map(|parent| format!("{}/", parent.full_path.as_str()));
        let full_path = format!("{}{}", above.unwrap_or_default(), content.path);
        let full_path = FullPath::parse(&full_path).ok_or_else(no_path)?;
        let is_other = full_path.lookup_key() != before.full_path.lookup_key();
        if is_other && tables.path_is_taken(&full_path) {
            return Ok(SaveGroup::PathTaken);
        }
        if !fits(&before.full_path, &full_path, tables.extent(before.id)) {
            return Ok(SaveGroup::TooDeep);
        }
        let after = Group {
            parent_id: parent.map(|parent| parent.id),
            full_path,
            content: content.clone(),
            updated_at: now,
            ..before.clone()
        };
        tables.rename_below(&before, &after)?;
        tables
            .namespaces
            .update(after.id, |row| row.group.clone_from(&after));
        Ok(SaveGroup::Saved(Box::new(after)))
    }
}

impl Tables {
    /// Notes that these groups and the projects in them are elsewhere now. What waits for its deletion has no path.
    fn note_moves(
        &mut self,
        groups: &[NamespaceId],
        renamed: impl Fn(&FullPath) -> Result<FullPath, StoreError>,
    ) -> Result<(), StoreError> {
        let namespaces = groups.iter().filter_map(|id| self.namespaces.get(*id));
        let namespaces = namespaces.map(|row| {
            let what = Moved::Namespace(row.group.id);
            (row.group.full_path.clone(), what)
        });
        let projects = self.projects.rows();
        let inside = projects.filter(|project| groups.contains(&project.namespace.id));
        let inside = inside.map(|project| (project.full_path.clone(), Moved::Project(project.id)));
        for (before, what) in namespaces.chain(inside).collect::<Vec<_>>() {
            self.move_path(&before, &renamed(&before)?, what);
        }
        Ok(())
    }

    /// The furthest in a group, with what waits there for a deletion: it may come back.
    fn extent(&self, group: NamespaceId) -> Extent {
        let doomed = self.doomed_namespaces.values().map(|(_, row)| &row.group);
        let groups = self.groups().chain(doomed);
        let groups = groups.filter(|one| self.is_within(one.id, group));
        let groups: Vec<&str> = groups.map(|one| one.full_path.as_str()).collect();
        let doomed = self.doomed_projects.values().map(|(_, project)| project);
        let projects = self.projects.rows().chain(doomed);
        let projects = projects.filter(|one| self.is_within(one.namespace.id, group));
        let paths = projects.map(|one| one.full_path.as_str());
        let segments = groups.iter().map(|path| path.split('/').count());
        Extent {
            segments: segments.max().unwrap_or_default(),
            bytes: paths
                .chain(groups.iter().copied())
                .map(str::len)
                .max()
                .unwrap_or_default(),
        }
    }

    /// Gives everything below a group the path that it has now, and every project in it the group as it is now.
    fn rename_below(&mut self, before: &Group, after: &Group) -> Result<(), StoreError> {
        let length = before.full_path.as_str().len();
        let renamed = |path: &FullPath| {
            let rest = path.as_str().get(length..).unwrap_or_default();
            FullPath::parse(&format!("{}{rest}", after.full_path.as_str())).ok_or_else(no_path)
        };
        let doomed = self.doomed_namespaces.values();
        let doomed = doomed.map(|(_, row)| (row.group.id, row.group.parent_id));
        let doomed: Vec<NamespaceId> = doomed
            .filter(|(id, parent)| self.is_within(parent.unwrap_or(*id), before.id))
            .map(|(id, _)| id)
            .collect();
        let groups = self.groups().map(|group| group.id);
        let groups = groups.filter(|id| self.is_within(*id, before.id));
        let below: Vec<NamespaceId> = groups.chain(doomed).collect();
        self.note_moves(&below, renamed)?;
        for id in &below {
            let doomed = self.doomed_namespaces.get_mut(id).map(|(_, row)| row);
            if let Some(row) = self.namespaces.get_mut(*id).or(doomed) {
                row.group.full_path = renamed(&row.group.full_path)?;
            }
        }
        let doomed = self.doomed_projects.values_mut();
        let doomed = doomed.map(|(_, project)| project);
        for project in self.projects.rows_mut().chain(doomed) {
            if below.contains(&project.namespace.id) {
                project.full_path = renamed(&project.full_path)?;
                project.namespace.full_path = renamed(&project.namespace.full_path)?;
            }
            if project.namespace.id == after.id {
                project.namespace = after.namespace();
            }
        }
        Ok(())
    }
}
