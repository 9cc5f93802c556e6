//! Update of an issue.

use api_conventions::ids::{IssueIid, ProjectId};

use super::apply::apply;
use super::{IssueActor, IssueChange, IssueEdit, IssueError, IssueTx};
use crate::model::{Issue, IssueContentEdit};
use crate::rules::issues::{IssueRights, issue_rights, sees_issue};

/// Updates an issue.
/// A user below Reporter may update the title, the description and the state of its own issue; the rest of such an edit
/// is ignored, as on real servers. An edit that changes nothing writes nothing:
/// the issue is equal before and after the change.
///
/// # Errors
/// See [`IssueError`].
pub fn update_issue<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    iid: IssueIid,
    edit: IssueEdit,
    by: IssueActor,
) -> Result<IssueChange, IssueError> {
    let locked = repos.lock_issue(project, iid)?;
    let locked = locked.filter(|issue| sees_issue(issue, by.viewer, by.access));
    let locked = locked.ok_or(IssueError::Unknown)?;
    let edit = match issue_rights(&locked, by.user, by.access) {
        IssueRights::None => return Err(IssueError::Forbidden),
        IssueRights::Own => IssueEdit {
            content: IssueContentEdit {
                title: edit.content.title,
                description: edit.content.description,
                ..IssueContentEdit::default()
            },
            state: edit.state,
            ..IssueEdit::default()
        },
        IssueRights::All => edit,
    };
    let body = apply(repos, project, &locked.body, edit, by)?;
    let before = Issue::clone(&locked);
    if before.body == body {
        return Ok(IssueChange::new(Some(before.clone()), before));
    }
    let after = repos.update_issue(locked, body, by.now)?;
    Ok(IssueChange::new(Some(before), after))
}
