//! Exchange of a refresh token for the next pair (RFC 6749, section 6).

use actix_web::HttpRequest;
use api_conventions::time::Timestamp;
use oauth_provider::flow::refresh::Refresh;
use oauth_provider::wire::token_request::RefreshParameters;
use oauth_provider::{Application, RotationSeed};
use storage::{Store as _, StoreError};

use super::issue::NewTokens;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;
use gatehouse_core::flows::oauth::{ActiveAccounts, TokenRefresh, TokenRefreshOutcome};
use gatehouse_core::randomness::OsRandomness;
use web_conventions::wake_batching::batched;

/// Rotates a refresh token for an authenticated application.
///
/// # Errors
/// `invalid_grant` if the token is invalid; `invalid_scope` if the request asks for more than was granted.
pub async fn next_pair(
    request: &HttpRequest,
    state: &AppState,
    application: &Application,
    sent: RefreshParameters,
    now: Timestamp,
) -> Result<NewTokens, OAuthFailure> {
    let policy = state.settings.oauth.policy.clone();
    let mut refresh = Refresh::new(
        Some(application.id),
        application.scopes.clone(),
        sent.refresh_token,
        RotationSeed::generate(&OsRandomness, now),
        now,
    );
    refresh.access_seconds = Some(policy.access_seconds_of(&application.options));
    refresh.scopes = sent.scopes;
    refresh.redirect_uri = sent.redirect_uri;
    refresh.code_verifier = sent
        .code_verifier
        .map(|verifier| verifier.reveal().to_owned());
    let refreshed = state.database.write_grouped(TokenRefresh {
        request: refresh,
        policy,
        users: ActiveAccounts,
    });
    let refreshed: Result<TokenRefreshOutcome, StoreError> = batched(request, refreshed).await;
    let (next, user) = *refreshed?.into_result()?;
    Ok(NewTokens {
        grant: next.grant,
        nonce: None,
        user,
        application: application.clone(),
        access: next.secrets.access,
        refresh: next.secrets.refresh,
        scopes: next.scopes,
        created_at: next.created_at,
        expires_at: next.expires_at,
    })
}
