//! `GET /oauth/token/info` (`OAUTH-07`).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use oauth_provider::wire::TokenInfo;
use oauth_provider::wire::metadata::paths;

use web_conventions::operations::{Operation, ResponseSpec, get};

use super::described::{IN_QUERY, described};
use crate::areas::oauth::protocol::bearer::bearer;
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::frame::public::Bearer;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let info = get("tokenInfo", paths::TOKEN_INFO, info)
        .takes([IN_QUERY])
        .response(ResponseSpec::json::<TokenInfo>(200, "The access token."));
    vec![described(info, "Get the access token of the request")]
}

async fn info(
    request: HttpRequest,
    state: Data<AppState>,
    _: Bearer,
) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let principal = bearer(&request, &state, None, now).await?;
    let token = principal
        .oauth()
        .ok_or_else(crate::areas::oauth::protocol::bearer::unknown)?;
    Ok(response(&TokenInfo::of(
        principal.user.id,
        &token.pair,
        token.application.as_ref(),
        &state.settings.oauth.policy.scopes,
        now,
    )))
}
