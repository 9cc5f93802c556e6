//! Access to image repositories of a container registry (`OAUTH-15`). The registry requests no decision: it trusts a
//! token that lists what was granted.

use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::Timestamp;
use projects::flow::find_visible::project_access;
use projects::rules::features::Feature;
use projects::{ImageName, NewImageRepository, Project, ProjectAccess, Viewer};
use storage::StoreError;

use super::git_access::{GitCaller, is_valid_for, may_read};
use crate::database::{ReadTransaction, WriteTransaction};

/// Requested or granted actions on an image repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageActions {
    /// Name of the repository.
    pub name: ImageName,
    /// True to pull images.
    pub pull: bool,
    /// True to push images.
    pub push: bool,
}

/// Actions that were granted, with the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageGrant {
    /// The actions.
    pub actions: ImageActions,
    /// Project that the repository belongs to.
    pub project_id: ProjectId,
    /// True if the repository is stored.
    pub is_stored: bool,
}

/// Grants what a caller may do of the requested actions. Repositories on which nothing is permitted, and those of no
/// project, are left out.
///
/// A stored repository belongs to its project, whichever project has the path now. Any other belongs to the project
/// with the longest path that its name begins with.
///
/// # Errors
/// Failures of the store.
pub fn grant(
    tx: &mut dyn ReadTransaction,
    requested: &[ImageActions],
    caller: &GitCaller,
    now: Timestamp,
) -> Result<Vec<ImageGrant>, StoreError> {
    let mut granted = Vec::new();
    for actions in requested {
        let Some((project, is_stored)) = find_project_of(tx, &actions.name)? else {
            continue;
        };
        let (may_pull, may_push) = permissions(tx, &project, caller, now)?;
        let actions = ImageActions {
            name: actions.name.clone(),
            pull: actions.pull && may_pull,
            push: actions.push && may_push,
        };
        if actions.pull || actions.push {
            granted.push(ImageGrant {
                actions,
                project_id: project.id,
                is_stored,
            });
        }
    }
    Ok(granted)
}

/// Stores the repositories that may be pushed to, and returns the grants without those that another project stored in
/// the meantime.
///
/// # Errors
/// Failures of the store.
pub fn store_repositories(
    tx: &mut dyn WriteTransaction,
    grants: &[ImageGrant],
    now: Timestamp,
) -> Result<Vec<ImageGrant>, StoreError> {
    let mut kept = Vec::new();
    for grant in grants {
        if grant.needs_to_be_stored() {
            let stored = tx.put_image_repository(&NewImageRepository {
                project_id: grant.project_id,
                name: grant.actions.name.as_str().to_owned(),
                created_at: now,
            })?;
            if stored.project_id != grant.project_id {
                continue;
            }
        }
        kept.push(grant.clone());
    }
    Ok(kept)
}

impl ImageGrant {
    /// True if the repository may be pushed to and is not stored yet.
    pub fn needs_to_be_stored(&self) -> bool {
        self.actions.push && !self.is_stored
    }
}

/// Finds the project of a repository, and returns true with it if the repository is stored.
fn find_project_of(
    tx: &mut dyn ReadTransaction,
    name: &ImageName,
) -> Result<Option<(Project, bool)>, StoreError> {
    if let Some(stored) = tx.find_image_repository_by_name(name.as_str())? {
        let project = tx.find_project(&ProjectRef::Id(stored.project_id))?;
        return Ok(project.map(|project| (project, true)));
    }
    for path in name.project_paths() {
        let Some(path) = FullPath::parse(path) else {
            continue;
        };
        if let Some(project) = tx.find_project(&ProjectRef::Path(path))? {
            return Ok(Some((project, false)));
        }
    }
    Ok(None)
}

/// True if a viewer with this access to a project may pull its images, and so may see their names.
pub fn may_pull(project: &Project, access: ProjectAccess) -> bool {
    may_read(Feature::ContainerRegistry, project, access)
}

/// Returns true for pulling and for pushing, if the caller may.
fn permissions(
    tx: &mut dyn ReadTransaction,
    project: &Project,
    caller: &GitCaller,
    now: Timestamp,
) -> Result<(bool, bool), StoreError> {
    match caller {
        GitCaller::Anonymous => {
            let access = project_access(tx, Viewer::Anonymous, project, now)?;
            let may_pull = access.is_some_and(|access| may_pull(project, access));
            Ok((may_pull, false))
        }
        GitCaller::User(principal) => {
            let access = project_access(tx, principal.viewer(), project, now)?;
            let readable = access.filter(|access| may_pull(project, *access));
            let is_developer = readable.is_some_and(|it| it.allows(AccessLevel::Developer));
            let (pulls, pushes) = of_scopes(&principal.scopes);
            let may_push = pushes && is_developer && !project.archived;
            Ok((pulls && readable.is_some(), may_push))
        }
        GitCaller::Deploy(token) => {
            let is_valid = is_valid_for(tx, token, project, Feature::ContainerRegistry)?;
            let (pulls, pushes) = of_scopes(&token.scopes);
            Ok((pulls && is_valid, pushes && is_valid && !project.archived))
        }
    }
}

/// Returns true for pulling and for pushing, if the scopes of a token permit it.
fn of_scopes(scopes: &ScopeSet) -> (bool, bool) {
    let has = |scope: &Scope| scopes.contains(scope);
    (has(&Scope::READ_REGISTRY), has(&Scope::WRITE_REGISTRY))
}
