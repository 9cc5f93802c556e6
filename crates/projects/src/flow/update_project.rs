//! Updating, archiving and transferring projects.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId};
use api_conventions::time::Timestamp;

use super::create_project::namespace_for;
use super::error::{NamespaceError, check};
use crate::model::{NewProject, Project, ProjectEdit, Viewer};
use crate::rules::access::ProjectAccess;
use crate::rules::visibility::too_wide_for;
use crate::store::{GroupRepository, Locked, ProjectChange, ProjectRepository, SaveProject};

/// Updates the content of a project and returns the project before and after the change.
/// The visibility and the path require the Owner role. Callers check that the user is a Maintainer.
///
/// # Errors
/// See [`NamespaceError`].
pub fn update_project<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    edit: &ProjectEdit,
    access: ProjectAccess,
    now: Timestamp,
) -> Result<(Project, Project), NamespaceError> {
    let locked = lock(repos, project, &[])?;
    let before = locked.clone();
    let content = edit.apply(before.content()).normalized();
    check(&content)?;
    if content == before.content() {
        return Ok((before.clone(), before));
    }
    let is_owners = content.visibility != before.visibility || content.path != before.path;
    if is_owners && !access.allows(AccessLevel::Owner) {
        return Err(NamespaceError::Forbidden);
    }
    if content.visibility > before.visibility
        && let Some(text) = too_wide_for(content.visibility, &before.namespace)
    {
        return Err(NamespaceError::of("visibility", text));
    }
    let change = ProjectChange {
        content,
        namespace: before.namespace.clone(),
        archived: before.archived,
    };
    let after = save(repos, locked, &change, now)?;
    Ok((before, after))
}

/// Archives or unarchives a project.
/// Returns the project before and after the change.
///
/// # Errors
/// See [`NamespaceError`].
pub fn archive_project<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    archived: bool,
    now: Timestamp,
) -> Result<(Project, Project), NamespaceError> {
    let locked = lock(repos, project, &[])?;
    let before = locked.clone();
    if before.archived == archived {
        return Ok((before.clone(), before));
    }
    let change = ProjectChange {
        content: before.content(),
        namespace: before.namespace.clone(),
        archived,
    };
    let after = save(repos, locked, &change, now)?;
    Ok((before, after))
}

/// Transfers a project to another namespace, in which the viewer may create projects.
/// Callers check that the user is an Owner of the project. Returns the project before and after the change.
///
/// # Errors
/// [`NamespaceError::Invalid`] names `namespace` if the viewer may create no projects there; see [`NamespaceError`] for the
/// others.
pub fn move_project<R: ProjectRepository + GroupRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    to: NamespaceId,
    viewer: Viewer,
    now: Timestamp,
) -> Result<(Project, Project), NamespaceError> {
    let locked = lock(repos, project, &[to])?;
    let before = locked.clone();
    let namespace = namespace_for(repos, to, viewer, now)?;
    if namespace.id == before.namespace.id {
        return Err(NamespaceError::Impossible(
            "the project is already in this namespace",
        ));
    }
    if let Some(text) = too_wide_for(before.visibility, &namespace) {
        return Err(NamespaceError::of("visibility", text));
    }
    let change = ProjectChange {
        content: before.content(),
        namespace,
        archived: before.archived,
    };
    let after = save(repos, locked, &change, now)?;
    Ok((before, after))
}

fn lock<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    others: &[NamespaceId],
) -> Result<Locked<Project>, NamespaceError> {
    repos
        .lock_project(project, others)?
        .ok_or(NamespaceError::Unknown("Project"))
}

fn save<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    project: Locked<Project>,
    change: &ProjectChange,
    now: Timestamp,
) -> Result<Project, NamespaceError> {
    // The path must be valid in the new namespace.
    let (creator, created_at) = (project.creator_id, project.created_at);
    check(&NewProject::new(
        change.namespace.clone(),
        change.content.clone(),
        creator,
        created_at,
    ))?;
    match repos.update_project(project, change, now)? {
        SaveProject::Saved(project) => Ok(*project),
        SaveProject::PathTaken => Err(NamespaceError::PathTaken),
        SaveProject::NameTaken => Err(NamespaceError::NameTaken),
    }
}
