//! Token revocation by an application.

use actix_web::HttpRequest;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::revoke::{self, RevokeOutcome};
use oauth_provider::wire::{ClientCredentials, OAuthError};
use storage::{Store as _, StoreError};

use super::clients;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;

/// Revokes a token.
/// This process rejects the token before the response is sent.
///
/// A client that fails to authenticate is refused only after the token is looked up: an unknown token, or one that
/// needs no authentication, is revoked for anyone (RFC 7009, section 2.2).
///
/// # Errors
/// A refusal if the token belongs to another application; 429 after too many wrong secrets; failures of the store.
pub async fn revoke(
    request: &HttpRequest,
    state: &AppState,
    client: Option<ClientCredentials>,
    token: &PlainSecret,
    now: Timestamp,
) -> Result<(), OAuthFailure> {
    let caller = match client {
        None => None,
        Some(sent) => clients::validate(request, state, &sent, now).await?,
    };
    let caller = caller.map(|application| application.id);
    let digest = token.digest();
    let revoked = state
        .database
        .write(move |tx| revoke::revoke(tx, &digest, caller, now));
    let revoked: Result<RevokeOutcome, StoreError> = revoked.await;
    match revoked? {
        RevokeOutcome::Revoked(_) | RevokeOutcome::Unknown => Ok(()),
        RevokeOutcome::OtherApplication => Err(OAuthError::token_of_other_client().into()),
    }
}
