//! Statuses that users show to others.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::UserStatus;

/// Queries for statuses, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait StatusQueries {
    /// Returns the status of a user, even if it is no longer shown; `None` if they have none.
    fn find_user_status(&mut self, user: UserId) -> Result<Option<UserStatus>, StoreError>;
}

/// Writes to statuses.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(put_user_status, delete_user_status, delete_cleared_statuses))]
pub trait StatusRepository: StatusQueries {
    /// Sets or replaces the status of a user.
    fn put_user_status(&mut self, user: UserId, status: &UserStatus) -> Result<(), StoreError>;

    /// Deletes the status of a user. Returns `false` if they have none.
    fn delete_user_status(&mut self, user: UserId) -> Result<bool, StoreError>;

    /// Deletes at most `limit` statuses that were to be cleared before `before`. Returns how many were deleted.
    fn delete_cleared_statuses(
        &mut self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
