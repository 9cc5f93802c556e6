//! Permissions on issues.

use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;

use super::access::ProjectAccess;
use crate::model::{Issue, IssueScope, Project, Viewer};

/// True if a viewer who sees the project sees this issue.
pub fn sees_issue(issue: &Issue, viewer: Viewer, access: ProjectAccess) -> bool {
    let concerns = |user: UserId| issue.concerns(user);
    !issue.body.content.confidential
        || access.allows(AccessLevel::Reporter)
        || viewer.user_id().is_some_and(concerns)
}

/// True if a viewer sees all confidential issues and internal notes of the project.
pub fn sees_confidential(access: ProjectAccess) -> bool {
    access.allows(AccessLevel::Reporter)
}

/// Scope of a list of the issues of a project, for a viewer who sees the project.
pub fn project_scope(project: &Project, access: ProjectAccess) -> IssueScope {
    IssueScope::Project {
        id: project.id,
        sees_confidential: sees_confidential(access),
    }
}

/// Attributes of an issue that a user may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueRights {
    /// Nothing.
    None,
    /// The title, the description and the state: an author's or an assignee's rights.
    Own,
    /// Everything.
    All,
}

/// Returns the attributes of an issue that a user who sees it may change.
pub fn issue_rights(issue: &Issue, user: UserId, access: ProjectAccess) -> IssueRights {
    if access.allows(AccessLevel::Reporter) {
        IssueRights::All
    } else if issue.concerns(user) {
        IssueRights::Own
    } else {
        IssueRights::None
    }
}
