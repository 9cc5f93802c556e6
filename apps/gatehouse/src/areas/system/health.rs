//! Health checks of the process.
//! They need no credentials.

use actix_web::web::Data;
use actix_web::{HttpResponse, Responder};
use gatehouse_core::database::{JournalStage, JournalState};
use serde_json::{Value, json};

use web_conventions::operations::{Operation, get};

use crate::frame::public::Monitor;
use crate::state::AppState;

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
async fn readiness(state: Data<AppState>, _: Monitor) -> impl Responder {
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
    answer.json(body)
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
