//! Outcomes as results: the success value, or the error response to any refusal.
//!
//! A host that uses a result need not match each case, so it still compiles, and refuses, when a new case is added.

use api_conventions::ids::ApplicationId;
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;

use super::authenticate::TokenOutcome;
use super::authorize::{ApproveOutcome, AuthorizationResponse};
use super::client::ClientOutcome;
use super::client_credentials::ClientCredentialsOutcome;
use super::exchange::ExchangeOutcome;
use super::refresh::{RefreshOutcome, RefreshedPair};
use crate::model::{Grant, TokenPair};
use crate::wire::error::{ErrorCode, OAuthError, TokenFault};

impl ExchangeOutcome {
    /// Returns the grant with its scopes.
    ///
    /// # Errors
    /// `invalid_grant` for every refusal, so that callers cannot learn which codes exist (RFC 6749, section 5.2).
    pub fn into_result(self) -> Result<(Box<Grant>, ScopeSet), OAuthError> {
        match self {
            Self::Issued(grant, scopes) => Ok((grant, scopes)),
            Self::Refused | Self::Replayed(_) => Err(OAuthError::new(ErrorCode::InvalidGrant)),
        }
    }
}

impl RefreshOutcome {
    /// Returns the next pair.
    ///
    /// # Errors
    /// `invalid_scope` for scopes that were not granted, `invalid_grant` for any other refusal (RFC 6749, section 5.2).
    pub fn into_result(self) -> Result<Box<RefreshedPair>, OAuthError> {
        match self {
            Self::Refreshed(refreshed) => Ok(refreshed),
            Self::ScopeTooLarge => Err(OAuthError::new(ErrorCode::InvalidScope)),
            Self::Refused | Self::Reused(_) => Err(OAuthError::new(ErrorCode::InvalidGrant)),
        }
    }
}

impl ClientCredentialsOutcome {
    /// Returns the scopes of the token, and the first instant at which it no longer works.
    ///
    /// # Errors
    /// `unauthorized_client` for a public application, `invalid_scope` for scopes that it may not have (RFC 6749,
    /// section 5.2).
    pub fn into_result(self) -> Result<(ScopeSet, Timestamp), OAuthError> {
        match self {
            Self::Issued { scopes, expires_at } => Ok((scopes, expires_at)),
            Self::PublicClient => Err(OAuthError::new(ErrorCode::UnauthorizedClient)),
            Self::ScopeRefused => Err(OAuthError::new(ErrorCode::InvalidScope)),
        }
    }
}

impl<A> ClientOutcome<A> {
    /// Returns the application. `by_header` is true if it authenticated with an `Authorization` header.
    ///
    /// # Errors
    /// `invalid_client`.
    pub fn into_result(self, by_header: bool) -> Result<A, OAuthError> {
        match self {
            Self::Authenticated(application) => Ok(application),
            Self::Refused => Err(OAuthError::invalid_client(by_header)),
        }
    }
}

impl TokenOutcome {
    /// Returns the pair of the access token.
    ///
    /// # Errors
    /// `invalid_token`, with a description of the fault (RFC 6750, section 3.1).
    pub fn into_result(self) -> Result<Box<TokenPair>, OAuthError> {
        Err(OAuthError::invalid_token(match self {
            Self::Usable(pair) => return Ok(pair),
            Self::Unknown => TokenFault::Invalid,
            Self::Expired => TokenFault::Expired,
            Self::Revoked => TokenFault::Revoked,
        }))
    }
}

impl ApproveOutcome {
    /// Returns the response, and the application that receives it.
    ///
    /// # Errors
    /// `invalid_request`, for the error page of the user: no response can be sent to the application.
    pub fn into_result(self) -> Result<(AuthorizationResponse, ApplicationId), OAuthError> {
        match self {
            Self::Responded(response, application) => Ok((response, application)),
            Self::NotFound => Err(OAuthError::invalid_request(
                "The authorization request is no longer valid. Start again from the application.",
            )),
        }
    }
}
