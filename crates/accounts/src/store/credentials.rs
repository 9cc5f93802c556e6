//! Credentials of users, and failed attempts to use them.

use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Credentials, Failures, UserState};
use crate::password::PasswordHash;

/// Queries for credentials, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait CredentialQueries {
    /// Returns the user who signs in with `login`, a username or an email address, ignoring case. A username takes
    /// precedence over another user's email address. Bots cannot sign in, so they are never found.
    fn find_credentials(&mut self, login: &str) -> Result<Option<Credentials>, StoreError>;

    /// Returns the credentials of this user; `None` for an unknown id or a bot.
    fn find_credentials_of(&mut self, id: UserId) -> Result<Option<Credentials>, StoreError>;

    /// Returns the failures under a key, regardless of their age; `None` if there are none.
    fn find_failures(&mut self, key: &SecretDigest) -> Result<Option<Failures>, StoreError>;
}

/// Writes to credentials. Methods return `false` and write nothing if the user is unknown.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(
    revokes(set_password, set_user_state, put_second_factor, delete_second_factor),
    keeps(
        lock_user,
        take_time_step,
        take_recovery_code,
        replace_recovery_codes,
        count_failure,
        forget_failures,
        delete_old_failures
    )
)]
pub trait CredentialRepository: CredentialQueries {
    /// Locks a user until the transaction ends. Transactions that change the user's password, state or second factor
    /// wait meanwhile, and then see what this transaction wrote. Take the lock before writing anything that such a
    /// change must revoke. The lock is shared: any number of transactions may hold it at the same time. A transaction
    /// that also updates the user must do so first.
    fn lock_user(&mut self, id: UserId) -> Result<bool, StoreError>;

    /// Sets the password of a user. If `replaced` is given, only while it is the current one, also if another transaction
    /// changes the password at the same time.
    fn set_password(
        &mut self,
        id: UserId,
        password: &PasswordHash,
        replaced: Option<&PasswordHash>,
    ) -> Result<bool, StoreError>;

    /// Blocks or unblocks a user.
    fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError>;

    /// Enables or replaces the second factor and replaces all recovery codes. The password of `last_step` is used up:
    /// it confirmed the setup.
    fn put_second_factor(
        &mut self,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        recovery_codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Disables the second factor and deletes its recovery codes. Returns `false` if it was off.
    fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError>;

    /// Uses up the one-time password of a time step. Returns `true` once per step, and only for steps after the last
    /// one used.
    fn take_time_step(&mut self, id: UserId, step: i64) -> Result<bool, StoreError>;

    /// Uses up a recovery code. Returns `true` once per code.
    fn take_recovery_code(&mut self, id: UserId, code: &SecretDigest) -> Result<bool, StoreError>;

    /// Replaces all recovery codes. Returns `false` if the second factor is off.
    fn replace_recovery_codes(
        &mut self,
        id: UserId,
        codes: &[SecretDigest],
    ) -> Result<bool, StoreError>;

    /// Counts a failure under a key and returns the new count. If the first counted failure is at least
    /// `window_seconds` old, counting restarts. Concurrent failures are all counted.
    fn count_failure(
        &mut self,
        key: &SecretDigest,
        window_seconds: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError>;

    /// Deletes the failures under a key.
    fn forget_failures(&mut self, key: &SecretDigest) -> Result<(), StoreError>;

    /// Deletes all failures whose count began before `before`. Returns how many keys were deleted.
    fn delete_old_failures(&mut self, before: Timestamp) -> Result<usize, StoreError>;
}
