//! Creation of access tokens.

use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use super::token_audit::{Change, record};
use crate::model::{AccessToken, AuditEventName, NewToken, TokenKind};
use crate::store::{AccountRepository, AuditRepository};

/// Longest name of a token, in characters.
pub const MAX_NAME: usize = 255;

/// Request to create an access token.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IssueToken {
    /// User for whom the token acts.
    pub user_id: UserId,
    /// User who creates the token, for the audit log; `None` for the command line.
    pub author_id: Option<UserId>,
    /// Kind, with the project or group of the token.
    pub kind: TokenKind,
    /// Name of the token, of at most [`MAX_NAME`] characters.
    pub name: String,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// First day on which the token is no longer valid; one year ahead if absent (`AUTH-09`).
    pub expires_on: Option<CalendarDate>,
    /// True if a token without a day of expiry never expires, as before release 16.0 (specification, Limits).
    pub may_be_endless: bool,
    /// Digest of the token. The caller generates the token and shows it once.
    pub digest: SecretDigest,
    /// Current time.
    pub now: Timestamp,
}

impl IssueToken {
    /// Creates a request for a personal token with the longest lifetime allowed.
    pub fn new(
        user_id: UserId,
        author_id: Option<UserId>,
        name: impl Into<String>,
        scopes: ScopeSet,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Self {
        Self {
            user_id,
            author_id,
            kind: TokenKind::Personal,
            name: name.into(),
            scopes,
            expires_on: None,
            may_be_endless: false,
            digest,
            now,
        }
    }
}

/// Reasons to refuse a token. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssueTokenError {
    /// The name is blank.
    #[error("a token needs a name")]
    NoName,
    /// The name is longer than [`MAX_NAME`].
    #[error("the name of a token has at most {MAX_NAME} characters")]
    LongName,
    /// No scope was given.
    #[error("a token needs at least one scope")]
    NoScope,
    /// The user does not exist.
    #[error("the user does not exist")]
    UnknownUser,
    /// Only tokens of administrators may have the scope `sudo`.
    #[error("only tokens of administrators can have the scope sudo")]
    SudoForNonAdmin,
    /// The day of expiry is today, in the past, or more than a year ahead.
    #[error("a token must expire after today and within a year")]
    Expiry,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IssueTokenError> for ApiError {
    fn from(error: IssueTokenError) -> Self {
        match error {
            IssueTokenError::Store(store) => Self::storage_failure(store.is_retryable()),
            IssueTokenError::UnknownUser => Self::not_found("User"),
            refused => Self::unprocessable(&refused.to_string()),
        }
    }
}

/// Creates an access token, and records it in the audit log.
///
/// # Errors
/// See [`IssueTokenError`].
pub fn issue_token<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    request: IssueToken,
) -> Result<AccessToken, IssueTokenError> {
    if request.name.trim().is_empty() {
        return Err(IssueTokenError::NoName);
    }
    if request.name.chars().count() > MAX_NAME {
        return Err(IssueTokenError::LongName);
    }
    if request.scopes.is_empty() {
        return Err(IssueTokenError::NoScope);
    }
    let expires_on = if request.may_be_endless && request.expires_on.is_none() {
        CalendarDate::LAST
    } else {
        expiry(request.expires_on, request.now.date())?
    };
    let user = repos
        .find_user(request.user_id)?
        .ok_or(IssueTokenError::UnknownUser)?;
    if request.scopes.contains(&Scope::SUDO) && !user.is_admin {
        return Err(IssueTokenError::SudoForNonAdmin);
    }
    let token = NewToken {
        user_id: user.id,
        name: request.name,
        kind: request.kind,
        family_id: None,
        scopes: request.scopes,
        digest: request.digest,
        expires_on,
        creator_id: request.author_id,
        created_at: request.now,
    };
    let id = repos.insert_token(&token)?;
    let token = repos.find_token(id)?.ok_or_else(|| {
        StoreError::inconsistent("access_tokens", id, "the new row does not exist")
    })?;
    let change = Change {
        author_id: request.author_id,
        now: request.now,
    };
    record(repos, AuditEventName::TokenCreated, &token, change)?;
    Ok(token)
}

/// Returns the requested day of expiry if it is allowed; without one, the last allowed day.
fn expiry(
    requested: Option<CalendarDate>,
    today: CalendarDate,
) -> Result<CalendarDate, IssueTokenError> {
    let latest = today.plus_one_year().ok_or(IssueTokenError::Expiry)?;
    let chosen = requested.unwrap_or(latest);
    if expiry_within_a_year(chosen, today) {
        Ok(chosen)
    } else {
        Err(IssueTokenError::Expiry)
    }
}

/// True if a token may expire on this day: after today and within a year.
pub(super) fn expiry_within_a_year(day: CalendarDate, today: CalendarDate) -> bool {
    today < day && today.plus_one_year().is_some_and(|latest| day <= latest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_a_year_at_most_and_by_default() {
        let day = |text| CalendarDate::parse(text).unwrap();
        let today = day("2024-02-29");
        assert_eq!(expiry(None, today).unwrap(), day("2025-02-28"));
        assert_eq!(
            expiry(Some(day("2024-03-01")), today).unwrap(),
            day("2024-03-01")
        );
        assert!(expiry(Some(today), today).is_err());
        assert!(expiry(Some(day("2025-03-01")), today).is_err());
    }
}
