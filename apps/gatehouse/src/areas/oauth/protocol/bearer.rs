//! Access token of a request to the provider itself.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use api_conventions::credentials::Authorization;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::wire::OAuthError;
use oauth_provider::wire::error::TokenFault;

use crate::frame::credentials::query_token;
use crate::frame::oauth_failure::OAuthFailure;
use crate::frame::sudo;
use crate::state::AppState;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::auth::tokens::{SentToken, TokenVerdict};

/// Returns the user of the request's access token.
/// The token is in the `Authorization` header, in the `access_token` query parameter, or in the body (`in_body`), if
/// the endpoint accepts it there (RFC 6750, section 2). Personal access tokens are not accepted here.
///
/// # Errors
/// `invalid_token` if the token is missing or no longer valid; `invalid_request` if there are two tokens, or if the
/// request names a user to impersonate, which only the API supports (`AUTH-05`).
pub async fn bearer(
    request: &HttpRequest,
    state: &AppState,
    in_body: Option<PlainSecret>,
    now: Timestamp,
) -> Result<Arc<Principal>, OAuthFailure> {
    if sudo::is_named(request) {
        return Err(OAuthError::invalid_request("This endpoint does not support sudo.").into());
    }
    let token = SentToken::of(&sent_token(request, in_body)?.ok_or_else(unknown)?);
    validate(state, token, now).await
}

/// Returns the user of an access token.
///
/// # Errors
/// `invalid_token` if the token is no longer valid, or was not issued to an application.
pub async fn validate(
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
        TokenVerdict::Good(_) | TokenVerdict::Refused | TokenVerdict::ImpersonationDisabled => {
            TokenFault::Invalid
        }
        TokenVerdict::Expired => TokenFault::Expired,
        TokenVerdict::Revoked | TokenVerdict::Blocked => TokenFault::Revoked,
    };
    Err(OAuthError::invalid_token(fault).into())
}

/// Error for a missing or unknown token.
pub fn unknown() -> OAuthError {
    OAuthError::invalid_token(TokenFault::Invalid)
}

/// Returns the only token of a request.
/// Two tokens are refused, even if they are equal, because two parsers might pick different ones.
fn sent_token(
    request: &HttpRequest,
    in_body: Option<PlainSecret>,
) -> Result<Option<PlainSecret>, OAuthFailure> {
    let header = request.headers().get(AUTHORIZATION);
    let header = header.and_then(|value| Authorization::parse(value.to_str().ok()?));
    let by_header = match header {
        Some(Authorization::Bearer(token)) => Some(token),
        Some(Authorization::Basic { .. }) | None => None,
    };
    let refused = |description| OAuthFailure::from(OAuthError::invalid_request(description));
    let by_query = query_token(request.query_string()).map_err(refused)?;
    let mut sent = [by_header, by_query, in_body].into_iter().flatten();
    let first = sent.next();
    if sent.next().is_some() {
        return Err(refused("The access token was sent in two ways."));
    }
    Ok(first)
}
