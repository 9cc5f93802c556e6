//! Sharing projects with groups.

use api_conventions::access::AccessLevel;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::NamespaceRef;
use api_conventions::time::CalendarDate;

use super::change::check_expiry;
use super::{MemberActor, MemberContext, MemberError, MemberJournal, lock};
use crate::flow::groups::find_visible_group;
use crate::model::{NewShare, Project, ProjectShare, ShareAction, ShareChange};
use crate::rules::members::{min_manager_level, reaches};
use crate::store::{GroupQueries, MemberRepository};

/// Request to share a project.
#[derive(Debug, Clone, Copy)]
pub struct ShareProject {
    /// Group to share with.
    pub group_id: NamespaceId,
    /// Maximum role of members of the group.
    pub level: AccessLevel,
    /// First day on which the share no longer counts.
    pub expires_on: Option<CalendarDate>,
}

/// Shares a project with a group that the caller sees.
///
/// # Errors
/// [`MemberError::Unknown`] for a group that the caller does not see, [`MemberError::Forbidden`] for a caller who may
/// not manage the members or exceeds their own role, [`MemberError::Impossible`] if the project's group or one of its
/// ancestors forbids sharing, [`MemberError::IsShared`], [`MemberError::Invalid`]; failures of the store.
pub fn share_project<R>(
    repos: &mut R,
    project: &Project,
    request: &ShareProject,
    acting: MemberActor,
) -> Result<ProjectShare, MemberError>
where
    R: GroupQueries + MemberRepository + MemberJournal + ?Sized,
{
    let today = acting.now.date();
    let (locked, role) = lock(repos, MemberContext::from(project), acting)?;
    let manages = |role: &AccessLevel| *role >= min_manager_level(true);
    let role = role.filter(manages).ok_or(MemberError::Forbidden)?;
    let group = NamespaceRef::Id(request.group_id);
    let seen = find_visible_group(repos, &group, acting.viewer, acting.now)?;
    if seen.is_none() {
        return Err(MemberError::Unknown("Group"));
    }
    if !reaches(role, request.level) {
        return Err(MemberError::Forbidden);
    }
    check_shareable(repos, project, request.group_id)?;
    check_expiry(request.expires_on, today)?;
    if repos.list_shares(project.id, today)?.len() >= ProjectShare::MAX_PER_PROJECT {
        return Err(MemberError::of(
            "base",
            "the project is shared with too many groups",
        ));
    }
    let share = NewShare {
        group_id: request.group_id,
        level: request.level,
        expires_on: request.expires_on,
        created_by: acting.user(),
        created_at: acting.now,
    };
    let share = repos.insert_share(&locked, &share)?;
    let share = share.ok_or(MemberError::IsShared)?;
    journal(repos, share, ShareAction::Added, acting)?;
    Ok(share)
}

/// Removes the share of a project with a group.
///
/// # Errors
/// [`MemberError::Unknown`] if there is no such share, [`MemberError::Forbidden`] for a caller who may not manage the
/// members; failures of the store.
pub fn unshare_project<R>(
    repos: &mut R,
    project: &Project,
    group: NamespaceId,
    acting: MemberActor,
) -> Result<ProjectShare, MemberError>
where
    R: MemberRepository + MemberJournal + ?Sized,
{
    let (locked, role) = lock(repos, MemberContext::from(project), acting)?;
    if role.is_none_or(|role| role < min_manager_level(true)) {
        return Err(MemberError::Forbidden);
    }
    let removed = repos.remove_share(&locked, group)?;
    let removed = removed.ok_or(MemberError::Unknown("Group Link"))?;
    journal(repos, removed, ShareAction::Removed, acting)?;
    Ok(removed)
}

fn journal<R>(
    repos: &mut R,
    share: ProjectShare,
    action: ShareAction,
    acting: MemberActor,
) -> Result<(), MemberError>
where
    R: MemberJournal + ?Sized,
{
    Ok(repos.journal_shares(&[ShareChange {
        share,
        action,
        by: acting.user(),
        at: acting.now,
    }])?)
}

/// Rejects sharing a project with its own group, or if that group or one of its ancestors forbids sharing.
fn check_shareable<R>(
    repos: &mut R,
    project: &Project,
    group: NamespaceId,
) -> Result<(), MemberError>
where
    R: GroupQueries + ?Sized,
{
    let home = project.namespace.id;
    if home == group {
        return Err(MemberError::of("group_id", "is the project's own group"));
    }
    // A group that forbids sharing forbids it for all its descendants.
    for above in repos.list_lineage(home)? {
        let above = repos.find_group(&NamespaceRef::Id(above.id))?;
        if above.is_some_and(|above| above.content.share_with_group_lock) {
            return Err(MemberError::Impossible(
                "The project sharing with group is disabled",
            ));
        }
    }
    Ok(())
}
