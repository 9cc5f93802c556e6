//! Changing an account: administrators change anybody, and other users what is personal about themselves.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::UserId;
use api_conventions::validation::check;
use storage::StoreError;

use crate::model::{User, UserChange, UserKind, UserState};
use crate::store::{AccountQueries, AccountRepository, UpdateUser};

/// Why an account is not changed. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateUserError {
    /// The caller may not change this user, or not in this way; or the user is a bot of the server.
    #[error("the caller may not change this about this user")]
    Forbidden,
    /// There is no such user.
    #[error("there is no such user")]
    Unknown,
    /// Attributes are wrong; each is named with what is wrong.
    #[error("the user is not valid: {0}")]
    Invalid(ValidationFailures),
    /// Another user has this address.
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
            UpdateUserError::EmailTaken => Self::conflict("Email has already been taken"),
            UpdateUserError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Changes an account on behalf of the user `by`, and gives it as it is then. Administrators change anybody. Other users change
/// themselves, and of that only what [is personal](UserChange::is_personal). Nobody changes a bot.
///
/// # Errors
/// See [`UpdateUserError`]. Who may not change a user does not learn whether there is one.
pub fn update_user<R: AccountRepository + ?Sized>(
    repos: &mut R,
    id: UserId,
    change: UserChange,
    by: UserId,
) -> Result<User, UpdateUserError> {
    demand_right(repos, id, &change, by)?;
    let user = repos.find_user(id)?.ok_or(UpdateUserError::Unknown)?;
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

/// The caller is read anew: it may have been blocked, or be no administrator any longer.
fn demand_right<R: AccountQueries + ?Sized>(
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
