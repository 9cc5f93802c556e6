//! A refresh token for the next pair (RFC 6749, section 6).

use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::refresh::Refresh;
use oauth_provider::wire::{ErrorCode, OAuthError};
use oauth_provider::{Application, RotationSeed};
use storage::{Store as _, StoreError};

use super::issue::Issued;
use crate::flows::oauth::{RefreshedTokens, refresh_tokens};
use crate::http::oauth::OAuthFailure;
use crate::randomness::OsRandomness;
use crate::state::AppState;

/// A refresh token as it was sent.
#[derive(Debug)]
pub struct SentRefresh {
    /// The token.
    pub refresh_token: PlainSecret,
    /// What the next access token is to permit.
    pub scopes: Option<ScopeSet>,
    /// Where the code was sent, if the client says it again.
    pub redirect_uri: Option<String>,
    /// The verifier of PKCE, if the client says it again.
    pub code_verifier: Option<PlainSecret>,
}

/// Uses a refresh token for an application that has proved that it is itself.
///
/// # Errors
/// `invalid_grant` when the token is not good, `invalid_scope` when more is asked for than was granted.
pub async fn next_pair(
    state: &AppState,
    application: Application,
    sent: SentRefresh,
    now: Timestamp,
) -> Result<Issued, OAuthFailure> {
    let policy = state.settings.oauth.policy;
    let wish = Refresh {
        application_id: Some(application.id),
        presented: sent.refresh_token,
        scopes: sent.scopes,
        redirect_uri: sent.redirect_uri,
        code_verifier: sent.code_verifier.map(|verifier| verifier.reveal().to_owned()),
        seed: RotationSeed::generate(&OsRandomness),
        now,
    };
    let refreshed = state.database.write(move |tx| refresh_tokens(tx, &wish, &policy));
    let refreshed: Result<RefreshedTokens, StoreError> = refreshed.await;
    let (next, user) = match refreshed? {
        RefreshedTokens::Issued(issued) => *issued,
        RefreshedTokens::Refused => return Err(refused(ErrorCode::InvalidGrant)),
        RefreshedTokens::ScopeTooLarge => return Err(refused(ErrorCode::InvalidScope)),
        RefreshedTokens::Ended(grant) => {
            state.tokens.ended().grant(grant);
            return Err(refused(ErrorCode::InvalidGrant));
        }
    };
    state.tokens.ended().pair(next.replaced);
    Ok(Issued {
        grant: next.grant,
        user,
        application: application.uid,
        access: next.secrets.access,
        refresh: next.secrets.refresh,
        scopes: next.scopes,
        created_at: next.created_at,
        expires_at: next.expires_at,
    })
}

fn refused(code: ErrorCode) -> OAuthFailure {
    OAuthError::new(code).into()
}
