//! Lookup of an issue on behalf of a viewer.

use api_conventions::ids::{IssueIid, ProjectId};

use super::IssueError;
use crate::model::{Issue, Viewer};
use crate::rules::access::ProjectAccess;
use crate::rules::issues::sees_issue;
use crate::store::IssueQueries;

/// Returns the issue, for a viewer who sees the project.
///
/// # Errors
/// [`IssueError::Unknown`], also for an issue that the viewer may not see; failures of the store.
pub fn find_issue<R: IssueQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    iid: IssueIid,
    viewer: Viewer,
    access: ProjectAccess,
) -> Result<Issue, IssueError> {
    let found = repos.find_issue(project, iid)?;
    let seen = found.filter(|issue| sees_issue(issue, viewer, access));
    seen.ok_or(IssueError::Unknown)
}
