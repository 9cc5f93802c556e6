//! `POST /oauth/revoke` (`OAUTH-08`; RFC 7009).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::metadata::paths;
use schemars::JsonSchema;
use serde::Serialize;

use super::described::{CLIENT, HINT, OPTIONAL_TOKEN, described};
use crate::areas::oauth::form::OAuthForm;
use crate::areas::oauth::protocol::revocation;
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::state::AppState;
use web_conventions::operations::{Operation, RateClass, ResponseSpec, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let revoke = post("revokeToken", paths::REVOKE, revoke)
        .takes([OPTIONAL_TOKEN, HINT])
        .takes(CLIENT)
        .rated(RateClass::Guess)
        .response(ResponseSpec::json::<EmptyResponse>(
            200,
            "The token is revoked, or was never valid. A request without a token has no effect.",
        ));
    vec![described(revoke, "Revoke a token")]
}

/// Empty object, which existing clients expect.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Revoked")]
struct EmptyResponse {}

async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    mut sent: OAuthForm,
) -> Result<HttpResponse, OAuthFailure> {
    let client = sent.client()?;
    if let Some(token) = sent.form.take_secret("token") {
        revocation::revoke(&request, &state, client, &token, state.now()).await?;
    }
    Ok(response(&EmptyResponse {}))
}
