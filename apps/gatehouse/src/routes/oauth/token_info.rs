//! `GET /oauth/token/info` (`OAUTH-07`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::TokenInfo;
use oauth_provider::wire::metadata::paths;

use crate::http::endpoint::at;
use crate::http::oauth::{OAuthFailure, response};
use crate::oauth::bearer::bearer;
use crate::state::AppState;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(paths::TOKEN_INFO).get(info).build());
}

async fn info(request: HttpRequest, state: Data<AppState>) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let principal = bearer(&request, &state, None, now).await?;
    let token = principal
        .oauth()
        .ok_or_else(crate::oauth::bearer::unknown)?;
    Ok(response(&TokenInfo::of(
        &token.pair,
        token.application.as_ref(),
        now,
    )))
}
