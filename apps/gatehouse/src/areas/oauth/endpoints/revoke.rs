//! `POST /oauth/revoke` (`OAUTH-08`; RFC 7009).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::metadata::paths;
use serde_json::json;

use crate::areas::oauth::form::OAuthForm;
use crate::areas::oauth::protocol::revocation;
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::state::AppState;
use web_conventions::operations::{Operation, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![post("revokeToken", paths::REVOKE, revoke)]
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
