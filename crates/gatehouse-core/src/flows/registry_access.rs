//! Access to image repositories of a container registry (`OAUTH-15`). The registry requests no decision: it trusts a
//! token that lists what was granted.

use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::page::OffsetPage;
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::Timestamp;
use projects::flow::find_visible::project_access;
use projects::rules::features::Feature;
use projects::{
    ImageCleanup, ImageName, ImageSelection, NewImageRepository, Project, ProjectAccess, TagRule,
    Viewer,
};
use storage::StoreError;

use super::git_access::{GitCaller, is_valid_for, may_read};
use crate::database::{ReadTransaction, WriteTransaction};
use crate::registry_keys::TOKEN_SECONDS;

/// Most image repositories of a project that one step of its deletion removes.
const MAX_PER_PAGE: u64 = 100;

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

/// Stores that tags of an image repository are to be deleted by a rule. Returns `false` if that was requested less than an
/// hour ago.
///
/// # Errors
/// Failures of the store.
pub fn request_cleanup(
    tx: &mut dyn WriteTransaction,
    name: &str,
    rule: TagRule,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let before = now.plus_seconds(-ImageCleanup::INTERVAL_SECONDS);
    let previous = tx.find_image_cleanup(name)?;
    if previous.is_some_and(|previous| previous.requested_at > before) {
        return Ok(false);
    }
    tx.put_image_cleanup(&ImageCleanup {
        name: name.to_owned(),
        selection: ImageSelection::Rule(rule),
        requested_at: now,
        due_at: Some(now),
    })?;
    Ok(true)
}

/// Schedules the deletion of all images of a project that is deleted, at most `limit` repositories. Returns the number of
/// these repositories, which no longer belong to a project. Their images are deleted once the tokens to push that were
/// issued before the deletion was requested have expired.
///
/// # Errors
/// Failures of the store.
pub fn schedule_image_deletion(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    limit: usize,
    requested_at: Timestamp,
) -> Result<usize, StoreError> {
    let limit = u64::try_from(limit).unwrap_or(u64::MAX).min(MAX_PER_PAGE);
    let page = tx.list_image_repositories(project, OffsetPage::new(1, limit))?;
    let count = page.items.len();
    for images in page.items {
        tx.put_image_cleanup(&ImageCleanup {
            name: images.name,
            selection: ImageSelection::All,
            requested_at,
            due_at: Some(requested_at.plus_seconds(TOKEN_SECONDS)),
        })?;
        tx.delete_image_repository(images.id)?;
    }
    Ok(count)
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
    // The images of a deleted project are not those of the project that has its path now.
    let cleanup = tx.find_image_cleanup(name.as_str())?;
    if cleanup.is_some_and(|cleanup| cleanup.selection == ImageSelection::All) {
        return Ok(None);
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
