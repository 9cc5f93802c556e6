//! Pages of the audit log: of the server for administrators, of projects and groups for those who manage them.

use accounts::AuditFilter;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use web_conventions::operations::{Operation, get};

use super::place::HasAuditLog;
use super::rows::{AuditEventRow, AuditPosition, AuditRows};
use crate::frame::group::Groups;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::Tab;
use crate::frame::page::place::PlacePage;
use crate::frame::page::project::RoleOrNotFound;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::project::Projects;
use crate::frame::visitor::Administrator;
use crate::state::AppState;

const HEADING: &str = "Audit events";

/// Page of the whole server.
const ALL: &str = "/admin/audit_events";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("auditEventsPage", ALL, show_all),
        get(
            "projectAuditEventsPage",
            "/{project}/-/audit_events",
            show_of::<Projects>,
        ),
        get(
            "groupAuditEventsPage",
            "/groups/{group}/-/audit_events",
            show_of::<Groups>,
        ),
    ]
}

#[derive(Template)]
#[template(path = "areas/audit/audit_events.html")]
pub(super) struct AuditEventsPage {
    pub(super) shell: Shell,
    pub(super) heading: &'static str,
    /// Path of the page, below the root of the server.
    pub(super) path: String,
    /// Path of the export, below the root of the server; `None` if there is none.
    pub(super) export: Option<String>,
    /// Tabs of the settings; none for a group and for the server.
    pub(super) tabs: Vec<Tab>,
    /// True if the events are of several entities.
    pub(super) has_entities: bool,
    pub(super) rows: Vec<AuditEventRow>,
    /// Last event of the page, if older ones follow.
    pub(super) older: Option<i64>,
    /// First event of the page, if there are newer ones.
    pub(super) newer: Option<i64>,
}

async fn show_all(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let position = AuditPosition::of(&request);
    let read = state.database.read(visitor.lane(), move |tx| {
        AuditRows::load(tx, &AuditFilter::default(), position)
    });
    let rows = read.await?;
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&AuditEventsPage {
        shell: page.shell(SiteArea::Administration, HEADING),
        heading: HEADING,
        path: ALL.to_owned(),
        export: Some("/api/v4/audit_events/export".to_owned()),
        tabs: Vec::new(),
        has_entities: true,
        older: rows.older,
        newer: rows.newer,
        rows: rows.views(visitor.now()),
    })
}

async fn show_of<P: HasAuditLog>(
    page: PlacePage<P, RoleOrNotFound<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let position = AuditPosition::of(page.request());
    let read = page.read(move |tx, found| {
        let filter = AuditFilter::of(P::entity_on(found));
        Ok(AuditRows::load(tx, &filter, position)?)
    });
    let (rows, found) = read.await?;
    let content = AuditEventsPage {
        shell: page.shell(&found, P::SECTION, HEADING),
        heading: HEADING,
        path: format!("{}/-/audit_events", P::path(&found)),
        export: Some(P::export(&found)),
        tabs: P::tabs(&found),
        has_entities: false,
        older: rows.older,
        newer: rows.newer,
        rows: rows.views(page.now()),
    };
    page.show_with(StatusCode::OK, &content)
}
