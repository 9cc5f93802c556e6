//! Creation, deletion and verification of deploy tokens.

use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::issue_token::MAX_NAME;
use crate::model::{
    AuditDetails, AuditEntity, AuditEventName, DEPLOY_SCOPES, DeployToken, NewAuditEntry,
    NewDeployToken, TokenPlace, UserKind,
};
use crate::store::{AccountQueries, AccountRepository, AuditRepository};

/// Request to create a deploy token.
#[derive(Debug, Clone)]
pub struct CreateDeployToken {
    /// Name of the token, of at most [`MAX_NAME`] characters.
    pub name: String,
    /// Username to send with the token; `None` for one that is derived from its id.
    pub username: Option<String>,
    /// Scopes, which must be among [`DEPLOY_SCOPES`].
    pub scopes: ScopeSet,
    /// First instant at which the token is no longer valid; `None` if it never expires.
    pub expires_at: Option<Timestamp>,
    /// Digest of the token. The caller generates the token and shows it once.
    pub digest: SecretDigest,
    /// User who creates the token.
    pub creator_id: UserId,
    /// Current time.
    pub now: Timestamp,
}

/// Reasons to refuse a deploy token. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeployTokenError {
    /// The name is blank or longer than [`MAX_NAME`].
    #[error("name must have 1 to {MAX_NAME} characters")]
    Name,
    /// The username is too long, or has other characters.
    #[error("username can have only letters, digits, '_', '-', '+' and '.', at most {MAX_NAME}")]
    Username,
    /// A scope is missing, or not one of [`DEPLOY_SCOPES`].
    #[error("scopes must be one or more of: {}", DEPLOY_SCOPES.join(", "))]
    Scopes,
    /// The token would have expired already.
    #[error("expires_at must be in the future")]
    Expiry,
    /// The creator is a bot: an access token of a project or group creates no other tokens.
    #[error("only people can create deploy tokens")]
    Bot,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<DeployTokenError> for ApiError {
    fn from(error: DeployTokenError) -> Self {
        match error {
            DeployTokenError::Store(store) => Self::storage_failure(store.is_retryable()),
            DeployTokenError::Bot => Self::forbidden_because(&error.to_string()),
            refused => Self::bad_request(&refused.to_string()),
        }
    }
}

/// Creates a deploy token of a project or group, and records it in its audit log.
///
/// # Errors
/// See [`DeployTokenError`].
pub fn create_deploy_token<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    place: TokenPlace,
    request: &CreateDeployToken,
) -> Result<DeployToken, DeployTokenError> {
    check(request)?;
    let creator = repos.find_user(request.creator_id)?;
    if creator.is_none_or(|user| user.kind != UserKind::Human) {
        return Err(DeployTokenError::Bot);
    }
    let new = NewDeployToken {
        place,
        name: request.name.clone(),
        chosen_username: request.username.clone(),
        scopes: request.scopes.clone(),
        digest: request.digest,
        expires_at: request.expires_at,
        creator_id: request.creator_id,
        created_at: request.now,
    };
    let id = repos.insert_deploy_token(&new)?;
    let token = DeployToken {
        id,
        place,
        name: new.name,
        chosen_username: new.chosen_username,
        scopes: new.scopes,
        expires_at: new.expires_at,
        creator_id: new.creator_id,
        created_at: new.created_at,
    };
    let name = AuditEventName::DeployTokenCreated;
    record(repos, name, &token, token.creator_id, token.created_at)?;
    Ok(token)
}

fn check(request: &CreateDeployToken) -> Result<(), DeployTokenError> {
    if request.name.trim().is_empty() || request.name.chars().count() > MAX_NAME {
        return Err(DeployTokenError::Name);
    }
    let is_username = |name: &str| {
        let mut characters = name.chars();
        let is_known = |c: char| c.is_ascii_alphanumeric() || "_-+.".contains(c);
        (1..=MAX_NAME).contains(&name.len()) && characters.all(is_known)
    };
    if !request.username.as_deref().is_none_or(is_username) {
        return Err(DeployTokenError::Username);
    }
    let mut scopes = request.scopes.iter();
    if request.scopes.is_empty() || !scopes.all(|scope| DEPLOY_SCOPES.contains(&scope.as_str())) {
        return Err(DeployTokenError::Scopes);
    }
    if request.expires_at.is_some_and(|at| at <= request.now) {
        return Err(DeployTokenError::Expiry);
    }
    Ok(())
}

/// Deletes a deploy token, which is invalid from the commit on, and records the deletion in the audit log.
/// Returns `false` if the token was deleted before.
///
/// # Errors
/// Failures of the store.
pub fn delete_deploy_token<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    token: &DeployToken,
    author_id: UserId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if !repos.delete_deploy_token(token.id)? {
        return Ok(false);
    }
    let name = AuditEventName::DeployTokenDeleted;
    record(repos, name, token, author_id, now)?;
    Ok(true)
}

fn record<R: AuditRepository + ?Sized>(
    repos: &mut R,
    event_name: AuditEventName,
    token: &DeployToken,
    author_id: UserId,
    created_at: Timestamp,
) -> Result<(), StoreError> {
    let expiry = token
        .expires_at
        .map_or_else(String::new, |at| at.to_string());
    repos.insert_audit_entries(&[NewAuditEntry {
        author_id: Some(author_id),
        entity: match token.place {
            TokenPlace::Project(id) => AuditEntity::Project(id),
            TokenPlace::Group(id) => AuditEntity::Group(id),
        },
        event_name,
        target: None,
        details: AuditDetails::new(&[
            ("token_id", &token.id.to_string()),
            ("name", &token.name),
            ("username", &token.username()),
            ("scopes", &token.scopes.to_string()),
            ("expires_at", &expiry),
        ]),
        created_at,
        impersonator_id: None,
    }])
}

/// Finds the deploy token with this username and digest, unless it has expired. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn verify_deploy_token<R: AccountQueries + ?Sized>(
    repos: &mut R,
    username: &str,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<Option<DeployToken>, StoreError> {
    let found = repos.find_deploy_token_by_digest(digest)?;
    Ok(found.filter(|token| token.username() == username && !token.is_expired(now)))
}
