//! `POST /oauth/introspect` (RFC 7662).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::metadata::paths;

use crate::extract::oauth_form::OAuthForm;
use crate::http::endpoint::at;
use crate::http::oauth::{OAuthFailure, response};
use crate::oauth::{clients, introspection};
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::INTROSPECT).post(introspect).build());
}

async fn introspect(
    request: HttpRequest,
    state: Data<AppState>,
    mut sent: OAuthForm,
) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let client = sent.client()?;
    let caller = clients::required(&request, &state, client, now).await?;
    let token = sent.form.require_secret("token")?;
    Ok(response(
        &introspection::introspect(&state, &caller, &token, now).await?,
    ))
}
