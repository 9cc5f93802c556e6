//! Rotation of access tokens: a successor replaces a token, which is revoked in the same transaction.

use api_conventions::error::ApiError;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use super::issue_token::expiry_within_a_year;
use super::token_access::{TokenAccess, find_token_for};
use super::token_audit::{Change, record};
use crate::model::{AccessToken, AuditEventName, NewToken};
use crate::store::{AccountRepository, AuditRepository};

/// Lifetime of a successor without a day of expiry, in days.
pub const DEFAULT_DAYS: i32 = 7;

/// Expiry of the token that replaces another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuccessorExpiry {
    /// [`DEFAULT_DAYS`] from today.
    Default,
    /// First day on which the successor is no longer valid: after today and within a year.
    Day(CalendarDate),
    /// As many days from today as the replaced token had from its creation, at most a year.
    SameLifetime,
}

/// Request to rotate an access token.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RotateToken {
    /// Token to replace.
    pub id: TokenId,
    /// User who rotates it: its own user, or an administrator.
    pub by: UserId,
    /// Expiry of the successor.
    pub expiry: SuccessorExpiry,
    /// Digest of the successor. The caller generates the token and shows it once.
    pub digest: SecretDigest,
    /// Current time.
    pub now: Timestamp,
}

impl RotateToken {
    /// Creates a request for a successor with the default lifetime.
    pub fn new(id: TokenId, by: UserId, digest: SecretDigest, now: Timestamp) -> Self {
        Self {
            id,
            by,
            expiry: SuccessorExpiry::Default,
            digest,
            now,
        }
    }
}

/// Reasons to refuse a rotation. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RotateTokenError {
    /// There is no such token.
    #[error("the token does not exist")]
    Unknown,
    /// The user is no administrator, and the token does not act for them.
    #[error("only the user of a token and administrators can rotate it")]
    Refused,
    /// The token was revoked, for instance by an earlier rotation.
    #[error("token already revoked")]
    Revoked,
    /// The day of expiry is today, in the past, or more than a year ahead.
    #[error("a token must expire after today and within a year")]
    Expiry,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RotateTokenError> for ApiError {
    fn from(error: RotateTokenError) -> Self {
        match error {
            RotateTokenError::Store(store) => Self::storage_failure(store.is_retryable()),
            RotateTokenError::Unknown => Self::not_found("Personal access token"),
            RotateTokenError::Refused => Self::unauthorized(),
            refused => Self::bad_request(&refused.to_string()),
        }
    }
}

/// Replaces a token by a successor with the same user, name, kind and scopes, and returns the successor. Of several
/// concurrent rotations of one token, one succeeds.
///
/// # Errors
/// See [`RotateTokenError`].
pub fn rotate_token<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    request: &RotateToken,
) -> Result<AccessToken, RotateTokenError> {
    let token = match find_token_for(repos, request.id, request.by)? {
        TokenAccess::Permitted(token) => token,
        TokenAccess::Refused => return Err(RotateTokenError::Refused),
        TokenAccess::Unknown => return Err(RotateTokenError::Unknown),
    };
    replace_token(repos, &token, request)
}

/// Replaces a token like [`rotate_token`], on behalf of a user whose permission the caller has checked.
///
/// # Errors
/// See [`RotateTokenError`].
pub fn replace_token<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    token: &AccessToken,
    request: &RotateToken,
) -> Result<AccessToken, RotateTokenError> {
    let expires_on = expiry(request, token)?;
    if !repos.revoke_token(token.id, request.now)? {
        return Err(RotateTokenError::Revoked);
    }
    let successor_id = repos.insert_token(&NewToken {
        user_id: token.user_id,
        name: token.name.clone(),
        kind: token.kind,
        family_id: Some(token.family()),
        scopes: token.scopes.clone(),
        digest: request.digest,
        expires_on,
        creator_id: token.creator_id,
        created_at: request.now,
    })?;
    let successor = repos.find_token(successor_id)?.ok_or_else(|| {
        StoreError::inconsistent("access_tokens", successor_id, "the new row does not exist")
    })?;
    let change = Change {
        author_id: Some(request.by),
        now: request.now,
    };
    record(repos, AuditEventName::TokenRotated, &successor, change)?;
    Ok(successor)
}

fn expiry(request: &RotateToken, token: &AccessToken) -> Result<CalendarDate, RotateTokenError> {
    let today = request.now.date();
    let after = |days: i32| CalendarDate::from_days(today.as_days().saturating_add(days));
    let requested = match request.expiry {
        SuccessorExpiry::Default => after(DEFAULT_DAYS),
        SuccessorExpiry::Day(day) => Some(day),
        SuccessorExpiry::SameLifetime => {
            let days = token.expires_on.as_days() - token.created_at.date().as_days();
            after(days).min(today.plus_one_year())
        }
    };
    requested
        .filter(|day| expiry_within_a_year(*day, today))
        .ok_or(RotateTokenError::Expiry)
}
