//! Ending a token on behalf of its application.

use actix_web::HttpRequest;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::revoke::{self, RevokeOutcome};
use oauth_provider::wire::{ClientCredentials, OAuthError};
use storage::{Store as _, StoreError};

use super::clients;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;

/// Ends a token. Before the answer is sent it is worth nothing in this process.
///
/// An application that proves nothing is not refused before the token was looked at: a token that nobody knows, or
/// that needs no proof, is ended for anyone (RFC 7009, section 2.2).
///
/// # Errors
/// A refusal when the token is another application's; 429 after too many wrong secrets; failures of the store.
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
        RevokeOutcome::NotYours => Err(OAuthError::not_your_token().into()),
    }
}
