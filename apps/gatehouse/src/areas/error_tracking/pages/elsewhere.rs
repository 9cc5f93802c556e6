//! Error pages of a project with an external tracker.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorIid;
use error_tracking::external::{ExternalFailure, ExternalIssue, Stretch};
use error_tracking::flow::change::StatusEdit;
use error_tracking::model::{ErrorFilter, TrackedError};
use error_tracking::store::{EventPosition, HourCount};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::external_tracker::Connection;
use projects::flow::issues::Actor;
use projects::rules::issues::sees_issue;
use storage::StoreError;
use web_conventions::failure::Failure;

use super::super::external::{Act, Links, apply, failed, say, spare_id, tracked};
use super::change::{Asked, ErrorForm, issue_about, refuse};
use super::list::{ListRequest, Listed};
use super::show::{Home, Loaded};
use super::{Sender, path_of};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{Pager, Query};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Found, Hidden, ProjectPage};
use crate::frame::scopes::Role;

/// Loads the errors of a page of the list.
/// If the tracker fails, the page says why.
pub(super) async fn list(
    page: &ListRequest,
    query: &Query,
    connection: &Connection,
    filter: ErrorFilter,
) -> Result<Listed, PageFailure> {
    let cursor = Some(query.text("cursor")).filter(|cursor| !cursor.is_empty());
    let stretch = Stretch {
        limit: query.paging()?.per_page(),
        cursor: cursor.map(str::to_owned),
    };
    let trackers = &page.state().trackers;
    let asking = trackers.ask(connection, page.now(), move |tracker| {
        tracker.list(&filter, &stretch)
    });
    let mut listed = Listed {
        errors: Vec::new(),
        total: String::new(),
        counts: None,
        pager: Pager::by_cursors(query, (None, None)),
        external: Some(connection.address().page().to_string()),
        problem: None,
    };
    match asking.await {
        Ok((issues, cursors)) => {
            let around = (cursors.previous.as_deref(), cursors.next.as_deref());
            listed.pager = Pager::by_cursors(query, around);
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
    found: &Found,
    issues: &[ExternalIssue],
) -> Result<Links, StoreError> {
    let errors: Vec<ErrorIid> = issues.iter().map(|issue| issue.id).collect();
    tx.list_external_links(found.project.id, &errors)
}

/// Loads an error with one of its events.
pub(super) async fn load<R: Role>(
    page: &ProjectPage<Hidden<R>>,
    connection: &Connection,
    (iid, position): (ErrorIid, EventPosition),
) -> Result<(Loaded, Found), PageFailure> {
    let (now, viewer) = (page.now(), page.viewer());
    let arrival = (now, spare_id());
    let trackers = &page.state().trackers;
    let asking = trackers.ask(connection, now, move |tracker| {
        let issue = tracker.find(iid)?;
        match tracker.event(iid, position, arrival) {
            Ok(found) => Ok((issue, Some(found))),
            Err(ExternalFailure::NotFound) if position == EventPosition::Latest => {
                Ok((issue, None))
            }
            Err(failure) => Err(failure),
        }
    });
    let (issue, event) = asking
        .await
        .map_err(|failure| page.as_seen(page_failed(failure)))?;
    let event = event.map(|(event, place)| (event.to_stored(), place, Vec::new()));
    let read = page.read(move |tx, found| {
        let links = links_of(tx, found, std::slice::from_ref(&issue))?;
        let error = tracked(&found.project, &issue, &links);
        let linked = match error.state.issue_id {
            Some(id) => tx.find_issue_by_id(id)?,
            None => None,
        };
        Ok(Loaded {
            hours: issue.hours(),
            keys: Vec::new(),
            tags: issue.tags,
            event,
            comments: Vec::new(),
            assignee: None,
            issue: linked.filter(|issue| sees_issue(issue, viewer, found.access)),
            home: Home::Elsewhere(issue.permalink),
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
        Ok(status) => PageFailure::new(status, "The tracker gave no answer", text),
        Err(_) => PageFailure::new(StatusCode::BAD_GATEWAY, "The tracker gave no answer", text),
    }
}

/// Changes the selected errors in the tracker, one after the other, and redirects back to the list.
pub(super) async fn several(
    form: &ErrorForm,
    (connection, found): (&Connection, &Found),
    (edit, iids): (StatusEdit, Vec<ErrorIid>),
) -> Result<HttpResponse, PageFailure> {
    let sender = Sender::of(form)?;
    sender.in_project(found)?;
    for iid in iids {
        let act = Act::Status(edit.clone());
        match done(form, connection, (iid, act), sender).await? {
            Ok(()) => {}
            // Errors that were deleted in the meantime need no change.
            Err(failure) if failure.refusal().status() == 404 => {}
            Err(failure) => return Err(form.as_seen(failure.into())),
        }
    }
    let list = Query::of(form.request())?.with(&[]);
    Ok(form.lead_to(&list, Notice::ErrorsChanged))
}

/// Runs the action of a form on one error.
pub(super) async fn one(
    form: &ErrorForm,
    (connection, found): (&Connection, &Found),
    (iid, asked): (ErrorIid, Asked),
) -> Result<HttpResponse, PageFailure> {
    let sender = Sender::of(form)?;
    sender.in_project(found)?;
    let (done, notice) = match asked {
        Asked::Change(wanted, notice) => {
            let act = Act::of(&wanted).map_err(Failure::from);
            let done = match act {
                Ok(act) => done(form, connection, (iid, act), sender).await?,
                Err(failure) => Err(failure),
            };
            (done, notice)
        }
        Asked::OpenIssue(base_url) => {
            let opened = open_issue(form, connection, (iid, base_url), sender).await?;
            (opened, Notice::ErrorIssueOpened)
        }
        Asked::Assign(_) | Asked::Merge(_) | Asked::Split(_) | Asked::Delete => {
            let refusal = "This is done in the tracker in which the error is.";
            let failure = ApiError::bad_request(refusal);
            (Err(failure.into()), Notice::ErrorSaved)
        }
    };
    match done {
        Ok(()) => Ok(form.lead_to(&path_of(found, iid), notice)),
        Err(failure) => refuse(form, iid, failure).await,
    }
}

/// Result of a form action.
/// The page of the error shows the inner failure.
type Done = Result<Result<(), Failure>, PageFailure>;

/// Changes one error in the tracker, and then applies the local part.
async fn done(
    form: &ErrorForm,
    connection: &Connection,
    (iid, act): (ErrorIid, Act),
    sender: Sender,
) -> Done {
    let trackers = &form.state().trackers;
    let before = match &act {
        Act::Status(edit) => {
            let said = say(trackers, connection, (iid, edit.clone()), sender.now);
            said.await.map(|(before, _)| before)
        }
        Act::Link(_) => {
            let asking = trackers.ask(connection, sender.now, move |tracker| tracker.find(iid));
            asking.await
        }
    };
    let before = match before {
        Ok(before) => before,
        Err(failure) => return Ok(Err(failed(failure))),
    };
    let connection = connection.clone();
    let written = form.write(move |tx, found| {
        let by: Actor = sender.in_project(found)?;
        apply(tx, (&found.project, &connection), (iid, &act, &before), by)
    });
    Ok(written.await?.0.map(drop))
}

/// Opens an issue about the error, and links it.
async fn open_issue(
    form: &ErrorForm,
    connection: &Connection,
    (iid, base_url): (ErrorIid, String),
    sender: Sender,
) -> Done {
    let trackers = &form.state().trackers;
    let asking = trackers.ask(connection, sender.now, move |tracker| tracker.find(iid));
    let issue = match asking.await {
        Ok(issue) => issue,
        Err(failure) => return Ok(Err(failed(failure))),
    };
    let connection = connection.clone();
    let written = form.write(move |tx, found| {
        let by = sender.in_project(found)?;
        let error = tracked(&found.project, &issue, &Links::new());
        let wanted = issue_about(tx, found, (&error, &base_url), by)?;
        let act = Act::of(&wanted)?;
        apply(tx, (&found.project, &connection), (iid, &act, &issue), by)
    });
    Ok(written.await?.0.map(drop))
}
