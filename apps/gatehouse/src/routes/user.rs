//! `GET /api/v4/user`: who the caller is.

use accounts::wire::CurrentUser;
use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};

use crate::extract::caller::{Caller, READ_USER};
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/api/v4/user").get(current).build());
}

async fn current(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    let user = &caller.signed_in(READ_USER)?.user;
    answer::json(&request, &CurrentUser::new(user, &state.base_url))
}
