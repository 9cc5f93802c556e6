//! Exports of the audit log as JSON lines: of the server, of groups and of projects.
//!
//! The entries are streamed page by page, newest first. Each page is a read of its own, so an export holds neither a
//! snapshot of the database nor more than a page in memory, however long the client takes. Entries are never changed, and
//! new ones are not in the export, because it continues with older ones.

use accounts::{AuditEntry, AuditFilter};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::web::Bytes;
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, SortOrder};
use futures_util::stream;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::audit_export::note_audit_export;
use gatehouse_core::flows::groups::Actor;
use schemars::{Schema, SchemaGenerator, json_schema};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Body, Content, Operation, Parameter, ResponseSpec, get};

use super::all::{ENTITY_ID, ENTITY_TYPE, read_scope};
use super::json::AuditEventJson;
use super::list::{CREATED_AFTER, CREATED_BEFORE, TAG, read_times};
use super::names::AuditNames;
use super::place::HasAuditLog;
use super::places::only_author;
use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::group::Groups;
use crate::frame::page_reader::PageReader;
use crate::frame::place::In;
use crate::frame::project::Projects;
use crate::frame::scopes::{Developer, ReadApi};

/// Media type of JSON lines.
const JSON_LINES: &str = "application/x-ndjson";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        documented(
            get(
                "exportAuditEvents",
                "/api/v4/audit_events/export",
                export_all,
            ),
            "Export the audit events of the instance and of all users, groups and projects as JSON lines",
            &[ENTITY_TYPE, ENTITY_ID],
        ),
        documented(
            get(
                "exportProjectAuditEvents",
                "/api/v4/projects/{id}/audit_events/export",
                export_of::<Projects>,
            ),
            "Export the audit events of a project as JSON lines",
            &[Projects::ID],
        ),
        documented(
            get(
                "exportGroupAuditEvents",
                "/api/v4/groups/{id}/audit_events/export",
                export_of::<Groups>,
            ),
            "Export the audit events of a group as JSON lines",
            &[Groups::ID],
        ),
    ]
}

fn documented(export: Operation, summary: &'static str, parameters: &[Parameter]) -> Operation {
    export
        .documented(TAG, summary)
        .takes(parameters.iter().copied())
        .takes([CREATED_AFTER, CREATED_BEFORE])
        .response(ResponseSpec {
            status: 200,
            about: "One event per line, newest first. The export itself is recorded as an event.",
            content: Content::Of(Body {
                media_type: JSON_LINES,
                schema: text,
            }),
        })
}

fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string"})
}

async fn export_all(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = AuditFilter {
        scope: read_scope(request.params())?,
        ..AuditFilter::default()
    };
    let filter = read_times(request.params(), filter)?;
    let actor = Actor {
        id: request.caller().user.id,
        viewer: request.caller().viewer(),
        now: request.now(),
    };
    let noted = request.write(move |tx| Ok(note_audit_export(tx, &filter, actor)?));
    noted.await?;
    respond(&request, filter).await
}

async fn export_of<P: HasAuditLog>(
    request: In<P, Developer, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let times = read_times(request.params(), AuditFilter::default())?;
    let (member, actor) = (request.actor_id(), request.actor());
    let noted = request.manage(move |tx, place, access| {
        let filter = AuditFilter {
            scope: AuditFilter::of(P::entity(&place)).scope,
            author_id: only_author::<P>(access, member),
            ..times
        };
        note_audit_export(tx, &filter, actor)?;
        Ok(filter)
    });
    let filter = noted.await?;
    respond(&request, filter).await
}

/// Responds with the matching entries. The first page is read before the response begins, so that a failure is one.
async fn respond(request: &ApiRequest, filter: AuditFilter) -> Result<HttpResponse, Failure> {
    let pages = request.page_reader();
    let first = read_page(&pages, filter, None).await?;
    let name = format!("{}_audit_events.jsonl", request.now().date());
    let lines = stream::try_unfold(
        Some(Step {
            pages,
            filter,
            page: first,
        }),
        next,
    );
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, JSON_LINES))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ))
        .insert_header((CACHE_CONTROL, "no-store"))
        .streaming(lines))
}

/// Page of the export that is sent next.
struct Step {
    pages: PageReader,
    filter: AuditFilter,
    page: ExportedPage,
}

/// Lines of a page, and the entry before the next one; `None` on the last page.
struct ExportedPage {
    lines: Bytes,
    last: Option<AuditEntryId>,
}

/// Sends a page, and reads the next one when the client has received it.
async fn next(step: Option<Step>) -> Result<Option<(Bytes, Option<Step>)>, Failure> {
    let Some(Step {
        pages,
        filter,
        page,
    }) = step
    else {
        return Ok(None);
    };
    let following = match page.last {
        None => None,
        Some(last) => {
            let page = read_page(&pages, filter, Some(last)).await?;
            Some(Step {
                pages,
                filter,
                page,
            })
        }
    };
    Ok(Some((page.lines, following)))
}

async fn read_page(
    pages: &PageReader,
    filter: AuditFilter,
    last: Option<AuditEntryId>,
) -> Result<ExportedPage, Failure> {
    let page = pages.read(move |tx| load(tx, &filter, last));
    Ok(page.await?)
}

fn load(
    tx: &mut dyn ReadTransaction,
    filter: &AuditFilter,
    last: Option<AuditEntryId>,
) -> Result<ExportedPage, StoreError> {
    let page = KeysetPage::new(OffsetPage::MAX_SIZE, SortOrder::Descending);
    let slice: KeysetSlice<AuditEntry> = tx.list_audit_entries(filter, last, page)?;
    let names = AuditNames::load(tx, &slice.items)?;
    let last = slice.items.last().filter(|_| slice.has_next);
    let last = last.map(|entry| entry.id);
    let mut lines = Vec::new();
    for entry in slice.items {
        let id = entry.id;
        let json = serde_json::to_vec(&AuditEventJson::new(entry, &names));
        let json = json.map_err(|error| {
            StoreError::inconsistent("audit_entries", id, "no JSON").with_source(error)
        })?;
        lines.extend(json);
        lines.push(b'\n');
    }
    Ok(ExportedPage {
        lines: lines.into(),
        last,
    })
}
