//! Spam check of issues before publication (`SPAM-01`).

use api_conventions::error::ApiError;
use api_conventions::ids::IssueIid;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::spam::{Clearance, Intent};
use projects::flow::issues::{IssueActor, find_issue};
use projects::rules::issues::{IssueRights, issue_rights};
use projects::{IssueContentEdit, Project};
use web_conventions::failure::Failure;

use super::refused;
use crate::frame::project_user::{Claim, UserInProject};
use crate::frame::scopes::WriteApi;

/// Checks the content of a new or changed issue for spam.
///
/// # Errors
/// See [`UserInProject::judge`]; 404 and 403 if the caller may not view or change the issue.
pub(super) async fn check_spam<C: Claim>(
    request: &UserInProject<C, WriteApi>,
    iid: Option<IssueIid>,
    content: &IssueContentEdit,
) -> Result<Clearance, Failure> {
    if let Some(clearance) = request.spam().clear_if_disabled(content) {
        return Ok(clearance);
    }
    let content = content.clone();
    let intent = request.read(move |tx, project, by| intent(tx, project, iid, content, by));
    request.judge(intent.await?).await
}

/// Returns the intended change for the spam check.
///
/// # Errors
/// 404 and 403 if the caller may not view or change the issue; failures of the store.
pub(super) fn intent(
    tx: &mut dyn ReadTransaction,
    project: &Project,
    iid: Option<IssueIid>,
    content: IssueContentEdit,
    by: IssueActor,
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
