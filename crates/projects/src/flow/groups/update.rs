//! Updating and transferring groups.
//! Callers check that the user is an Owner of the group.

use api_conventions::ids::NamespaceId;
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::create::trimmed;
use super::{check_place, find_visible_group};
use crate::flow::error::{PlaceError, check};
use crate::model::{Group, GroupContent, GroupEdit, MAX_DEPTH, Namespace, Viewer};
use crate::rules::visibility::too_narrow_over;
use crate::store::{GroupRepository, Locked, ProjectQueries, SaveGroup};

/// Updates the content of a group and returns the group before and after the change.
/// A new path changes the full paths of all descendants.
///
/// # Errors
/// See [`PlaceError`].
pub fn update_group<R>(
    repos: &mut R,
    group: NamespaceId,
    edit: &GroupEdit,
    now: Timestamp,
) -> Result<(Group, Group), PlaceError>
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
            return Err(PlaceError::of("visibility", text));
        }
    }
    let after = save(repos, locked, &content, parent.as_ref(), now)?;
    Ok((before, after))
}

/// Transfers a group with all its contents to another group, or to the top level.
/// The viewer needs permission to create subgroups in the target. Returns the group before and after the change.
///
/// # Errors
/// [`PlaceError::Unknown`] for a target group that the viewer does not see, [`PlaceError::Forbidden`] for one in which
/// it may create no subgroups; see [`PlaceError`].
pub fn move_group<R>(
    repos: &mut R,
    group: NamespaceId,
    to: Option<NamespaceId>,
    (viewer, now): (Viewer, Timestamp),
) -> Result<(Group, Group), PlaceError>
where
    R: GroupRepository + ?Sized,
{
    let others: Vec<NamespaceId> = to.into_iter().collect();
    let locked = lock(repos, group, &others)?;
    let before = locked.clone();
    if before.parent_id == to {
        return Err(PlaceError::Impossible("the group is there already"));
    }
    let parent = match to {
        None => None,
        Some(to) => {
            let found = find_visible_group(repos, &NamespaceRef::Id(to), viewer, now)?;
            let (parent, access) = found.ok_or(PlaceError::Unknown("Group"))?;
            if !access.allows(parent.content.subgroup_creation_level.least()) {
                return Err(PlaceError::Forbidden);
            }
            let above = repos.list_lineage(to)?;
            if above.iter().any(|one| one.id == group) {
                return Err(PlaceError::Impossible(
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
) -> Result<Locked<Group>, PlaceError> {
    repos
        .lock_group(group, others)?
        .ok_or(PlaceError::Unknown("Group"))
}

fn save<R: GroupRepository + ?Sized>(
    repos: &mut R,
    group: Locked<Group>,
    content: &GroupContent,
    parent: Option<&Namespace>,
    now: Timestamp,
) -> Result<Group, PlaceError> {
    let stays = group.parent_id == parent.map(|parent| parent.id);
    match repos.update_group(group, content, parent, now)? {
        SaveGroup::Saved(group) => Ok(*group),
        SaveGroup::PathTaken => Err(PlaceError::PathTaken),
        SaveGroup::TooDeep if stays => {
            let text = "is too long for the paths of what is in the group";
            Err(PlaceError::of("path", text))
        }
        SaveGroup::TooDeep => {
            let text =
                format!("nests what is in the group too deeply (maximum is {MAX_DEPTH} groups)");
            Err(PlaceError::of("parent_id", text))
        }
    }
}

fn namespace<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    id: NamespaceId,
) -> Result<Namespace, StoreError> {
    let missing =
        || StoreError::inconsistent("namespaces", id.get(), "named as a parent, but not there");
    repos.find_namespace_by_id(id)?.ok_or_else(missing)
}
