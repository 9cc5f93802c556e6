//! Reading errors of an external tracker.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::ErrorIid;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use error_tracking::external::{ExternalFailure, ExternalIssue, Stretch};
use error_tracking::model::ErrorFilter;
use error_tracking::store::EventPosition;
use error_tracking::wire::{ErrorDetailJson, ErrorJson, EventDetailJson, TagJson};
use web_conventions::failure::Failure;

use super::super::errors::{AFTER, BEFORE, CURSOR};
use super::{Elsewhere, Links, failed, shown, spare_id};
use crate::frame::project::InProject;
use crate::frame::scopes::{Read, Reporter};

type Asked = InProject<Reporter, Read>;

/// Answers with a slice of the errors, and with links to the previous and next slices.
pub(in super::super) async fn list(
    asked: &Asked,
    at: &Elsewhere,
    filter: ErrorFilter,
) -> Result<HttpResponse, Failure> {
    let most = asked.settings().paging.max_offset;
    let stretch = stretch_of(asked.params(), most)?;
    let asking = asked
        .trackers()
        .ask(&at.connection, asked.now(), move |tracker| {
            tracker.list(&filter, &stretch)
        });
    let (issues, cursors) = asking.await.map_err(failed)?;
    let links = links_of(asked, &issues).await?;
    let rows = issues.iter().map(|issue| shown(asked, at, issue, &links));
    let rows: Vec<ErrorJson> = rows.collect();
    let around = (cursors.previous.as_deref(), cursors.next.as_deref());
    let headers = asked.list_address().cursor_headers(around);
    asked.json_with(&rows, headers)
}

/// Parses the requested slice.
/// Clients that follow the `Link` header need not know how slices are addressed.
fn stretch_of(params: &Params, most: Option<u64>) -> Result<Stretch, ApiError> {
    let mut read = params.reader();
    for name in [AFTER.name, BEFORE.name] {
        if read.is_given(name) {
            read.fault(name, "is no place in a list of an external tracker");
        }
    }
    let (per_page, is_first) = match Paging::by_id(params, most)? {
        Paging::Offset(page) => (page.per_page(), page.page() == 1),
        Paging::Keyset { per_page, .. } => (per_page, true),
    };
    if !is_first {
        read.fault(
            "page",
            "is no place in a list of an external tracker: follow the header Link",
        );
    }
    let cursor = read.text(CURSOR.name).filter(|cursor| !cursor.is_empty());
    read.finish()?;
    Ok(Stretch {
        limit: per_page,
        cursor,
    })
}

/// Lists the issues of the project that are linked to these errors.
async fn links_of(asked: &Asked, issues: &[ExternalIssue]) -> Result<Links, Failure> {
    let errors: Vec<ErrorIid> = issues.iter().map(|issue| issue.id).collect();
    let found = asked.read(move |tx, project| Ok(tx.list_external_links(project.id, &errors)?));
    Ok(found.await?.0)
}

/// Answers with an error and its latest event.
pub(in super::super) async fn show(
    asked: &Asked,
    at: &Elsewhere,
    iid: ErrorIid,
) -> Result<HttpResponse, Failure> {
    let arrival = (asked.now(), spare_id());
    let asking = asked
        .trackers()
        .ask(&at.connection, asked.now(), move |tracker| {
            let issue = tracker.find(iid)?;
            match tracker.event(iid, EventPosition::Latest, arrival) {
                Ok((event, _)) => Ok((issue, Some(event))),
                Err(ExternalFailure::NotFound) => Ok((issue, None)),
                Err(failure) => Err(failure),
            }
        });
    let (issue, event) = asking.await.map_err(failed)?;
    let links = links_of(asked, std::slice::from_ref(&issue)).await?;
    asked.json(&ErrorDetailJson {
        error: shown(asked, at, &issue, &links),
        grouping: Vec::new(),
        tags: TagJson::of(issue.tags),
        latest_event: event.map(|event| event.to_stored().summary.into()),
    })
}

/// Answers with an event of an error.
pub(in super::super) async fn event(
    asked: &Asked,
    at: &Elsewhere,
    (iid, position): (ErrorIid, EventPosition),
) -> Result<HttpResponse, Failure> {
    let arrival = (asked.now(), spare_id());
    let asking = asked
        .trackers()
        .ask(&at.connection, asked.now(), move |tracker| {
            tracker.find(iid)?;
            match tracker.event(iid, position, arrival) {
                Ok(found) => Ok(Some(found)),
                Err(ExternalFailure::NotFound) => Ok(None),
                Err(failure) => Err(failure),
            }
        });
    let found = asking.await.map_err(failed)?;
    let (event, place) = found.ok_or_else(|| ApiError::not_found("Event"))?;
    let json = EventDetailJson::new(event.to_stored(), place, Vec::new());
    let json = json.map_err(|unkept| Failure::caused(ApiError::internal(), unkept))?;
    asked.json(&json)
}
