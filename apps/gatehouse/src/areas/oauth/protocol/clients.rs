//! Client authentication.

use std::sync::Arc;

use accounts::flow::guess::{SecretGuess, SecretOutcome, verify_secret};
use actix_web::HttpRequest;
use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use oauth_provider::Application;
use oauth_provider::wire::{ClientCredentials, OAuthError};
use storage::{Store as _, StoreError};

use crate::frame::client::counted_address;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;

/// Authenticates the calling application; `None` if the request has no credentials.
///
/// # Errors
/// `invalid_client` if the credentials are wrong; 429 after too many wrong secrets.
pub async fn authenticated(
    request: &HttpRequest,
    state: &AppState,
    sent: Option<ClientCredentials>,
    now: Timestamp,
) -> Result<Option<Arc<Application>>, OAuthFailure> {
    let Some(sent) = sent else {
        return Ok(None);
    };
    let found = validate(request, state, &sent, now).await?;
    found.map(Some).ok_or_else(|| sent.refusal().into())
}

/// Authenticates the calling application, which must send credentials.
///
/// # Errors
/// `invalid_client` if the credentials are missing or wrong; 429 after too many wrong secrets.
pub async fn required(
    request: &HttpRequest,
    state: &AppState,
    sent: Option<ClientCredentials>,
    now: Timestamp,
) -> Result<Arc<Application>, OAuthFailure> {
    let application = authenticated(request, state, sent, now).await?;
    application.ok_or_else(|| OAuthError::invalid_client(false).into())
}

/// Returns the application of the credentials; `None` if they are wrong.
/// Wrong secrets are limited like wrong passwords, per application and address, so that no one can lock an application
/// out from another address. A correct secret costs no database write, unless the same address sent a wrong one
/// recently.
///
/// # Errors
/// 429 after too many wrong secrets; failures of the store.
pub async fn validate(
    request: &HttpRequest,
    state: &AppState,
    sent: &ClientCredentials,
    now: Timestamp,
) -> Result<Option<Arc<Application>>, OAuthFailure> {
    let (uid, secret) = (&sent.client_id, sent.secret.as_ref());
    let outcome = state.clients.authenticate(&state.database, uid, secret);
    let found = outcome.await?.into_result(false).ok();
    // A request without a secret is not a guess.
    if sent.secret.is_none() || found.is_some() && state.failed_attempts.is_empty() {
        return Ok(found);
    }
    let guess = SecretGuess::new(
        sent.client_id.clone(),
        counted_address(request, state),
        found.is_some(),
        now,
    );
    let (at, whose) = (&guess.address, (&guess.address, &guess.client_id));
    if guess.is_right && !state.failed_attempts.has(&whose) && !state.failed_attempts.has(at) {
        return Ok(found);
    }
    record_guess(state, guess).await.map(|()| found)
}

/// Counts a wrong secret in the store, and accepts a correct one unless too many were wrong.
async fn record_guess(state: &AppState, guess: SecretGuess) -> Result<(), OAuthFailure> {
    let whose = (guess.address.clone(), guess.client_id.clone());
    if !guess.is_right {
        // Before the write, so that a correct secret sent in the meantime goes through the store too.
        state.failed_attempts.note(&whose);
    }
    let policy = state.settings.sign_in.rules.policy;
    let validated = state
        .database
        .write(move |tx| verify_secret(tx, &guess, &policy));
    let validated: Result<SecretOutcome, StoreError> = validated.await;
    match validated? {
        SecretOutcome::Right => state.failed_attempts.forget(&whose),
        SecretOutcome::Wrong {
            is_address_locked_out,
        } => {
            if is_address_locked_out {
                state.failed_attempts.note(&whose.0);
            }
        }
        SecretOutcome::LockedOut { seconds } => {
            // The address itself may be locked out, perhaps because of attempts at another process.
            state.failed_attempts.note(&whose.0);
            return Err(ApiError::too_many_requests(seconds).into());
        }
    }
    Ok(())
}
