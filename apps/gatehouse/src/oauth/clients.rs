//! The application that calls.

use std::sync::Arc;

use oauth_provider::Application;
use oauth_provider::flow::client::ClientOutcome;
use oauth_provider::wire::{ClientCredentials, OAuthError};

use crate::http::oauth::OAuthFailure;
use crate::state::AppState;

/// The application that calls and has proved that it is itself; `None` when it does not say who it is.
///
/// # Errors
/// `invalid_client` when it proves nothing.
pub async fn proven(
    state: &AppState,
    sent: Option<ClientCredentials>,
) -> Result<Option<Arc<Application>>, OAuthFailure> {
    let Some(sent) = sent else {
        return Ok(None);
    };
    let (uid, secret) = (&sent.client_id, sent.secret.as_ref());
    let outcome = state.clients.authenticate(&state.database, uid, secret);
    match outcome.await? {
        ClientOutcome::Authenticated(application) => Ok(Some(application)),
        ClientOutcome::Refused => Err(sent.refusal().into()),
    }
}

/// The application that calls; it must say who it is.
///
/// # Errors
/// `invalid_client` when it does not, or proves nothing.
pub async fn required(
    state: &AppState,
    sent: Option<ClientCredentials>,
) -> Result<Arc<Application>, OAuthFailure> {
    let proven = proven(state, sent).await?;
    proven.ok_or_else(|| OAuthError::invalid_client(false).into())
}
