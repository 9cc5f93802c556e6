//! `/profile/audit_log`: the audit log of the signed-in user's own account.

use accounts::{AuditEntity, AuditFilter};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use web_conventions::operations::{Operation, get};

use super::pages::AuditEventsPage;
use super::rows::{AuditPosition, AuditRows};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::SiteArea;
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

const HEADING: &str = "Audit log of your account";

const OWN: &str = "/profile/audit_log";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("ownAuditEventsPage", OWN, show)]
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let position = AuditPosition::of(&request);
    let user = visitor.member(&request)?.user.id;
    let filter = AuditFilter::of(AuditEntity::User(user));
    let read = state.database.read(visitor.lane(), move |tx| {
        AuditRows::load(tx, &filter, position)
    });
    let rows = read.await?;
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&AuditEventsPage {
        shell: page.shell(SiteArea::Profile, HEADING),
        heading: HEADING,
        path: OWN.to_owned(),
        export: None,
        tabs: Vec::new(),
        has_entities: false,
        older: rows.older,
        newer: rows.newer,
        rows: rows.views(visitor.now()),
    })
}
