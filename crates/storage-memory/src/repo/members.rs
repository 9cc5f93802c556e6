//! Members, and shares of projects with groups.

use std::collections::BTreeMap;
use std::ops::Deref;

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, ShareId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::CalendarDate;
use projects::{
    LockedMembers, Member, MemberFilter, MemberPlace, MemberQueries, MemberRepository, MemberScope,
    Membership, NewMember, NewShare, Project, ProjectShare,
};
use storage::StoreError;

use super::projects::Tables as Places;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, page_of};

/// The tables: one role of a user in a place, and one share of a project with a group.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    pub(super) members: BTreeMap<(MemberPlace, UserId), Member>,
    pub(super) shares: Table<ShareId, ProjectShare>,
}

/// Whether what ends on a day counts on another one.
fn counts(expires_on: Option<CalendarDate>, today: CalendarDate) -> bool {
    expires_on.is_none_or(|day| today < day)
}

impl Tables {
    /// Gives a role, or changes it where it still counts.
    pub(super) fn put(&mut self, place: MemberPlace, new: &NewMember) {
        let key = (place, new.user_id);
        let known = self.members.get(&key).copied();
        let known = known.filter(|known| counts(known.expires_on, new.created_at.date()));
        let first = known.map_or((new.created_by, new.created_at), |known| {
            (known.created_by, known.created_at)
        });
        let member = Member {
            user_id: new.user_id,
            place,
            level: new.level,
            expires_on: new.expires_on,
            created_by: first.0,
            created_at: first.1,
        };
        self.members.insert(key, member);
    }

    /// The role of a user that was given in a place and counts on a day.
    pub(super) fn role_in(
        &self,
        place: MemberPlace,
        user: UserId,
        today: CalendarDate,
    ) -> Option<Member> {
        let member = self.members.get(&(place, user)).copied();
        member.filter(|member| counts(member.expires_on, today))
    }

    fn shares_of(
        &self,
        project: ProjectId,
        today: CalendarDate,
    ) -> impl Iterator<Item = &ProjectShare> {
        let shares = self.shares.rows();
        shares.filter(move |share| share.project_id == project && counts(share.expires_on, today))
    }

    /// Deletes roles and shares of a place that goes, too, at most `limit`, and gives how many went.
    pub(super) fn delete_of(&mut self, place: MemberPlace, limit: usize) -> usize {
        let its = self.members.keys().filter(|(of, _)| *of == place);
        let its: Vec<(MemberPlace, UserId)> = its.copied().take(limit).collect();
        self.members.retain(|key, _| !its.contains(key));
        let is_of_place = |share: &ProjectShare| match place {
            MemberPlace::Namespace(id) => share.group_id == id,
            MemberPlace::Project(id) => share.project_id == id,
        };
        its.len()
            + self
                .shares
                .remove_where(limit - its.len(), is_of_place)
                .len()
    }

    /// Whether a project is shared with a group.
    pub(super) fn is_shared(
        &self,
        project: ProjectId,
        group: NamespaceId,
        today: CalendarDate,
    ) -> bool {
        let mut shares = self.shares_of(project, today);
        shares.any(|share| share.group_id == group)
    }

    /// The roles of a user in a project, through each way.
    pub(super) fn membership(
        &self,
        places: &Places,
        user: UserId,
        project: &Project,
        today: CalendarDate,
    ) -> Membership {
        let level = |place| self.role_in(place, user, today).map(|member| member.level);
        let highest = |group: NamespaceId| {
            let above = places.lineage(group).map(MemberPlace::Namespace);
            above.filter_map(level).max()
        };
        let shares = self.shares_of(project.id, today);
        let carried = shares.filter_map(|share| Some(highest(share.group_id)?.min(share.level)));
        Membership {
            own: level(MemberPlace::Project(project.id)),
            inherited: highest(project.namespace.id),
            shared: carried.max(),
        }
    }

    /// The members of a place: of each user the role that counts.
    fn members(
        &self,
        places: &Places,
        (place, scope): (MemberPlace, MemberScope),
        today: CalendarDate,
    ) -> Vec<Member> {
        let mut found: BTreeMap<UserId, Member> = BTreeMap::new();
        let mut add = |from: MemberPlace, share: Option<&ProjectShare>| {
            let its = self.members.values().filter(|member| member.place == from);
            for member in its.filter(|member| counts(member.expires_on, today)) {
                let level = share.map_or(member.level, |share| share.level.min(member.level));
                let known = found.get(&member.user_id);
                // What is nearer comes first here.
                if known.is_none_or(|known| known.level < level) {
                    found.insert(member.user_id, Member { level, ..*member });
                }
            }
        };
        add(place, None);
        if scope == MemberScope::All {
            let project = match place {
                MemberPlace::Namespace(_) => None,
                MemberPlace::Project(id) => places.project(id),
            };
            let home = match place {
                MemberPlace::Namespace(id) => Some(id),
                MemberPlace::Project(_) => project.map(|project| project.namespace.id),
            };
            for above in home.into_iter().flat_map(|home| places.lineage(home)) {
                add(MemberPlace::Namespace(above), None);
            }
            for share in project
                .into_iter()
                .flat_map(|project| self.shares_of(project.id, today))
            {
                for above in places.lineage(share.group_id) {
                    add(MemberPlace::Namespace(above), Some(share));
                }
            }
        }
        found.into_values().collect()
    }

    fn matching(
        &self,
        places: &Places,
        of: (MemberPlace, MemberScope),
        filter: &MemberFilter,
        today: CalendarDate,
    ) -> Vec<Member> {
        let mut members = self.members(places, of, today);
        members.retain(|member| {
            let users = filter.users.as_ref();
            users.is_none_or(|users| users.contains(&member.user_id))
                && !filter.except.contains(&member.user_id)
        });
        members
    }

    /// Removes roles, and gives them as they were.
    fn take(&mut self, limit: usize, goes: impl Fn(&Member) -> bool) -> Vec<Member> {
        let going = self.members.values().filter(|member| goes(member));
        let going: Vec<Member> = going.take(limit).copied().collect();
        for member in &going {
            self.members.remove(&(member.place, member.user_id));
        }
        going
    }

    fn take_shares(
        &mut self,
        limit: usize,
        goes: impl Fn(&ProjectShare) -> bool,
    ) -> Vec<ProjectShare> {
        let going = self.shares.rows().filter(|share| goes(share));
        let going: Vec<ProjectShare> = going.take(limit).copied().collect();
        for share in &going {
            self.shares.remove(share.id);
        }
        going
    }
}

impl<S: Deref<Target = State>> MemberQueries for MemoryTx<S> {
    fn find_member(
        &mut self,
        place: MemberPlace,
        scope: MemberScope,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Option<Member>, StoreError> {
        let members = &self.0.members;
        let mut all = members
            .members(&self.0.projects, (place, scope), today)
            .into_iter();
        Ok(all.find(|member| member.user_id == user))
    }

    fn list_members(
        &mut self,
        place: MemberPlace,
        scope: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Member>, StoreError> {
        let members = &self.0.members;
        let matching = members.matching(&self.0.projects, (place, scope), filter, today);
        Ok(page_of(matching.iter().collect(), page))
    }

    fn list_member_ids(
        &mut self,
        place: MemberPlace,
        scope: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<UserId>, StoreError> {
        let members = &self.0.members;
        let matching = members.matching(&self.0.projects, (place, scope), filter, today);
        let ids = matching.into_iter().map(|member| member.user_id);
        Ok(ids.take(limit).collect())
    }

    fn list_memberships(
        &mut self,
        user: UserId,
        projects: &[ProjectId],
        today: CalendarDate,
    ) -> Result<Vec<(ProjectId, Membership)>, StoreError> {
        let (places, members) = (&self.0.projects, &self.0.members);
        let mut asked = projects.to_vec();
        asked.sort_unstable();
        asked.dedup();
        let known = asked.into_iter().filter_map(|id| places.project(id));
        let roles = known.map(|project| {
            let roles = members.membership(places, user, project, today);
            (project.id, roles)
        });
        Ok(roles
            .filter(|(_, roles)| roles.highest().is_some())
            .collect())
    }

    fn has_other_owner(&mut self, group: NamespaceId, user: UserId) -> Result<bool, StoreError> {
        let place = MemberPlace::Namespace(group);
        let mut members = self.0.members.members.values();
        Ok(members.any(|member| {
            member.place == place
                && member.user_id != user
                && member.level == AccessLevel::Owner
                && member.expires_on.is_none()
        }))
    }

    fn list_shares(
        &mut self,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Vec<ProjectShare>, StoreError> {
        Ok(self.0.members.shares_of(project, today).copied().collect())
    }
}

impl MemberRepository for MemoryWriteTx<'_> {
    fn lock_members(&mut self, place: MemberPlace) -> Result<Option<LockedMembers>, StoreError> {
        let places = &self.0.projects;
        let is_there = match place {
            MemberPlace::Namespace(id) => places.has_namespace(id),
            MemberPlace::Project(id) => places.project(id).is_some(),
        };
        Ok(is_there.then(|| LockedMembers::by_adapter(place)))
    }

    fn put_member(&mut self, place: &LockedMembers, member: &NewMember) -> Result<(), StoreError> {
        self.0.members.put(place.place(), member);
        Ok(())
    }

    fn remove_member(
        &mut self,
        place: &LockedMembers,
        user: UserId,
    ) -> Result<Option<Member>, StoreError> {
        Ok(self.0.members.members.remove(&(place.place(), user)))
    }

    fn remove_members_below(
        &mut self,
        place: &LockedMembers,
        user: UserId,
    ) -> Result<Vec<Member>, StoreError> {
        let MemberPlace::Namespace(group) = place.place() else {
            return Ok(Vec::new());
        };
        let state = &mut *self.0;
        let places = &state.projects;
        let is_in = |id| places.lineage(id).any(|above| above == group);
        Ok(state.members.take(usize::MAX, |member| {
            let is_below = match member.place {
                MemberPlace::Namespace(id) => id != group && is_in(id),
                // What waits for a deletion may come back, and its roles with it.
                MemberPlace::Project(id) => places
                    .project_or_doomed(id)
                    .is_some_and(|project| is_in(project.namespace.id)),
            };
            member.user_id == user && is_below
        }))
    }

    fn insert_share(
        &mut self,
        project: &LockedMembers,
        new: &NewShare,
    ) -> Result<Option<ProjectShare>, StoreError> {
        let Some(project_id) = project.project() else {
            return Ok(None);
        };
        let members = &mut self.0.members;
        let today = new.created_at.date();
        let is_it =
            |share: &ProjectShare| share.project_id == project_id && share.group_id == new.group_id;
        members.take_shares(1, |share| is_it(share) && !counts(share.expires_on, today));
        if members.shares.has(is_it) {
            return Ok(None);
        }
        Ok(Some(members.shares.insert_copy(|id| ProjectShare {
            id,
            project_id,
            group_id: new.group_id,
            level: new.level,
            expires_on: new.expires_on,
            created_by: new.created_by,
            created_at: new.created_at,
        })))
    }

    fn remove_share(
        &mut self,
        project: &LockedMembers,
        group: NamespaceId,
    ) -> Result<Option<ProjectShare>, StoreError> {
        let its = project.project();
        let is_it = |share: &ProjectShare| Some(share.project_id) == its && share.group_id == group;
        Ok(self.0.members.take_shares(1, is_it).pop())
    }

    fn take_expired_members(
        &mut self,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<Member>, StoreError> {
        let is_over = |member: &Member| !counts(member.expires_on, today);
        Ok(self.0.members.take(limit, is_over))
    }

    fn take_expired_shares(
        &mut self,
        today: CalendarDate,
        limit: usize,
    ) -> Result<Vec<ProjectShare>, StoreError> {
        let is_over = |share: &ProjectShare| !counts(share.expires_on, today);
        Ok(self.0.members.take_shares(limit, is_over))
    }
}
