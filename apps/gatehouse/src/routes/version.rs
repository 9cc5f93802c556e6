//! `GET /api/v4/version` and `GET /api/v4/metadata`.

use actix_web::web::ServiceConfig;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::extract::caller::{Caller, READ_USER};
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;

/// The release whose API is spoken. Clients compare it as three numbers to know what they may use.
pub const API_RELEASE: &str = "16.0.0";

/// Mounts the endpoints.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/api/v4/version").get(version).build());
    service.service(at("/api/v4/metadata").get(version).build());
}

async fn version(request: HttpRequest, caller: Caller) -> Result<HttpResponse, Failure> {
    caller.signed_in(READ_USER)?;
    let kas = json!({ "enabled": false, "externalUrl": null, "version": null });
    let revision = env!("CARGO_PKG_VERSION");
    let body =
        json!({ "version": API_RELEASE, "revision": revision, "kas": kas, "enterprise": false });
    answer::json(&request, &body)
}
