//! The application that calls.

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

/// The application that calls and has proved that it is itself; `None` when it does not say who it is.
///
/// # Errors
/// `invalid_client` when it proves nothing; 429 after too many wrong secrets.
pub async fn proven(
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

/// The application that calls; it must say who it is.
///
/// # Errors
/// `invalid_client` when it does not, or proves nothing; 429 after too many wrong secrets.
pub async fn required(
    request: &HttpRequest,
    state: &AppState,
    sent: Option<ClientCredentials>,
    now: Timestamp,
) -> Result<Arc<Application>, OAuthFailure> {
    let proven = proven(request, state, sent, now).await?;
    proven.ok_or_else(|| OAuthError::invalid_client(false).into())
}

/// The application that credentials stand for; `None` when they prove nothing. Wrong secrets are limited as wrong passwords
/// are, for each application at each address, so that nobody locks an application out from elsewhere. A right one costs
/// no work of the database, unless somebody at the same address sent a wrong one of late.
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
    // Anyone who sends no secret guesses none.
    if sent.secret.is_none() || found.is_some() && state.suspects.is_empty() {
        return Ok(found);
    }
    let guess = SecretGuess::new(
        sent.client_id.clone(),
        counted_address(request, state),
        found.is_some(),
        now,
    );
    let (at, whose) = (&guess.address, (&guess.address, &guess.client_id));
    if guess.is_right && !state.suspects.has(&whose) && !state.suspects.has(at) {
        return Ok(found);
    }
    limited(state, guess).await.map(|()| found)
}

/// Counts a secret in the store when it is wrong, and takes a right one when there were not too many.
async fn limited(state: &AppState, guess: SecretGuess) -> Result<(), OAuthFailure> {
    let whose = (guess.address.clone(), guess.client_id.clone());
    if !guess.is_right {
        // Before the store is asked, so that a right secret that comes meanwhile is counted with the wrong ones.
        state.suspects.note(&whose);
    }
    let policy = state.settings.sign_in.rules.policy;
    let validated = state
        .database
        .write(move |tx| verify_secret(tx, &guess, &policy));
    let validated: Result<SecretOutcome, StoreError> = validated.await;
    match validated? {
        SecretOutcome::Right => state.suspects.forget(&whose),
        SecretOutcome::Wrong {
            is_address_locked_out,
        } => {
            if is_address_locked_out {
                state.suspects.note(&whose.0);
            }
        }
        SecretOutcome::LockedOut { seconds } => {
            // It may be the address that is locked out, also because of what another process saw.
            state.suspects.note(&whose.0);
            return Err(ApiError::too_many_requests(seconds).into());
        }
    }
    Ok(())
}
