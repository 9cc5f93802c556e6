//! Lookup of a project on behalf of a viewer.

use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Membership, Project, Viewer};
use crate::rules::access::ProjectAccess;
use crate::store::{ProjectQueries, RedirectTarget};

/// Returns the project and the viewer's permissions, or `None` if the project does not exist for this viewer.
///
/// # Errors
/// Failures of the store.
pub fn find_visible_project<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    reference: &ProjectRef,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
    let Some(project) = repos.find_project(reference)? else {
        return Ok(None);
    };
    let access = project_access(repos, viewer, &project, now)?;
    Ok(access.map(|access| (project, access)))
}

/// Returns the project that had this path before it was renamed or transferred, as [`find_visible_project`] does.
///
/// # Errors
/// Failures of the store.
pub fn find_redirected_project<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    reference: &ProjectRef,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
    let ProjectRef::Path(path) = reference else {
        return Ok(None);
    };
    match repos.find_redirect(path)? {
        Some(RedirectTarget::Project(id)) => {
            find_visible_project(repos, &ProjectRef::Id(id), viewer, now)
        }
        _ => Ok(None),
    }
}

/// Permissions of a viewer in a project, or `None` if the project does not exist for this viewer.
///
/// # Errors
/// Failures of the store.
pub fn project_access<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    viewer: Viewer,
    project: &Project,
    now: Timestamp,
) -> Result<Option<ProjectAccess>, StoreError> {
    let membership = match viewer.user_id() {
        Some(user) => repos.find_membership(user, project.id, now.date())?,
        None => Membership::default(),
    };
    Ok(ProjectAccess::decide(
        viewer,
        membership,
        project.visibility,
    ))
}
