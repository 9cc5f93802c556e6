//! `POST /oauth/token` (`OAUTH-03` to `OAUTH-06`, `OAUTH-11`, `OAUTH-14`).

use actix_web::HttpResponse;
use actix_web::web::{Data, ServiceConfig};
use oauth_provider::wire::TokenRequest;
use oauth_provider::wire::metadata::paths;

use crate::extract::oauth_form::OAuthForm;
use crate::http::endpoint::at;
use crate::http::oauth::{OAuthFailure, answer};
use crate::oauth::code::{SentCode, redeem};
use crate::oauth::password::{SentPassword, by_password};
use crate::oauth::refresh::{SentRefresh, next_pair};
use crate::oauth::clients;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::TOKEN).post(token).build());
}

/// The parameters are checked before the application is, as existing clients expect.
async fn token(state: Data<AppState>, mut sent: OAuthForm) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let asked = TokenRequest::read(&mut sent.form)?;
    let client = sent.client()?;
    let issued = match asked {
        TokenRequest::AuthorizationCode { code, redirect_uri, code_verifier } => {
            let application = clients::required(&state, client, now).await?;
            redeem(&state, application, SentCode { code, redirect_uri, code_verifier }, now).await?
        }
        TokenRequest::RefreshToken { refresh_token, scopes, redirect_uri, code_verifier } => {
            let application = clients::required(&state, client, now).await?;
            let sent = SentRefresh { refresh_token, scopes, redirect_uri, code_verifier };
            next_pair(&state, application, sent, now).await?
        }
        TokenRequest::Password { username, password, scopes } => {
            let application = clients::proven(&state, client, now).await?;
            let sent = SentPassword { username, password, scopes };
            return by_password(&state, application, sent, now).await;
        }
    };
    Ok(answer(&issued.answer(&state, now).await?))
}
