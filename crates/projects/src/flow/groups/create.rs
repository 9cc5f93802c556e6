//! Creation of a group on behalf of a viewer.

use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use super::{check_place, find_visible_group};
use crate::flow::error::{NamespaceError, check};
use crate::model::{Group, GroupContent, Namespace, NamespaceKind, NewNamespace, Viewer};
use crate::store::{GroupRepository, InsertNamespace, ProjectRepository, SaveGroup};

/// Request to create a group.
#[derive(Debug, Clone)]
pub struct CreateGroup {
    /// Content that users write.
    pub content: GroupContent,
    /// Parent group.
    pub parent: Option<NamespaceId>,
    /// Viewer who creates the group.
    pub viewer: Viewer,
    /// User who becomes its Owner.
    pub owner: UserId,
    /// Current time.
    pub now: Timestamp,
}

/// Creates a group, whose creator becomes its Owner.
/// A subgroup requires the role that the parent group sets.
///
/// # Errors
/// [`NamespaceError::Unknown`] for a parent that the viewer does not see; see [`NamespaceError`] for the others.
pub fn create_group<R>(repos: &mut R, request: &CreateGroup) -> Result<Group, NamespaceError>
where
    R: ProjectRepository + GroupRepository + ?Sized,
{
    check(&request.content)?;
    let content = trimmed(request.content.clone());
    let parent = match request.parent {
        Some(parent) => Some(parent_for(repos, parent, request)?),
        None => None,
    };
    check_place(parent.as_ref(), &content.path, content.visibility)?;
    let inserted = repos.insert_namespace(&NewNamespace {
        kind: NamespaceKind::Group,
        name: content.name.clone(),
        path: content.path.clone(),
        parent: parent.clone(),
        visibility: content.visibility,
        owner: request.owner,
        created_at: request.now,
    })?;
    let InsertNamespace::Inserted(made) = inserted else {
        return Err(NamespaceError::PathTaken);
    };
    let gone = || {
        StoreError::new(
            StoreErrorKind::Internal,
            "find a group that was just created",
        )
    };
    let locked = repos.lock_group(made.id, &[])?.ok_or_else(gone)?;
    match repos.update_group(locked, &content, parent.as_ref(), request.now)? {
        SaveGroup::Saved(group) => Ok(*group),
        SaveGroup::PathTaken | SaveGroup::TooDeep => Err(NamespaceError::PathTaken),
    }
}

/// Locks and returns the parent, if the viewer may create subgroups in it.
/// The lock keeps the checked state until the transaction ends.
pub(super) fn parent_for<R>(
    repos: &mut R,
    parent: NamespaceId,
    request: &CreateGroup,
) -> Result<Namespace, NamespaceError>
where
    R: GroupRepository + ?Sized,
{
    let (viewer, now) = (request.viewer, request.now);
    repos.lock_group(parent, &[])?;
    let found = find_visible_group(repos, &NamespaceRef::Id(parent), viewer, now)?;
    let (parent, access) = found.ok_or(NamespaceError::Unknown("Group"))?;
    if !access.allows(parent.content.subgroup_creation_level.min_level()) {
        return Err(NamespaceError::Forbidden);
    }
    Ok(parent.namespace())
}

/// The content in its stored form.
pub(super) fn trimmed(mut content: GroupContent) -> GroupContent {
    content.name = content.name.trim().to_owned();
    content.settings = content.settings.normalized();
    content
}
