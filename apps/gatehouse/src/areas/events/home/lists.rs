//! Lists behind the blocks of the home page: the same rows, and more of them.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::Viewer;
use storage::StoreError;
use web_conventions::operations::{Operation, get};

use super::attention::{Block, ERRORS, ISSUES, assigned_issues, new_errors};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

/// Most rows of a list.
const MAX_ROWS: usize = 100;

#[derive(Template)]
#[template(path = "areas/events/home/attention_list.html")]
struct AttentionListPage {
    shell: Shell,
    block: Block,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("dashboardErrorsPage", ERRORS, errors),
        get("dashboardIssuesPage", ISSUES, issues),
    ]
}

async fn errors(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let list = |tx: &mut dyn ReadTransaction, user, _, now| new_errors(tx, user, now, MAX_ROWS);
    show(&PageRequest::new(&request, &state, &visitor), list).await
}

async fn issues(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let list = |tx: &mut dyn ReadTransaction, user, viewer, now| {
        assigned_issues(tx, user, viewer, now, MAX_ROWS)
    };
    show(&PageRequest::new(&request, &state, &visitor), list).await
}

async fn show<F>(page: &PageRequest<'_>, list: F) -> Result<HttpResponse, PageFailure>
where
    F: Fn(&mut dyn ReadTransaction, UserId, Viewer, Timestamp) -> Result<Block, StoreError>
        + Send
        + Sync
        + 'static,
{
    let (viewer, now) = (page.visitor.viewer(), page.visitor.now());
    let user = viewer.user_id().ok_or_else(PageFailure::not_found)?;
    let work = move |tx: &mut (dyn ReadTransaction + '_)| list(tx, user, viewer, now);
    let block: Result<Block, StoreError> =
        page.state.database.read(page.visitor.lane(), work).await;
    let block = block?;
    page.show(&AttentionListPage {
        shell: page.shell(SiteArea::Home, block.title),
        block,
    })
}
