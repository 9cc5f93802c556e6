//! Access to a repository over Git (`AUTH-07`). A Git server or a proxy in front of it holds the repository and requests
//! the decision here.

use std::sync::Arc;

use accounts::{DeployToken, TokenPlace};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use projects::flow::find_visible::{find_redirected_project, find_visible_project};
use projects::rules::features::{Feature, Readers};
use projects::{Project, ProjectAccess, Viewer};
use storage::StoreError;

use crate::auth::principal::Principal;
use crate::database::ReadTransaction;

/// Right that a Git command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitRight {
    /// Fetching: `git clone`, `git fetch` and `git ls-remote`.
    Read,
    /// Pushing.
    Write,
}

impl GitRight {
    /// Name in responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Scopes of which a token needs one.
    pub const fn scopes(self) -> &'static [Scope] {
        const READ: &[Scope] = &[Scope::READ_REPOSITORY, Scope::WRITE_REPOSITORY];
        const WRITE: &[Scope] = &[Scope::WRITE_REPOSITORY];
        match self {
            Self::Read => READ,
            Self::Write => WRITE,
        }
    }
}

/// Caller of a Git server, known by the token that a program sent as a password.
#[derive(Debug, Clone)]
pub enum GitCaller {
    /// No token was sent.
    Anonymous,
    /// User or bot whom an access token acts for.
    User(Arc<Principal>),
    /// Deploy token, which acts for no user.
    Deploy(DeployToken),
}

/// Reasons to refuse access to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitRefusal {
    /// The caller sent no token. With one, access may be possible, or the project may not exist.
    TokenNeeded,
    /// The token lacks a scope.
    ScopeNeeded,
    /// The project does not exist, or the caller may not fetch from it.
    Unknown,
    /// The role of the caller is too low to push.
    RoleTooLow,
    /// A deploy token never pushes.
    ReadOnlyToken,
    /// The project is archived.
    Archived,
}

/// Checks the right of a caller in the project with this path, which may be a former one. Returns the project.
///
/// # Errors
/// Failures of the store.
pub fn decide(
    tx: &mut dyn ReadTransaction,
    path: &FullPath,
    right: GitRight,
    holder: &GitCaller,
    now: Timestamp,
) -> Result<Result<Project, GitRefusal>, StoreError> {
    match holder {
        GitCaller::Anonymous => {
            let found = find_readable(tx, path, Viewer::Anonymous, now)?;
            let read = found.filter(|_| right == GitRight::Read);
            Ok(read
                .map(|(project, _)| project)
                .ok_or(GitRefusal::TokenNeeded))
        }
        GitCaller::User(principal) => {
            if !principal.scopes.allows_any(right.scopes()) {
                return Ok(Err(GitRefusal::ScopeNeeded));
            }
            let found = find_readable(tx, path, principal.viewer(), now)?;
            Ok(match found {
                None => Err(GitRefusal::Unknown),
                Some((project, access)) => check_right(project, access, right),
            })
        }
        GitCaller::Deploy(token) => {
            if !token.scopes.contains(&Scope::READ_REPOSITORY) {
                return Ok(Err(GitRefusal::ScopeNeeded));
            }
            let found = find_of_deploy_token(tx, path, token)?;
            Ok(match found {
                None => Err(GitRefusal::Unknown),
                Some(_) if right == GitRight::Write => Err(GitRefusal::ReadOnlyToken),
                Some(project) => Ok(project),
            })
        }
    }
}

fn check_right(
    project: Project,
    access: ProjectAccess,
    right: GitRight,
) -> Result<Project, GitRefusal> {
    if right == GitRight::Write && !access.allows(AccessLevel::Developer) {
        return Err(GitRefusal::RoleTooLow);
    }
    if right == GitRight::Write && project.archived {
        return Err(GitRefusal::Archived);
    }
    Ok(project)
}

/// Finds a project from which the viewer may fetch.
fn find_readable(
    tx: &mut dyn ReadTransaction,
    path: &FullPath,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
    let reference = ProjectRef::Path(path.clone());
    let found = match find_visible_project(tx, &reference, viewer, now)? {
        Some(found) => Some(found),
        None => find_redirected_project(tx, &reference, viewer, now)?,
    };
    Ok(found.filter(|(project, access)| may_fetch(project, *access)))
}

/// True if a viewer with this access to a project may fetch from its repository, and so may see its pushes.
pub fn may_fetch(project: &Project, access: ProjectAccess) -> bool {
    may_read(Feature::Repository, project, access)
}

/// True if a viewer with this access to a project may read code or images of it.
pub(super) fn may_read(feature: Feature, project: &Project, access: ProjectAccess) -> bool {
    let is_open = feature.is_read_by(&project.settings, access);
    // Guests of a private project see its issues and not its code.
    let is_private = project.visibility == Visibility::Private;
    is_open && (!is_private || access.allows(AccessLevel::Reporter))
}

/// Finds a project that a deploy token is valid for.
fn find_of_deploy_token(
    tx: &mut dyn ReadTransaction,
    path: &FullPath,
    token: &DeployToken,
) -> Result<Option<Project>, StoreError> {
    let Some(project) = tx.find_project(&ProjectRef::Path(path.clone()))? else {
        return Ok(None);
    };
    let is_valid = is_valid_for(tx, token, &project, Feature::Repository)?;
    Ok(is_valid.then_some(project))
}

/// True if a deploy token is valid for a feature of a project.
pub(super) fn is_valid_for(
    tx: &mut dyn ReadTransaction,
    token: &DeployToken,
    project: &Project,
    feature: Feature,
) -> Result<bool, StoreError> {
    let is_its = match token.place {
        TokenPlace::Project(id) => id == project.id,
        TokenPlace::Group(id) => {
            let lineage = tx.list_lineage(project.namespace.id)?;
            lineage.iter().any(|group| group.id == id)
        }
    };
    Ok(is_its && feature.readers(&project.settings) != Readers::Nobody)
}
