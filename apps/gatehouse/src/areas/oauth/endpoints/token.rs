//! `POST /oauth/token` (`OAUTH-03` to `OAUTH-06`, `OAUTH-11`, `OAUTH-14`).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::metadata::paths;
use oauth_provider::wire::{TokenRequest, TokenResponse};

use super::described::{CLIENT, GRANT, described};
use crate::areas::oauth::form::OAuthForm;
use crate::areas::oauth::protocol::clients;
use crate::areas::oauth::protocol::code::redeem;
use crate::areas::oauth::protocol::password::by_password;
use crate::areas::oauth::protocol::refresh::next_pair;
use crate::config::RequestLimit;
use crate::frame::client::counted_address;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::state::AppState;
use web_conventions::operations::{Operation, RateClass, ResponseSpec, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let issue = post("issueToken", paths::TOKEN, token)
        .takes(GRANT)
        .takes(CLIENT)
        .rated(RateClass::Guess)
        .limited_by(RequestLimit::TokenEndpoint)
        .response(ResponseSpec::json::<TokenResponse<'static>>(
            200,
            "The issued tokens.",
        ));
    vec![described(
        issue,
        "Exchange a code, a refresh token or a password for tokens",
    )]
}

/// Validates the parameters before it authenticates the client, as existing clients expect.
async fn token(
    request: HttpRequest,
    state: Data<AppState>,
    mut sent: OAuthForm,
) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let token_request = TokenRequest::read(&mut sent.form, &state.settings.oauth.policy.scopes)?;
    let client = sent.client()?;
    let issued = match token_request {
        TokenRequest::AuthorizationCode(sent) => {
            let application = clients::required(&request, &state, client, now).await?;
            redeem(&request, &state, &application, sent, now).await?
        }
        TokenRequest::RefreshToken(sent) => {
            let application = clients::required(&request, &state, client, now).await?;
            next_pair(&request, &state, &application, sent, now).await?
        }
        TokenRequest::Password(sent) => {
            let application = clients::authenticated(&request, &state, client, now).await?;
            let address = counted_address(&request, &state);
            return by_password(&state, application.as_deref(), sent, address, now).await;
        }
    };
    Ok(response(&issued.response(&state, now).await?))
}
