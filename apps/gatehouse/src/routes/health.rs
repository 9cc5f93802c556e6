//! Whether the process lives and can do its work. No credentials are needed.

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use serde_json::json;

use crate::http::endpoint::at;
use crate::state::AppState;

/// Mounts `/-/health`, `/-/liveness` and `/-/readiness`.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/-/health").get(health).build());
    service.service(at("/-/liveness").get(liveness).build());
    service.service(at("/-/readiness").get(readiness).build());
}

/// The process answers. The database is not asked.
async fn health() -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .body("Gatehouse OK")
}

async fn liveness() -> impl Responder {
    HttpResponse::Ok().json(json!({ "status": "ok" }))
}

/// The database can do its work, too: see [`Readiness`](gatehouse_core::readiness::Readiness). 503 when it cannot.
async fn readiness(state: Data<AppState>) -> impl Responder {
    let (mut answer, status) = if state.readiness.is_ready(&state.database).await {
        (HttpResponse::Ok(), "ok")
    } else {
        (HttpResponse::ServiceUnavailable(), "failed")
    };
    let check = json!([{ "status": status }]);
    answer.json(json!({ "status": status, "db_check": check }))
}
