//! Updating and transferring groups.
//! Callers check that the user is an Owner of the group.

use api_conventions::ids::NamespaceId;
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::create::trimmed;
use super::{check_place, find_visible_group};
use crate::flow::error::{NamespaceError, check};
use crate::model::{Group, GroupContent, GroupEdit, MAX_DEPTH, Namespace, Viewer};
use crate::rules::visibility::too_narrow_over;
use crate::store::{GroupRepository, Locked, ProjectQueries, SaveGroup};

/// Updates the content of a group and returns the group before and after the change.
/// A new path changes the full paths of all descendants.
///
/// # Errors
/// See [`NamespaceError`].
pub fn update_group<R>(
    repos: &mut R,
    group: NamespaceId,
    edit: &GroupEdit,
    now: Timestamp,
) -> Result<(Group, Group), NamespaceError>
where
    R: ProjectQueries + GroupRepository + ?Sized,
{
    let locked = lock(repos, group, &[])?;
    let before = locked.clone();
    let content = trimmed(edit.apply(before.content.clone()));
    check(&content)?;
    if content == before.content {
        return Ok((before.clone(), before));
    }
    let parent = match before.parent_id {
        Some(parent) => Some(namespace(repos, parent)?),
        None => None,
    };
    check_place(parent.as_ref(), &content.path, content.visibility)?;
    if content.visibility < before.content.visibility {
        let widest = repos.find_widest_below(group)?;
        if let Some(text) = too_narrow_over(content.visibility, widest) {
            return Err(NamespaceError::of("visibility", text));
        }
    }
    let after = save(repos, locked, &content, parent.as_ref(), now)?;
    Ok((before, after))
}

/// Transfers a group with all its contents to another group, or to the top level.
/// The viewer needs permission to create subgroups in the target. Returns the group before and after the change.
///
/// # Errors
/// [`NamespaceError::Unknown`] for a target group that the viewer does not see, [`NamespaceError::Forbidden`] for one in which
/// it may create no subgroups; see [`NamespaceError`].
pub fn move_group<R>(
    repos: &mut R,
    group: NamespaceId,
    to: Option<NamespaceId>,
    viewer: Viewer,
    now: Timestamp,
) -> Result<(Group, Group), NamespaceError>
where
    R: GroupRepository + ?Sized,
{
    let others: Vec<NamespaceId> = to.into_iter().collect();
    let locked = lock(repos, group, &others)?;
    let before = locked.clone();
    if before.parent_id == to {
        return Err(NamespaceError::Impossible(
            "the group already has this parent",
        ));
    }
    let parent = match to {
        None => None,
        Some(to) => {
            let found = find_visible_group(repos, &NamespaceRef::Id(to), viewer, now)?;
            let (parent, access) = found.ok_or(NamespaceError::Unknown("Group"))?;
            if !access.allows(parent.content.subgroup_creation_level.min_level()) {
                return Err(NamespaceError::Forbidden);
            }
            let above = repos.list_lineage(to)?;
            if above.iter().any(|one| one.id == group) {
                return Err(NamespaceError::Impossible(
                    "a group cannot be moved into itself",
                ));
            }
            Some(parent.namespace())
        }
    };
    check_place(
        parent.as_ref(),
        &before.content.path,
        before.content.visibility,
    )?;
    let content = before.content.clone();
    let after = save(repos, locked, &content, parent.as_ref(), now)?;
    Ok((before, after))
}

fn lock<R: GroupRepository + ?Sized>(
    repos: &mut R,
    group: NamespaceId,
    others: &[NamespaceId],
) -> Result<Locked<Group>, NamespaceError> {
    repos
        .lock_group(group, others)?
        .ok_or(NamespaceError::Unknown("Group"))
}

fn save<R: GroupRepository + ?Sized>(
    repos: &mut R,
    group: Locked<Group>,
    content: &GroupContent,
    parent: Option<&Namespace>,
    now: Timestamp,
) -> Result<Group, NamespaceError> {
    let stays = group.parent_id == parent.map(|parent| parent.id);
    match repos.update_group(group, content, parent, now)? {
        SaveGroup::Saved(group) => Ok(*group),
        SaveGroup::PathTaken => Err(NamespaceError::PathTaken),
        SaveGroup::TooDeep if stays => {
            let text = "makes the paths of subgroups or projects in the group too long";
            Err(NamespaceError::of("path", text))
        }
        SaveGroup::TooDeep => {
            let text = format!("nests the subgroups too deeply (maximum is {MAX_DEPTH} groups)");
            Err(NamespaceError::of("parent_id", text))
        }
    }
}

fn namespace<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    id: NamespaceId,
) -> Result<Namespace, StoreError> {
    let missing = || {
        StoreError::inconsistent(
            "namespaces",
            id.get(),
            "referenced as a parent, but missing",
        )
    };
    repos.find_namespace_by_id(id)?.ok_or_else(missing)
}
