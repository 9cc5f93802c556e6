//! `GET` and `POST /oauth/userinfo` (`OAUTH-09`; OpenID Connect Core 1.0, section 5.3).

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::scope::Scope;
use oauth_provider::wire::metadata::paths;
use oauth_provider::wire::{Claims, ErrorCode, OAuthError};

use super::described::{IN_FORM, IN_QUERY, described};
use crate::areas::oauth::form::BodyToken;
use crate::areas::oauth::protocol::bearer::bearer;
use crate::areas::oauth::protocol::subject::subject;
use crate::frame::oauth_failure::{OAuthFailure, response};
use crate::state::AppState;
use web_conventions::operations::{Operation, RateClass, ResponseSpec, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let all = [
        get("userinfo", paths::USERINFO, userinfo),
        post("userinfoByForm", paths::USERINFO, userinfo)
            .takes([IN_FORM])
            .rated(RateClass::Read),
    ];
    let all = all.map(|operation| {
        let claims = ResponseSpec::json::<Claims>(
            200,
            "Claims about the user, according to the scopes of the token.",
        );
        let operation = operation.takes([IN_QUERY]).response(claims);
        described(
            operation,
            "Get claims about the user of an access token with the openid scope",
        )
    });
    all.to_vec()
}

async fn userinfo(
    request: HttpRequest,
    state: Data<AppState>,
    BodyToken(in_body): BodyToken,
) -> Result<HttpResponse, OAuthFailure> {
    let now = state.now();
    let principal = bearer(&request, &state, in_body, now).await?;
    if !principal.scopes.contains(&Scope::OPENID) {
        return Err(OAuthError::new(ErrorCode::InsufficientScope).into());
    }
    let registry = &state.settings.oauth.policy.scopes;
    let released = registry.released_by(&principal.scopes);
    let subject = subject(&state, &principal.user, released, now).await?;
    Ok(response(&Claims::for_userinfo(&subject, released)))
}
