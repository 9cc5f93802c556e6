//! Lookup of a group on behalf of a viewer.

use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Group, GroupMembership, Viewer};
use crate::rules::group_access::GroupAccess;
use crate::store::{GroupQueries, ProjectQueries, RedirectTarget};

/// Returns the group and the viewer's permissions, or `None` if the group does not exist for this viewer.
///
/// # Errors
/// Failures of the store.
pub fn find_visible_group<R: GroupQueries + ?Sized>(
    repos: &mut R,
    reference: &NamespaceRef,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<(Group, GroupAccess)>, StoreError> {
    let Some(group) = repos.find_group(reference)? else {
        return Ok(None);
    };
    let access = group_access(repos, viewer, &group, now)?;
    Ok(access.map(|access| (group, access)))
}

/// Returns the group that had this path before it was renamed or transferred, as [`find_visible_group`] does.
///
/// # Errors
/// Failures of the store.
pub fn find_redirected_group<R: GroupQueries + ProjectQueries + ?Sized>(
    repos: &mut R,
    reference: &NamespaceRef,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<(Group, GroupAccess)>, StoreError> {
    let NamespaceRef::Path(path) = reference else {
        return Ok(None);
    };
    match repos.find_redirect(path)? {
        Some(RedirectTarget::Namespace(id)) => {
            find_visible_group(repos, &NamespaceRef::Id(id), viewer, now)
        }
        _ => Ok(None),
    }
}

/// Permissions of a viewer in a group, or `None` if the group does not exist for this viewer.
///
/// # Errors
/// Failures of the store.
pub fn group_access<R: GroupQueries + ?Sized>(
    repos: &mut R,
    viewer: Viewer,
    group: &Group,
    now: Timestamp,
) -> Result<Option<GroupAccess>, StoreError> {
    let membership = match viewer.user_id() {
        Some(user) => repos.find_group_membership(user, group.id, now.date())?,
        None => GroupMembership::default(),
    };
    Ok(GroupAccess::decide(
        viewer,
        membership,
        group.content.visibility,
    ))
}
