//! Creation of a project.

use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;

use super::error::{NamespaceError, check};
use super::groups::find_visible_group;
use crate::model::{Namespace, NamespaceKind, NewProject, Project, ProjectContent, Viewer};
use crate::rules::visibility::too_wide_for;
use crate::store::{
    GroupQueries, GroupRepository, InsertProject, ProjectQueries, ProjectRepository,
};

/// Creates a project in its namespace.
/// Authorization is left to the caller.
///
/// # Errors
/// See [`NamespaceError`].
pub fn create_project<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    request: &NewProject,
) -> Result<Project, NamespaceError> {
    check(request)?;
    match repos.insert_project(request)? {
        InsertProject::Inserted(project) => Ok(*project),
        InsertProject::PathTaken => Err(NamespaceError::PathTaken),
        InsertProject::NameTaken => Err(NamespaceError::NameTaken),
    }
}

/// Request to create a project.
#[derive(Debug, Clone)]
pub struct CreateProject {
    /// Content that users write.
    pub content: ProjectContent,
    /// Target namespace; `None` for the namespace of `owner`.
    pub namespace: Option<NamespaceId>,
    /// Viewer who creates the project.
    pub viewer: Viewer,
    /// Creator, whose namespace is used when none is named.
    pub owner: UserId,
    /// Current time.
    pub now: Timestamp,
}

/// Prepares the project to create, in a namespace in which the viewer may create projects.
///
/// # Errors
/// [`NamespaceError::Invalid`] names `namespace` if the viewer may create no projects in it, whether or not it exists; see
/// [`NamespaceError`] for the others.
pub fn prepare_project<R>(
    repos: &mut R,
    request: CreateProject,
) -> Result<NewProject, NamespaceError>
where
    R: ProjectQueries + GroupRepository + ?Sized,
{
    let namespace = match request.namespace {
        Some(id) => namespace_for(repos, id, request.viewer, request.now)?,
        None => own_namespace(repos, request.owner)?,
    };
    if let Some(text) = too_wide_for(request.content.visibility, &namespace) {
        return Err(NamespaceError::of("visibility", text));
    }
    let (owner, now) = (request.owner, request.now);
    Ok(NewProject::new(namespace, request.content, owner, now))
}

/// Locks and returns a namespace in which a viewer may create projects, or to which it may transfer them.
/// The lock keeps the checked state until the transaction ends.
pub(super) fn namespace_for<R>(
    repos: &mut R,
    id: NamespaceId,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Namespace, NamespaceError>
where
    R: ProjectQueries + GroupRepository + ?Sized,
{
    let refused = || NamespaceError::of("namespace", "is not valid");
    repos.lock_group(id, &[])?;
    let namespace = repos.find_namespace_by_id(id)?.ok_or_else(refused)?;
    let is_permitted = match namespace.kind {
        NamespaceKind::User => may_use_users_namespace(repos, &namespace, viewer)?,
        NamespaceKind::Group => may_create_projects(repos, &namespace, viewer, now)?,
    };
    is_permitted.then_some(namespace).ok_or_else(refused)
}

fn may_use_users_namespace<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    namespace: &Namespace,
    viewer: Viewer,
) -> Result<bool, NamespaceError> {
    match viewer {
        Viewer::Administrator(_) => Ok(true),
        Viewer::Anonymous => Ok(false),
        Viewer::User(user) => {
            let own = repos.find_namespace_of(user)?;
            Ok(own.is_some_and(|own| own.id == namespace.id))
        }
    }
}

fn may_create_projects<R: GroupQueries + ?Sized>(
    repos: &mut R,
    namespace: &Namespace,
    viewer: Viewer,
    now: Timestamp,
) -> Result<bool, NamespaceError> {
    let found = find_visible_group(repos, &NamespaceRef::Id(namespace.id), viewer, now)?;
    Ok(found.is_some_and(|(group, access)| {
        access.allows_at_least(group.content.project_creation_level.min_level())
    }))
}

fn own_namespace<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    owner: UserId,
) -> Result<Namespace, NamespaceError> {
    let own = repos.find_namespace_of(owner)?;
    own.ok_or_else(|| NamespaceError::of("namespace", "is not valid"))
}
