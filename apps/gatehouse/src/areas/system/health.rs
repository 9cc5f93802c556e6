//! Health checks of the process.
//! They need no credentials.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, Responder};
use gatehouse_core::database::{JournalStage, JournalState};
use serde_json::{Value, json};

use web_conventions::operations::{Operation, get};

use crate::frame::public::Monitor;
use crate::state::AppState;
use crate::state::status::ServerPart;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("health", "/-/health", health),
        get("liveness", "/-/liveness", liveness),
        get("readiness", "/-/readiness", readiness),
    ]
}

/// Reports that the process responds, without a database query.
async fn health(_: Monitor) -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body("Gatehouse OK")
}

async fn liveness(_: Monitor) -> impl Responder {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// Checks the database too: see [`Readiness`](gatehouse_core::readiness::Readiness).
/// Responds with 503 if it is not ready.
/// With `?verbose`, it names the parts of the server that need an operator, even if it is ready.
async fn readiness(request: HttpRequest, state: Data<AppState>, _: Monitor) -> impl Responder {
    let (mut answer, status) = if state.readiness.is_ready(&state.database).await {
        (HttpResponse::Ok(), "ok")
    } else {
        (HttpResponse::ServiceUnavailable(), "failed")
    };
    let check = json!([{ "status": status }]);
    let mut body = json!({ "status": status, "db_check": check });
    if let Some(journal) = state.database.journal().and_then(past_its_bound)
        && let Some(body) = body.as_object_mut()
    {
        body.insert("journal_check".to_owned(), json!([journal]));
    }
    let is_verbose = request
        .query_string()
        .split('&')
        .any(|parameter| parameter.split('=').next() == Some("verbose"));
    if is_verbose && let Some(body) = body.as_object_mut() {
        body.insert("checks".to_owned(), json!(checks(&state)));
    }
    answer.json(body)
}

/// Result of the check of each part of the server. The reasons are for administrators: see `/admin/server`.
fn checks(state: &AppState) -> Vec<Value> {
    let check = |part: ServerPart| {
        let status = match state.warning_of(part) {
            Some(_) => "warning",
            None => "ok",
        };
        json!({ "name": part.name(), "status": status })
    };
    ServerPart::ALL.into_iter().map(check).collect()
}

/// Problem with the journal of an embedded database, if there is one.
fn past_its_bound(journal: JournalState) -> Option<Value> {
    let message = match journal.stage {
        JournalStage::Within => return None,
        JournalStage::Refusing => {
            "writes are refused until no other process holds a read transaction open"
        }
        _ => "writes are slowed down until no other process holds a read transaction open",
    };
    let (bytes, limit) = (journal.bytes, journal.limit);
    Some(json!({ "status": "failed", "message": message, "bytes": bytes, "limit": limit }))
}
