//! Saboteurs of roles and shares.

use ::projects::{
    Locked, Member, MemberFilter, MemberScope, MemberSource, Membership, NewShare, ProjectShare,
};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::CalendarDate;
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur, WriteHook};

/// Returns a day before all others, on which no role has expired.
fn first_day() -> CalendarDate {
    CalendarDate::parse("0001-01-01").unwrap()
}

/// Ignores the expiry of roles and shares.
pub(crate) struct IgnoresExpiry;

impl Saboteur for IgnoresExpiry {
    fn find_membership(
        &self,
        at: &mut ReadHook<'_>,
        user: UserId,
        project: ProjectId,
        _: CalendarDate,
    ) -> Result<Membership, StoreError> {
        at.tx.find_membership(user, project, first_day())
    }
}

/// Raises every role through a share to Owner, regardless of the role in the group.
pub(crate) struct LiftsSharedRoles;

impl Saboteur for LiftsSharedRoles {
    fn find_membership(
        &self,
        at: &mut ReadHook<'_>,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError> {
        let mut found = at.tx.find_membership(user, project, today)?;
        found.shared = found.shared.map(|_| AccessLevel::Owner);
        Ok(found)
    }
}

/// Shares a project with a group as often as requested.
pub(crate) struct SharesTwice;

impl Saboteur for SharesTwice {
    fn insert_share(
        &self,
        at: &mut WriteHook<'_>,
        project: &Locked<MemberSource>,
        share: &NewShare,
    ) -> Result<Option<ProjectShare>, StoreError> {
        at.tx.remove_share(project, share.group_id)?;
        at.tx.insert_share(project, share)
    }
}

/// Keeps the roles of a removed member below the group.
pub(crate) struct LeavesRolesBelow;

impl Saboteur for LeavesRolesBelow {
    fn remove_members_below(
        &self,
        _: &mut WriteHook<'_>,
        _: &Locked<MemberSource>,
        _: UserId,
    ) -> Result<Vec<Member>, StoreError> {
        Ok(Vec::new())
    }
}

/// Takes every role for that of a permanent Owner.
pub(crate) struct FindsOwnersEverywhere;

impl Saboteur for FindsOwnersEverywhere {
    fn has_other_owner(
        &self,
        _: &mut ReadHook<'_>,
        _: NamespaceId,
        _: UserId,
    ) -> Result<bool, StoreError> {
        Ok(true)
    }
}

/// Locks places that do not exist.
pub(crate) struct LocksNothing;

impl Saboteur for LocksNothing {
    fn lock_members(
        &self,
        _: &mut WriteHook<'_>,
        place: MemberSource,
    ) -> Result<Option<Locked<MemberSource>>, StoreError> {
        Ok(Some(Locked::by_adapter(place)))
    }
}

/// Deletes all expired rows, regardless of the limit.
pub(crate) struct TakesAllExpired;

impl Saboteur for TakesAllExpired {
    fn take_expired_members(
        &self,
        at: &mut WriteHook<'_>,
        today: CalendarDate,
        _: usize,
    ) -> Result<Vec<Member>, StoreError> {
        at.tx.take_expired_members(today, usize::MAX)
    }
}

/// Lists direct members only, whichever are requested.
pub(crate) struct ListsDirectMembersOnly;

impl Saboteur for ListsDirectMembersOnly {
    fn list_members(
        &self,
        at: &mut ReadHook<'_>,
        place: MemberSource,
        _: MemberScope,
        filter: &MemberFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Member>, StoreError> {
        let direct = MemberScope::Direct;
        at.tx.list_members(place, direct, filter, today, page)
    }
}
