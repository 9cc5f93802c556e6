//! `POST /oauth/revoke` (`OAUTH-08`; RFC 7009).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::metadata::paths;
use serde_json::json;

use crate::extract::oauth_form::OAuthForm;
use crate::http::endpoint::at;
use crate::http::oauth::{OAuthFailure, response};
use crate::oauth::revocation;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::REVOKE).post(revoke).build());
}

async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    mut sent: OAuthForm,
) -> Result<HttpResponse, OAuthFailure> {
    let client = sent.client()?;
    if let Some(token) = sent.form.take_secret("token") {
        revocation::revoke(&request, &state, client, &token, state.now()).await?;
    }
    Ok(response(&json!({})))
}
