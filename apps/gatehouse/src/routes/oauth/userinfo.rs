//! `GET` and `POST /oauth/userinfo` (`OAUTH-09`; OpenID Connect Core 1.0, section 5.3).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::scope::Scope;
use oauth_provider::wire::metadata::paths;
use oauth_provider::wire::{Claims, ErrorCode, OAuthError};

use crate::extract::oauth_form::BodyToken;
use crate::http::endpoint::at;
use crate::http::oauth::{OAuthFailure, response};
use crate::oauth::bearer::bearer;
use crate::oauth::subject::subject;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::USERINFO).get(userinfo).post(userinfo).build());
}

async fn userinfo(
    request: HttpRequest,
    state: Data<AppState>,
    BodyToken(in_body): BodyToken,
) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let principal = bearer(&request, &state, in_body, now).await?;
    if !principal.scopes.contains(Scope::Openid) {
        return Err(OAuthError::new(ErrorCode::InsufficientScope).into());
    }
    let scopes = principal.scopes;
    let subject = subject(&state, &principal.user, scopes, now).await?;
    Ok(response(&Claims::for_userinfo(&subject, scopes)))
}
