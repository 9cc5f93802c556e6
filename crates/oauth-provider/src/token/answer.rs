//! Results of a token request: issued tokens or an error.

use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Application, Grant};
use crate::wire::error::ErrorCode;
use crate::wire::{OAuthError, TokenResponse};
use crate::work::{CodeWorkOutcome, RefreshWorkOutcome};

/// Error of a token request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Request refused. The error has its status, its JSON body and its `WWW-Authenticate`.
    #[error(transparent)]
    Refused(#[from] OAuthError),
    /// The store failed. The response to the client reveals nothing about it.
    #[error("the store failed while issuing tokens")]
    Store(#[from] StoreError),
}

impl TokenError {
    /// Returns the error response for the client. A retryable failure of the store is `temporarily_unavailable` with
    /// 503, any other is `server_error` with 500.
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

/// Issued tokens. Send the response with `Cache-Control: no-store` (RFC 6749, section 5.1).
#[derive(Debug)]
#[non_exhaustive]
pub struct TokenAnswer<U> {
    /// Application that receives the tokens.
    pub application: Application,
    /// Grant to which the tokens belong.
    pub grant: Grant,
    /// Data of the tokens' user that the host loaded.
    pub user: U,
    /// The access token.
    pub access: PlainSecret,
    /// The refresh token.
    pub refresh: PlainSecret,
    /// Scopes of the tokens.
    pub scopes: ScopeSet,
    /// Nonce of the authorization request, for the id token after a code is redeemed; `None` after a refresh.
    pub nonce: Option<String>,
    /// Time at which the tokens were issued.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
    /// Time of this response: later than `created_at` if a lost response is repeated.
    pub now: Timestamp,
}

impl<U> TokenAnswer<U> {
    /// Returns the JSON response, with an id token if the host signed one.
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

/// Tokens that are issued once the store has redeemed the code.
pub(super) struct PendingIssue {
    pub(super) application: Application,
    pub(super) access: PlainSecret,
    pub(super) refresh: PlainSecret,
    pub(super) created_at: Timestamp,
    pub(super) expires_at: Timestamp,
}

impl PendingIssue {
    /// Returns the tokens of a code, if the code was valid.
    pub(super) fn finish<U>(
        self,
        outcome: CodeWorkOutcome<U>,
    ) -> Result<TokenAnswer<U>, TokenError> {
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

/// Returns the tokens that succeed a refresh token, if it was valid.
pub(super) fn of_refresh<U>(
    application: Application,
    outcome: RefreshWorkOutcome<U>,
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
