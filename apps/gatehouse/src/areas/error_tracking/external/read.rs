//! Reading errors of an external tracker.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorIid;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use error_tracking::external::{CursorPage, ExternalFailure, ExternalIssue};
use error_tracking::model::ErrorFilter;
use error_tracking::store::EventPosition;
use error_tracking::wire::{ErrorDetailJson, ErrorJson, EventDetailJson, TagJson};
use web_conventions::failure::Failure;

use super::super::errors::{AFTER, BEFORE, CURSOR};
use super::{ExternalIssueLinks, ProjectAtTracker, error_json, failed, fallback_id};
use crate::frame::project::InProject;
use crate::frame::scopes::{ReadApi, Reporter};

type ReadRequest = InProject<Reporter, ReadApi>;

/// Answers with a slice of the errors, and with links to the previous and next slices.
pub(in super::super) async fn list(
    request: &ReadRequest,
    at: &ProjectAtTracker,
    filter: ErrorFilter,
) -> Result<HttpResponse, Failure> {
    let max_offset = request.settings().paging.max_offset;
    let page = cursor_page_of(request.params(), max_offset)?;
    let response = request
        .trackers()
        .call(&at.connection, request.now(), move |tracker| {
            tracker.list(&filter, &page)
        });
    let (issues, cursors) = response.await.map_err(failed)?;
    let links = links_of(request, &issues).await?;
    let rows = issues
        .iter()
        .map(|issue| error_json(request, at, issue, &links));
    let rows: Vec<ErrorJson> = rows.collect();
    let (previous, next) = (cursors.previous.as_deref(), cursors.next.as_deref());
    let headers = request.list_address().cursor_headers(previous, next);
    request.json_with(&rows, headers)
}

/// Parses the requested slice.
/// Clients that follow the `Link` header need not know how slices are addressed.
fn cursor_page_of(params: &Params, max_offset: Option<u64>) -> Result<CursorPage, ApiError> {
    let mut read = params.reader();
    for name in [AFTER.name, BEFORE.name] {
        if read.is_given(name) {
            read.fault(name, "is not supported for an external tracker");
        }
    }
    let (per_page, is_first) = match Paging::by_id(params, max_offset)? {
        Paging::Offset(page) => (page.per_page(), page.page() == 1),
        Paging::Keyset { per_page, .. } => (per_page, true),
    };
    if !is_first {
        read.fault(
            "page",
            "is not supported for an external tracker: follow the Link header",
        );
    }
    let cursor = read.text(CURSOR.name).filter(|cursor| !cursor.is_empty());
    read.finish()?;
    Ok(CursorPage {
        limit: per_page,
        cursor,
    })
}

/// Lists the issues of the project that are linked to these errors.
async fn links_of(
    request: &ReadRequest,
    issues: &[ExternalIssue],
) -> Result<ExternalIssueLinks, Failure> {
    let errors: Vec<ErrorIid> = issues.iter().map(|issue| issue.id).collect();
    let found = request.read(move |tx, project| Ok(tx.list_external_links(project.id, &errors)?));
    Ok(found.await?.0)
}

/// Answers with an error and its latest event.
pub(in super::super) async fn show(
    request: &ReadRequest,
    at: &ProjectAtTracker,
    iid: ErrorIid,
) -> Result<HttpResponse, Failure> {
    let (now, fallback_id) = (request.now(), fallback_id());
    let response = request
        .trackers()
        .call(&at.connection, now, move |tracker| {
            let issue = tracker.find(iid)?;
            match tracker.event(iid, EventPosition::Latest, now, fallback_id) {
                Ok((event, _)) => Ok((issue, Some(event))),
                Err(ExternalFailure::NotFound) => Ok((issue, None)),
                Err(failure) => Err(failure),
            }
        });
    let (issue, event) = response.await.map_err(failed)?;
    let links = links_of(request, std::slice::from_ref(&issue)).await?;
    request.json(&ErrorDetailJson {
        error: error_json(request, at, &issue, &links),
        grouping: Vec::new(),
        tags: TagJson::of(issue.tags),
        latest_event: event.map(|event| event.to_stored().summary.into()),
    })
}

/// Answers with an event of an error.
pub(in super::super) async fn event(
    request: &ReadRequest,
    at: &ProjectAtTracker,
    iid: ErrorIid,
    position: EventPosition,
) -> Result<HttpResponse, Failure> {
    let (now, fallback_id) = (request.now(), fallback_id());
    let response = request
        .trackers()
        .call(&at.connection, now, move |tracker| {
            tracker.find(iid)?;
            match tracker.event(iid, position, now, fallback_id) {
                Ok(found) => Ok(Some(found)),
                Err(ExternalFailure::NotFound) => Ok(None),
                Err(failure) => Err(failure),
            }
        });
    let found = response.await.map_err(failed)?;
    let (event, place) = found.ok_or_else(|| ApiError::not_found("Event"))?;
    let json = EventDetailJson::new(event.to_stored(), place, Vec::new());
    let json = json.map_err(|error| Failure::caused(ApiError::internal(), error))?;
    request.json(&json)
}
