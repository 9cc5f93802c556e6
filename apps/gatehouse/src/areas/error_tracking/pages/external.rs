//! Error pages of a project with an external tracker.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorIid;
use error_tracking::external::{CursorPage, ExternalFailure, ExternalIssue};
use error_tracking::flow::change::StatusEdit;
use error_tracking::model::{ErrorFilter, TrackedError};
use error_tracking::store::{EventPosition, HourCount};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::external_tracker::Connection;
use projects::flow::issues::IssueActor;
use projects::rules::issues::sees_issue;
use storage::StoreError;
use web_conventions::failure::Failure;

use super::super::external::{
    ExternalErrorChange, ExternalIssueLinks, apply, failed, fallback_id, tracked, update_status,
};
use super::change::{ErrorAction, ErrorForm, issue_about, refuse};
use super::list::{ErrorListData, ListRequest};
use super::show::{ErrorLocation, ErrorPageData};
use super::{ErrorFormSender, path_of};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Pager};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::scopes::Role;

/// Loads the errors of a page of the list.
/// If the tracker fails, the page says why.
pub(super) async fn list(
    page: &ListRequest,
    query: &ListQuery,
    connection: &Connection,
    filter: ErrorFilter,
) -> Result<ErrorListData, PageFailure> {
    let cursor = Some(query.text("cursor")).filter(|cursor| !cursor.is_empty());
    let cursor_page = CursorPage {
        limit: query.paging()?.per_page(),
        cursor: cursor.map(str::to_owned),
    };
    let trackers = &page.state().trackers;
    let response = trackers.call(connection, page.now(), move |tracker| {
        tracker.list(&filter, &cursor_page)
    });
    let mut listed = ErrorListData {
        errors: Vec::new(),
        total: String::new(),
        counts: None,
        pager: Pager::by_cursors(query, None, None),
        external: Some(connection.address().page().to_string()),
        problem: None,
    };
    match response.await {
        Ok((issues, cursors)) => {
            let (previous, next) = (cursors.previous.as_deref(), cursors.next.as_deref());
            listed.pager = Pager::by_cursors(query, previous, next);
            listed.errors = with_links(page, issues).await?;
        }
        Err(failure) => {
            let text = format!("{failure}.");
            let status = failed(failure).refusal().status();
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
            listed.problem = Some((status, text));
        }
    }
    Ok(listed)
}

async fn with_links(
    page: &ListRequest,
    issues: Vec<ExternalIssue>,
) -> Result<Vec<(TrackedError, Vec<HourCount>)>, PageFailure> {
    let read = page.read(move |tx, found| {
        let links = links_of(tx, found, &issues)?;
        let issues = issues.iter();
        let errors = issues.map(|issue| (tracked(&found.project, issue, &links), issue.hours()));
        Ok(errors.collect())
    });
    Ok(read.await?.0)
}

fn links_of(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    issues: &[ExternalIssue],
) -> Result<ExternalIssueLinks, StoreError> {
    let errors: Vec<ErrorIid> = issues.iter().map(|issue| issue.id).collect();
    tx.list_external_links(found.project.id, &errors)
}

/// Loads an error with one of its events.
pub(super) async fn load<R: Role>(
    page: &ProjectPage<RoleOrNotFound<R>>,
    connection: &Connection,
    iid: ErrorIid,
    position: EventPosition,
) -> Result<(ErrorPageData, ProjectContext), PageFailure> {
    let (now, viewer) = (page.now(), page.viewer());
    let fallback_id = fallback_id();
    let trackers = &page.state().trackers;
    let response = trackers.call(connection, now, move |tracker| {
        let issue = tracker.find(iid)?;
        match tracker.event(iid, position, now, fallback_id) {
            Ok(found) => Ok((issue, Some(found))),
            Err(ExternalFailure::NotFound) if position == EventPosition::Latest => {
                Ok((issue, None))
            }
            Err(failure) => Err(failure),
        }
    });
    let (issue, event) = response
        .await
        .map_err(|failure| page.sign_in_if_hidden(page_failed(failure)))?;
    let event = event.map(|(event, place)| (event.to_stored(), place, Vec::new()));
    let read = page.read(move |tx, found| {
        let links = links_of(tx, found, std::slice::from_ref(&issue))?;
        let error = tracked(&found.project, &issue, &links);
        let linked = match error.state.issue_id {
            Some(id) => tx.find_issue_by_id(id)?,
            None => None,
        };
        Ok(ErrorPageData {
            hours: issue.hours(),
            keys: Vec::new(),
            tags: issue.tags,
            event,
            comments: Vec::new(),
            assignee: None,
            issue: linked.filter(|issue| sees_issue(issue, viewer, found.access)),
            location: ErrorLocation::External(issue.permalink),
            error,
        })
    });
    read.await
}

/// Error page for a failed request to the tracker.
fn page_failed(failure: ExternalFailure) -> PageFailure {
    let text = format!("{failure}.");
    let status = failed(failure).refusal().status();
    match StatusCode::from_u16(status) {
        Ok(StatusCode::NOT_FOUND) => PageFailure::not_found(),
        Ok(status) => PageFailure::new(status, "The tracker did not respond", text),
        Err(_) => PageFailure::new(StatusCode::BAD_GATEWAY, "The tracker did not respond", text),
    }
}

/// Changes the selected errors in the tracker, one after the other, and redirects back to the list.
pub(super) async fn several(
    form: &ErrorForm,
    connection: &Connection,
    found: &ProjectContext,
    status: StatusEdit,
    iids: Vec<ErrorIid>,
) -> Result<HttpResponse, PageFailure> {
    let sender = ErrorFormSender::of(form)?;
    sender.in_project(found)?;
    for iid in iids {
        let change = ExternalErrorChange::Status(status.clone());
        match change_error(form, connection, iid, change, sender).await? {
            Ok(()) => {}
            // Errors that were deleted in the meantime need no change.
            Err(failure) if failure.refusal().status() == 404 => {}
            Err(failure) => return Err(form.sign_in_if_hidden(failure.into())),
        }
    }
    let list = ListQuery::of(form.request())?.with(&[]);
    Ok(form.redirect_with_notice(&list, Notice::ErrorsChanged))
}

/// Runs the action of a form on one error.
pub(super) async fn one(
    form: &ErrorForm,
    connection: &Connection,
    found: &ProjectContext,
    iid: ErrorIid,
    action: ErrorAction,
) -> Result<HttpResponse, PageFailure> {
    let sender = ErrorFormSender::of(form)?;
    sender.in_project(found)?;
    let (done, notice) = match action {
        ErrorAction::Change(edit, notice) => {
            let change = ExternalErrorChange::of(&edit).map_err(Failure::from);
            let done = match change {
                Ok(change) => change_error(form, connection, iid, change, sender).await?,
                Err(failure) => Err(failure),
            };
            (done, notice)
        }
        ErrorAction::OpenIssue(base_url) => {
            let opened = open_issue(form, connection, iid, base_url, sender).await?;
            (opened, Notice::ErrorIssueOpened)
        }
        ErrorAction::Assign(_)
        | ErrorAction::Merge(_)
        | ErrorAction::Split(_)
        | ErrorAction::Delete => {
            let refusal = "Do this in the external tracker that has the error.";
            let failure = ApiError::bad_request(refusal);
            (Err(failure.into()), Notice::ErrorSaved)
        }
    };
    match done {
        Ok(()) => Ok(form.redirect_with_notice(&path_of(found, iid), notice)),
        Err(failure) => refuse(form, iid, failure).await,
    }
}

/// Result of a form action.
/// The page of the error shows the inner failure.
type ActionResult = Result<Result<(), Failure>, PageFailure>;

/// Changes one error in the tracker, and then applies the local part.
async fn change_error(
    form: &ErrorForm,
    connection: &Connection,
    iid: ErrorIid,
    change: ExternalErrorChange,
    sender: ErrorFormSender,
) -> ActionResult {
    let trackers = &form.state().trackers;
    let before = match &change {
        ExternalErrorChange::Status(status) => {
            let response = update_status(trackers, connection, iid, status.clone(), sender.now);
            response.await.map(|(before, _)| before)
        }
        ExternalErrorChange::Link(_) => {
            let response = trackers.call(connection, sender.now, move |tracker| tracker.find(iid));
            response.await
        }
    };
    let before = match before {
        Ok(before) => before,
        Err(failure) => return Ok(Err(failed(failure))),
    };
    let connection = connection.clone();
    let saved = form.write(move |tx, found| {
        let by: IssueActor = sender.in_project(found)?;
        apply(tx, &found.project, &connection, iid, &change, &before, by)
    });
    Ok(saved.await?.0.map(drop))
}

/// Opens an issue about the error, and links it.
async fn open_issue(
    form: &ErrorForm,
    connection: &Connection,
    iid: ErrorIid,
    base_url: String,
    sender: ErrorFormSender,
) -> ActionResult {
    let trackers = &form.state().trackers;
    let response = trackers.call(connection, sender.now, move |tracker| tracker.find(iid));
    let issue = match response.await {
        Ok(issue) => issue,
        Err(failure) => return Ok(Err(failed(failure))),
    };
    let connection = connection.clone();
    let saved = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        let error = tracked(&found.project, &issue, &ExternalIssueLinks::new());
        let edit = issue_about(tx, found, &error, &base_url, by)?;
        let change = ExternalErrorChange::of(&edit)?;
        apply(tx, &found.project, &connection, iid, &change, &issue, by)
    });
    Ok(saved.await?.0.map(drop))
}
