//! What is judged of an issue before everybody reads it (`SPAM-01`).

use api_conventions::error::ApiError;
use api_conventions::ids::IssueIid;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::spam::{Clearance, Intent};
use projects::flow::issues::{Actor, find_issue};
use projects::rules::issues::{IssueRights, issue_rights};
use projects::{IssueContentEdit, Project};
use web_conventions::failure::Failure;

use super::refused;
use crate::frame::project_user::{Claim, UserInProject};
use crate::frame::scopes::Write;

/// Judges what a request writes: into an issue that is there, or into a new one.
///
/// # Errors
/// See [`UserInProject::judge`]; 404 and 403 where the issue may not be seen or changed.
pub(super) async fn cleared<C: Claim>(
    asked: &UserInProject<C, Write>,
    iid: Option<IssueIid>,
    content: &IssueContentEdit,
) -> Result<Clearance, Failure> {
    if let Some(clearance) = asked.spam().unjudged(content) {
        return Ok(clearance);
    }
    let content = content.clone();
    let intent = asked.read(move |tx, project, by| intent(tx, project, (iid, content), by));
    asked.judge(intent.await?).await
}

/// What somebody is about to write.
///
/// # Errors
/// 404 and 403 where the issue may not be seen or changed; failures of the store.
pub(super) fn intent(
    tx: &mut dyn ReadTransaction,
    project: &Project,
    (iid, content): (Option<IssueIid>, IssueContentEdit),
    by: Actor,
) -> Result<Intent, Failure> {
    let Some(iid) = iid else {
        return Ok(Intent::to_create(project, content, by));
    };
    let issue = find_issue(tx, project.id, iid, by.viewer, by.access).map_err(refused)?;
    if issue_rights(&issue, by.user, by.access) == IssueRights::None {
        return Err(ApiError::forbidden().into());
    }
    Ok(Intent::to_change(project, &issue, content, by))
}
