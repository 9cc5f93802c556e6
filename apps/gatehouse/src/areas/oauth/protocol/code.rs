//! Exchange of an authorization code for tokens (RFC 6749, section 4.1.3).

use actix_web::HttpRequest;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::Application;
use oauth_provider::flow::exchange::Exchange;
use oauth_provider::model::{ACCESS_PREFIX, REFRESH_PREFIX};
use oauth_provider::wire::token_request::CodeParameters;
use storage::{Store as _, StoreError};

use super::issue::NewTokens;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;
use gatehouse_core::flows::oauth::{ActiveAccounts, CodeExchange, CodeExchangeOutcome};
use gatehouse_core::randomness::OsRandomness;
use web_conventions::wake_batching::batched;

/// Redeems a code for an authenticated application.
///
/// # Errors
/// `invalid_grant` if the code is invalid.
pub async fn redeem(
    request: &HttpRequest,
    state: &AppState,
    application: &Application,
    sent: CodeParameters,
    now: Timestamp,
) -> Result<NewTokens, OAuthFailure> {
    let [access, refresh] = [ACCESS_PREFIX, REFRESH_PREFIX]
        .map(|prefix| PlainSecret::generate_dated(prefix, &OsRandomness, now));
    let policy = state.settings.oauth.policy.clone();
    let access_seconds = policy.access_seconds_of(&application.options);
    let mut exchange = Exchange::new(
        application.id,
        application.scopes.clone(),
        sent.code.digest(),
        [access.digest(), refresh.digest()],
        now,
    );
    exchange.access_seconds = Some(access_seconds);
    exchange.redirect_uri = sent.redirect_uri;
    exchange.code_verifier = sent
        .code_verifier
        .map(|verifier| verifier.reveal().to_owned());
    let exchanged = state.database.write_grouped(CodeExchange {
        request: exchange,
        policy,
        users: ActiveAccounts,
    });
    let exchanged: Result<CodeExchangeOutcome, StoreError> = batched(request, exchanged).await;
    let (issued, scopes) = exchanged?.into_result()?;
    let (grant, user) = *issued;
    Ok(NewTokens {
        nonce: grant.nonce.clone(),
        user,
        application: application.clone(),
        access,
        refresh,
        scopes,
        created_at: now,
        expires_at: now.plus_seconds(access_seconds),
        grant,
    })
}
