//! `POST /oauth/token` (`OAUTH-03` to `OAUTH-06`, `OAUTH-11`, `OAUTH-14`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::TokenRequest;
use oauth_provider::wire::metadata::paths;

use crate::extract::browser::counted_address;
use crate::extract::oauth_form::OAuthForm;
use crate::http::endpoint::at;
use crate::http::oauth::{OAuthFailure, response};
use crate::oauth::clients;
use crate::oauth::code::redeem;
use crate::oauth::password::by_password;
use crate::oauth::refresh::next_pair;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::TOKEN).post(token).build());
}

/// The parameters are checked before the application is, as existing clients expect.
async fn token(
    request: HttpRequest,
    state: Data<AppState>,
    mut sent: OAuthForm,
) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let asked = TokenRequest::read(&mut sent.form)?;
    let client = sent.client()?;
    let issued = match asked {
        TokenRequest::AuthorizationCode(sent) => {
            let application = clients::required(&request, &state, client, now).await?;
            redeem(&request, &state, &application, sent, now).await?
        }
        TokenRequest::RefreshToken(sent) => {
            let application = clients::required(&request, &state, client, now).await?;
            next_pair(&request, &state, &application, sent, now).await?
        }
        TokenRequest::Password(sent) => {
            let application = clients::proven(&request, &state, client, now).await?;
            let address = counted_address(&request, &state);
            return by_password(&state, application.as_deref(), sent, address, now).await;
        }
    };
    Ok(response(&issued.response(&state, now).await?))
}
