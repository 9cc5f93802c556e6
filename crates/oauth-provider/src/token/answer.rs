//! What a client learns.

use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Application, Grant};
use crate::wire::error::ErrorCode;
use crate::wire::{OAuthError, TokenResponse};
use crate::work::{Exchanged, RefreshedTokens};

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The request is refused: the error has its status, its JSON body and its `WWW-Authenticate`.
    #[error(transparent)]
    Refused(#[from] OAuthError),
    /// The store failed. What the client is sent shows nothing of it.
    #[error("the store failed while tokens were issued")]
    Store(#[from] StoreError),
}

impl TokenError {
    /// What the client is sent. A failure that may pass is `temporarily_unavailable` with 503, any other one is
    /// `server_error` with 500.
    pub fn response(&self) -> OAuthError {
        match self {
            Self::Refused(refusal) => refusal.clone(),
            Self::Store(error) if error.is_retryable() => {
                OAuthError::of_status(503, ErrorCode::TemporarilyUnavailable.description())
            }
            Self::Store(_) => OAuthError::of_status(500, ErrorCode::ServerError.description()),
        }
    }
}

/// Tokens that were issued. The answer is to be sent with `Cache-Control: no-store` (RFC 6749, section 5.1).
#[derive(Debug)]
#[non_exhaustive]
pub struct TokenAnswer<U> {
    /// The application that gets them.
    pub application: Application,
    /// The grant that they follow from.
    pub grant: Grant,
    /// What the host wanted of the user for whom they act.
    pub user: U,
    /// The access token.
    pub access: PlainSecret,
    /// The refresh token.
    pub refresh: PlainSecret,
    /// What they permit.
    pub scopes: ScopeSet,
    /// The nonce of the authorization request that a code answered, for the id token; `None` after a refresh.
    pub nonce: Option<String>,
    /// When they were issued.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
    /// When the answer is given: later than `created_at` when an answer that was lost is given again.
    pub now: Timestamp,
}

impl<U> TokenAnswer<U> {
    /// What is sent as JSON, with an id token when the host signed one.
    pub fn response(&self, id_token: Option<String>) -> TokenResponse<'_> {
        TokenResponse {
            access_token: &self.access,
            expires_in: self.expires_at.as_unix_seconds() - self.now.as_unix_seconds(),
            refresh_token: Some(&self.refresh),
            scopes: Some(&self.scopes),
            created_at: Some(self.created_at),
            id_token,
        }
    }
}

/// Tokens that are issued once the store says so.
pub(super) struct PendingIssue {
    pub(super) application: Application,
    pub(super) access: PlainSecret,
    pub(super) refresh: PlainSecret,
    pub(super) created_at: Timestamp,
    pub(super) expires_at: Timestamp,
}

impl PendingIssue {
    /// The tokens of a code, if it was good.
    pub(super) fn finish<U>(self, outcome: Exchanged<U>) -> Result<TokenAnswer<U>, TokenError> {
        let (issued, scopes) = outcome.into_result()?;
        let (grant, user) = *issued;
        Ok(TokenAnswer {
            application: self.application,
            nonce: grant.nonce.clone(),
            grant,
            user,
            access: self.access,
            refresh: self.refresh,
            scopes,
            created_at: self.created_at,
            expires_at: self.expires_at,
            now: self.created_at,
        })
    }
}

/// The tokens that follow a refresh token, if it was good.
pub(super) fn of_refresh<U>(
    application: Application,
    outcome: RefreshedTokens<U>,
    now: Timestamp,
) -> Result<TokenAnswer<U>, TokenError> {
    let (next, user) = *outcome.into_result()?;
    Ok(TokenAnswer {
        application,
        grant: next.grant,
        user,
        access: next.secrets.access,
        refresh: next.secrets.refresh,
        scopes: next.scopes,
        nonce: None,
        created_at: next.created_at,
        expires_at: next.expires_at,
        now,
    })
}
