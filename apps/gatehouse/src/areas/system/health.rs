//! Whether the process lives and can do its work. No credentials are needed.

use actix_web::web::Data;
use actix_web::{HttpResponse, Responder};
use serde_json::json;

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

/// The process answers. The database is not asked.
async fn health(_: Monitor) -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body("Gatehouse OK")
}

async fn liveness(_: Monitor) -> impl Responder {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// The database can do its work, too: see [`Readiness`](gatehouse_core::readiness::Readiness). 503 when it cannot.
async fn readiness(state: Data<AppState>, _: Monitor) -> impl Responder {
    let (mut answer, status) = if state.readiness.is_ready(&state.database).await {
        (HttpResponse::Ok(), "ok")
    } else {
        (HttpResponse::ServiceUnavailable(), "failed")
    };
    let check = json!([{ "status": status }]);
    answer.json(json!({ "status": status, "db_check": check }))
}
