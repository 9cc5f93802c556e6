//! Adding, updating and removing members.

use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;
use api_conventions::time::CalendarDate;
use storage::StoreError;

use super::find::stays_owner;
use super::{
    MemberActor, MemberContext, MemberError, MemberJournal, find_member, is_last_owner, lock,
};
use crate::model::{Member, MemberAction, MemberChange, MemberScope, MemberSource, NewMember};
use crate::rules::members::{below_inherited, is_expiry, min_manager_level, reaches};
use crate::store::{MemberRepository, ProjectQueries};

/// Error for a group that would lose its last Owner.
const LAST_OWNER: &str = "cannot be changed: the group needs an Owner whose role does not expire";

/// Request to add a member.
#[derive(Debug, Clone, Copy)]
pub struct AddMember {
    /// User to add, who must exist.
    pub user_id: UserId,
    /// Role.
    pub level: AccessLevel,
    /// First day on which the role no longer counts.
    pub expires_on: Option<CalendarDate>,
}

/// Edit of a member.
#[derive(Debug, Clone, Copy)]
pub struct MemberEdit {
    /// User.
    pub user_id: UserId,
    /// New role.
    pub level: AccessLevel,
    /// First day on which the role no longer counts; `None` to keep the current day, `Some(None)` to remove the expiry.
    pub expires_on: Option<Option<CalendarDate>>,
}

/// Request to remove a member.
#[derive(Debug, Clone, Copy)]
pub struct RemoveMember {
    /// User.
    pub user_id: UserId,
    /// True if the user keeps direct roles in the subgroups and projects of a group.
    pub skips_subresources: bool,
}

/// Adds a user as a direct member of a place.
///
/// # Errors
/// [`MemberError::Forbidden`] for a caller who may not manage the members or exceeds their own role,
/// [`MemberError::Exists`], [`MemberError::Invalid`] for a role below the inherited one and for a day of expiry that is
/// not after today; failures of the store.
pub fn add_member<R>(
    repos: &mut R,
    of: MemberContext,
    new: &AddMember,
    acting: MemberActor,
) -> Result<Member, MemberError>
where
    R: ProjectQueries + MemberRepository + MemberJournal + ?Sized,
{
    let today = acting.now.date();
    let (locked, role) = lock(repos, of, acting)?;
    check_power(of, role, &[new.level])?;
    let known = repos.find_member(of.source, MemberScope::Direct, new.user_id, today)?;
    if known.is_some() {
        return Err(MemberError::Exists);
    }
    check_expiry(new.expires_on, today)?;
    check_inherited(repos, of, new.user_id, new.level, today)?;
    let given = NewMember {
        user_id: new.user_id,
        level: new.level,
        expires_on: new.expires_on,
        created_by: acting.user(),
        created_at: acting.now,
    };
    repos.put_member(&locked, &given)?;
    let member = Member {
        user_id: new.user_id,
        source: of.source,
        level: new.level,
        expires_on: new.expires_on,
        created_by: given.created_by,
        created_at: given.created_at,
    };
    journal(repos, member, MemberAction::Added, acting)?;
    Ok(member)
}

/// Updates the role of a direct member of a place.
///
/// # Errors
/// [`MemberError::Unknown`] for a user who is not a direct member, [`MemberError::Forbidden`] for a caller who may not
/// manage the members or exceeds their own role, [`MemberError::Invalid`] as for [`add_member`] and for the last Owner
/// of a group; failures of the store.
pub fn update_member<R>(
    repos: &mut R,
    of: MemberContext,
    edit: &MemberEdit,
    acting: MemberActor,
) -> Result<Member, MemberError>
where
    R: ProjectQueries + MemberRepository + MemberJournal + ?Sized,
{
    let today = acting.now.date();
    let (locked, role) = lock(repos, of, acting)?;
    let before = find_member(repos, of, MemberScope::Direct, edit.user_id, acting.now)?;
    check_power(of, role, &[before.level, edit.level])?;
    let after = Member {
        level: edit.level,
        expires_on: edit.expires_on.unwrap_or(before.expires_on),
        ..before
    };
    if after.expires_on != before.expires_on {
        check_expiry(after.expires_on, today)?;
    }
    check_inherited(repos, of, edit.user_id, edit.level, today)?;
    if !stays_owner(&after) && is_last_owner(repos, of, &before)? {
        let lower = after.level != AccessLevel::Owner;
        let attribute = if lower { "access_level" } else { "expires_at" };
        return Err(MemberError::of(attribute, LAST_OWNER));
    }
    repos.put_member(
        &locked,
        &NewMember {
            user_id: after.user_id,
            level: after.level,
            expires_on: after.expires_on,
            created_by: after.created_by,
            created_at: acting.now,
        },
    )?;
    if after != before {
        journal(repos, after, MemberAction::Updated(before), acting)?;
    }
    Ok(after)
}

/// Removes a direct member of a place and, for a group, the user's direct roles in its subgroups and projects.
/// Every user may leave.
///
/// # Errors
/// [`MemberError::Unknown`] for a user who is not a direct member; [`MemberError::Forbidden`] for a caller who may not
/// manage the members, exceeds their own role, or would leave a group without an Owner; failures of the store.
pub fn remove_member<R>(
    repos: &mut R,
    of: MemberContext,
    remove: RemoveMember,
    acting: MemberActor,
) -> Result<Member, MemberError>
where
    R: ProjectQueries + MemberRepository + MemberJournal + ?Sized,
{
    let (locked, role) = lock(repos, of, acting)?;
    let known = find_member(repos, of, MemberScope::Direct, remove.user_id, acting.now)?;
    let leaves = acting.user() == Some(remove.user_id);
    if !leaves {
        check_power(of, role, &[known.level])?;
    }
    if is_last_owner(repos, of, &known)? {
        return Err(MemberError::Forbidden);
    }
    let mut removed: Vec<Member> = repos
        .remove_member(&locked, remove.user_id)?
        .into_iter()
        .collect();
    if !remove.skips_subresources {
        removed.extend(repos.remove_members_below(&locked, remove.user_id)?);
    }
    let action = if leaves {
        MemberAction::Left
    } else {
        MemberAction::Removed
    };
    let changes = removed.into_iter().map(|member| MemberChange {
        member,
        action,
        by: acting.user(),
        at: acting.now,
    });
    repos.journal_members(&changes.collect::<Vec<_>>())?;
    Ok(known)
}

fn journal<R>(
    repos: &mut R,
    member: Member,
    action: MemberAction,
    acting: MemberActor,
) -> Result<(), StoreError>
where
    R: MemberJournal + ?Sized,
{
    repos.journal_members(&[MemberChange {
        member,
        action,
        by: acting.user(),
        at: acting.now,
    }])
}

/// Rejects a caller whose role is too low to manage members, or lower than one of these roles.
fn check_power(
    of: MemberContext,
    own: Option<AccessLevel>,
    levels: &[AccessLevel],
) -> Result<(), MemberError> {
    let least = min_manager_level(of.is_project());
    let own = own.filter(|own| *own >= least);
    let own = own.ok_or(MemberError::Forbidden)?;
    let may = levels.iter().all(|level| reaches(own, *level));
    may.then_some(()).ok_or(MemberError::Forbidden)
}

/// Rejects a day of expiry that is not after today.
pub(super) fn check_expiry(
    day: Option<CalendarDate>,
    today: CalendarDate,
) -> Result<(), MemberError> {
    let is_good = day.is_none_or(|day| is_expiry(day, today));
    let refusal = || MemberError::of("expires_at", "must be a date after today");
    is_good.then_some(()).ok_or_else(refusal)
}

/// Rejects a role below the one that the user inherits from an ancestor.
fn check_inherited<R>(
    repos: &mut R,
    of: MemberContext,
    user: UserId,
    level: AccessLevel,
    today: CalendarDate,
) -> Result<(), MemberError>
where
    R: ProjectQueries + MemberRepository + ?Sized,
{
    let Some(above) = of.above else { return Ok(()) };
    let above = MemberSource::Namespace(above);
    let Some(inherited) = repos.find_member(above, MemberScope::All, user, today)? else {
        return Ok(());
    };
    if reaches(level, inherited.level) {
        return Ok(());
    }
    let group = match inherited.source {
        MemberSource::Namespace(id) => repos.find_namespace_by_id(id)?,
        MemberSource::Project(_) => None,
    };
    let name = group.map(|group| group.name).unwrap_or_default();
    match below_inherited(level, Some(inherited.level), &name) {
        Some(text) => Err(MemberError::of("access_level", text)),
        None => Ok(()),
    }
}
