//! Whether the process lives and can do its work. No credentials are needed.

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use serde_json::json;
use storage::StoreError;

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

/// The database answers too; 503 when it does not.
async fn readiness(state: Data<AppState>) -> impl Responder {
    let asked: Result<i64, StoreError> = state.database.read_for_auth(|tx| tx.auth_epoch()).await;
    let (mut answer, status) = match asked {
        Ok(_) => (HttpResponse::Ok(), "ok"),
        Err(error) => {
            tracing::error!(error = %error, "the database does not answer");
            (HttpResponse::ServiceUnavailable(), "failed")
        }
    };
    let check = json!([{ "status": status }]);
    answer.json(json!({ "status": status, "db_check": check }))
}
