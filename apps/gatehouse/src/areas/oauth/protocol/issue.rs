//! Token response, including the ID token.

use accounts::User;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::wire::id_token::IdTokenContext;
use oauth_provider::wire::{IdTokenClaims, TokenResponse};
use oauth_provider::{Application, Grant};

use super::subject::subject;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;

/// Issued tokens.
#[derive(Debug)]
pub struct NewTokens {
    /// Grant of the tokens.
    pub grant: Grant,
    /// Nonce of the authorization request, if there was one.
    pub nonce: Option<String>,
    /// User for whom the tokens act.
    pub user: User,
    /// Application that receives the tokens.
    pub application: Application,
    /// Access token.
    pub access: PlainSecret,
    /// Refresh token.
    pub refresh: PlainSecret,
    /// Granted scopes.
    pub scopes: ScopeSet,
    /// Time of issue.
    pub created_at: Timestamp,
    /// Time at which the access token expires.
    pub expires_at: Timestamp,
}

impl NewTokens {
    /// Builds the response.
    /// With the scope `openid` it contains an ID token.
    ///
    /// # Errors
    /// If the ID token cannot be signed.
    pub async fn response(
        &self,
        state: &AppState,
        now: Timestamp,
    ) -> Result<TokenResponse<'_>, OAuthFailure> {
        let id_token = if self.scopes.contains(&Scope::OPENID) {
            Some(self.id_token(state, now).await?)
        } else {
            None
        };
        Ok(TokenResponse {
            access_token: &self.access,
            expires_in: self.expires_at.as_unix_seconds() - now.as_unix_seconds(),
            refresh_token: Some(&self.refresh),
            scopes: Some(&self.scopes),
            created_at: Some(self.created_at),
            id_token,
        })
    }

    async fn id_token(&self, state: &AppState, now: Timestamp) -> Result<String, OAuthFailure> {
        let (policy, options) = (&state.settings.oauth.policy, &self.application.options);
        let released = policy.scopes.released_by(&self.scopes);
        let session = self.grant.session_id;
        let sid = session.map(|id| state.vault.pseudonym(&format!("session {id}")));
        let mut issued = IdTokenContext::new(
            &self.grant,
            released,
            self.access.reveal(),
            state.keys.algorithm(),
            now,
        );
        issued.nonce = self.nonce.as_deref();
        issued.sid = sid.as_deref();
        issued.lifetime_seconds = policy.id_token_seconds_of(options);
        issued.all_groups = options.groups_claim;
        let subject = subject(state, &self.user, released, now).await?;
        let aud = &self.application.uid;
        let claims = IdTokenClaims::new(&state.base_url, aud, &subject, &issued);
        Ok(state.keys.sign(claims, now).await?)
    }
}
