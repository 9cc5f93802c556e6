//! The answer with tokens, and the id token in it.

use accounts::User;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::wire::id_token::IssuedWith;
use oauth_provider::wire::{IdTokenClaims, Subject, TokenAnswer};
use oauth_provider::{ApplicationUid, Grant};

use crate::http::failure::Failure;
use crate::state::AppState;

/// Tokens that were issued.
#[derive(Debug)]
pub struct Issued {
    /// The grant that they follow from.
    pub grant: Grant,
    /// The user for whom they act.
    pub user: User,
    /// The application that gets them.
    pub application: ApplicationUid,
    /// The access token.
    pub access: PlainSecret,
    /// The refresh token.
    pub refresh: PlainSecret,
    /// What they permit.
    pub scopes: ScopeSet,
    /// When they were issued.
    pub created_at: Timestamp,
    /// The first moment at which the access token no longer works.
    pub expires_at: Timestamp,
}

impl Issued {
    /// The answer. With the scope `openid` it has an id token.
    ///
    /// # Errors
    /// When the id token cannot be signed.
    pub async fn answer(
        &self,
        state: &AppState,
        now: Timestamp,
    ) -> Result<TokenAnswer<'_>, Failure> {
        let id_token = if self.scopes.contains(Scope::Openid) {
            Some(self.id_token(state, now).await?)
        } else {
            None
        };
        Ok(TokenAnswer {
            access_token: &self.access,
            expires_in: self.expires_at.as_unix_seconds() - now.as_unix_seconds(),
            refresh_token: Some(&self.refresh),
            scopes: Some(self.scopes),
            created_at: Some(self.created_at),
            id_token,
        })
    }

    async fn id_token(&self, state: &AppState, now: Timestamp) -> Result<String, Failure> {
        let issued = IssuedWith {
            grant: &self.grant,
            scopes: self.scopes,
            access_token: self.access.reveal(),
            algorithm: state.keys.algorithm(),
            now,
        };
        let subject = subject(&self.user, &state.base_url);
        let claims = IdTokenClaims::new(&state.base_url, &self.application, &subject, &issued);
        Ok(state.keys.sign(claims, now).await?)
    }
}

/// What applications may be told of a user.
pub fn subject(user: &User, base_url: &str) -> Subject {
    Subject {
        user_id: user.id,
        name: user.name.clone(),
        username: user.username.as_str().to_owned(),
        // Administrators make accounts with their addresses; nobody can enter another's.
        email: (!user.email.is_empty()).then(|| (user.email.clone(), true)),
        profile_url: format!("{base_url}/{}", user.username.as_str()),
        picture_url: None,
    }
}
