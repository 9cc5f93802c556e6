//! Updates of accounts: administrators update anyone, other users only personal fields of their own account.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::UserId;
use api_conventions::validation::check;
use storage::StoreError;

use super::find_user::find_present_user;
use crate::model::{User, UserChange, UserKind, UserState};
use crate::store::{AccountQueries, AccountRepository, UpdateUser};

/// Reasons to refuse an update of an account. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateUserError {
    /// The caller may not update this user, or not these fields; or the user is a bot of the server.
    #[error("the caller is not allowed to change these attributes of the user")]
    Forbidden,
    /// There is no such user.
    #[error("the user does not exist")]
    Unknown,
    /// Attributes are invalid; each one is listed with its failure.
    #[error("invalid user: {0}")]
    Invalid(ValidationFailures),
    /// Another user has this email address.
    #[error("the email has already been taken")]
    EmailTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<UpdateUserError> for ApiError {
    fn from(error: UpdateUserError) -> Self {
        match error {
            UpdateUserError::Forbidden => Self::forbidden(),
            UpdateUserError::Unknown => Self::not_found("User"),
            UpdateUserError::Invalid(failures) => Self::validation(&failures),
            UpdateUserError::EmailTaken => Self::already_taken("Email"),
            UpdateUserError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Updates an account on behalf of the user `by` and returns the updated account. Administrators update anyone. Other
/// users update only themselves, and only what [is personal](UserChange::is_personal). Bots cannot be updated.
///
/// # Errors
/// See [`UpdateUserError`]. A caller without the right to update a user does not learn whether that user exists.
pub fn update_user<R: AccountRepository + ?Sized>(
    repos: &mut R,
    id: UserId,
    change: UserChange,
    by: UserId,
) -> Result<User, UpdateUserError> {
    check_permission(repos, id, &change, by)?;
    let user = find_present_user(repos, id)?.ok_or(UpdateUserError::Unknown)?;
    if user.kind != UserKind::Human {
        return Err(UpdateUserError::Forbidden);
    }
    let failures = check(&change);
    if !failures.is_empty() {
        return Err(UpdateUserError::Invalid(failures));
    }
    if change.is_empty() {
        return Ok(user);
    }
    match repos.update_user(id, &change.trimmed())? {
        UpdateUser::Updated(user) => Ok(*user),
        UpdateUser::Unknown => Err(UpdateUserError::Unknown),
        UpdateUser::EmailTaken => Err(UpdateUserError::EmailTaken),
    }
}

/// Rereads the caller, who may have been blocked or lost the administrator role since.
fn check_permission<R: AccountQueries + ?Sized>(
    repos: &mut R,
    id: UserId,
    change: &UserChange,
    by: UserId,
) -> Result<(), UpdateUserError> {
    let caller = repos.find_user(by)?;
    let caller = caller.filter(|caller| caller.state == UserState::Active);
    let may =
        caller.is_some_and(|caller| caller.is_admin || caller.id == id && change.is_personal());
    may.then_some(()).ok_or(UpdateUserError::Forbidden)
}
