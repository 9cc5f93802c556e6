//! The access token of a request to the provider itself.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use api_conventions::credentials::Authorization;
use api_conventions::params::Params;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::wire::OAuthError;
use oauth_provider::wire::error::TokenFault;

use crate::auth::principal::Principal;
use crate::auth::tokens::{SentToken, TokenVerdict};
use crate::http::oauth::OAuthFailure;
use crate::state::AppState;

/// Where a token may come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carriers {
    /// The header `Authorization` only.
    Header,
    /// That, or the parameter `access_token` of the query.
    HeaderOrQuery,
}

/// Whoever the access token of a request stands for. Personal access tokens are unknown here.
///
/// # Errors
/// `invalid_token` when it is missing or works no longer; `invalid_request` when there are two.
pub async fn bearer(
    request: &HttpRequest,
    state: &AppState,
    carriers: Carriers,
    now: Timestamp,
) -> Result<Arc<Principal>, OAuthFailure> {
    let token = SentToken::of(&sent(request, carriers)?.ok_or_else(unknown)?);
    judged(state, token, now).await
}

/// Whoever an access token stands for.
///
/// # Errors
/// `invalid_token` when it works no longer, or is no application's.
pub async fn judged(
    state: &AppState,
    token: SentToken,
    now: Timestamp,
) -> Result<Arc<Principal>, OAuthFailure> {
    let verdict = match state.tokens.cached(token, now) {
        Some(found) => TokenVerdict::Good(found),
        None => state.tokens.check(&state.database, token, now).await?,
    };
    let fault = match verdict {
        TokenVerdict::Good(principal) if principal.oauth().is_some() => return Ok(principal),
        TokenVerdict::Good(_) | TokenVerdict::Refused => TokenFault::Invalid,
        TokenVerdict::Expired => TokenFault::Expired,
        TokenVerdict::Revoked | TokenVerdict::Blocked => TokenFault::Revoked,
    };
    Err(OAuthError::invalid_token(fault).into())
}

/// The refusal of a token that is missing or unknown.
pub fn unknown() -> OAuthError {
    OAuthError::invalid_token(TokenFault::Invalid)
}

fn sent(request: &HttpRequest, carriers: Carriers) -> Result<Option<PlainSecret>, OAuthFailure> {
    let header = request.headers().get(AUTHORIZATION);
    let header = header.and_then(|value| Authorization::parse(value.to_str().ok()?));
    let by_header = match header {
        Some(Authorization::Bearer(token)) => Some(token),
        Some(Authorization::Basic { .. }) | None => None,
    };
    if carriers == Carriers::Header || !request.query_string().contains("access_token") {
        return Ok(by_header);
    }
    let params = Params::from_query(request.query_string())?;
    let by_query = params.get("access_token").and_then(|value| value.as_str());
    match (by_header, by_query.filter(|token| !token.is_empty())) {
        (Some(_), Some(_)) => {
            Err(OAuthError::invalid_request("The access token was sent in two ways.").into())
        }
        (by_header, by_query) => Ok(by_header.or_else(|| by_query.map(PlainSecret::new))),
    }
}
