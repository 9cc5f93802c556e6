//! `POST /oauth/introspect` (RFC 7662).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::Introspection;
use oauth_provider::wire::metadata::paths;

use super::described::{CLIENT, HINT, TOKEN, described};
use crate::areas::oauth::form::OAuthForm;
use crate::areas::oauth::protocol::{clients, introspection};
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::state::AppState;
use web_conventions::operations::{Operation, RateClass, ResponseSpec, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let introspect = post("introspectToken", paths::INTROSPECT, introspect)
        .takes([TOKEN, HINT])
        .takes(CLIENT)
        .rated(RateClass::Guess)
        .response(ResponseSpec::json::<Introspection>(
            200,
            "State of the token. For an invalid token, or one of another application, only `active: false`.",
        ));
    vec![described(introspect, "Introspect a token")]
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
