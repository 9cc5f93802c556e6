//! Creation of an issue.

use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;

use super::apply::apply;
use super::{IssueActor, IssueChange, IssueEdit, IssueError, IssueTx, LabelsEdit};
use crate::model::{IssueBody, NewIssue};

/// Creates an issue in a project that the user sees.
/// Labels, milestone, assignees and the like require the Reporter role, and the time of creation requires the Owner
/// role; from other users they are ignored, as on real servers. Every user may make the issue confidential.
///
/// # Errors
/// See [`IssueError`].
pub fn create_issue<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    mut edit: IssueEdit,
    created_at: Option<Timestamp>,
    by: IssueActor,
) -> Result<IssueChange, IssueError> {
    if !repos.lock_issues(project)? {
        return Err(IssueError::Unknown);
    }
    edit.state = None;
    if !by.access.allows(AccessLevel::Reporter) {
        edit.milestone = None;
        edit.labels = LabelsEdit::default();
        edit.assignees = None;
        edit.content.due_date = None;
        edit.content.discussion_locked = None;
        edit.content.severity = None;
    }
    let is_owner = by.access.allows(AccessLevel::Owner);
    let body = apply(repos, project, &IssueBody::default(), edit, by)?;
    let issue = repos.insert_issue(&NewIssue {
        project_id: project,
        author_id: by.user,
        body,
        created_at: created_at.filter(|_| is_owner).unwrap_or(by.now),
    })?;
    Ok(IssueChange::new(None, issue))
}
