//! What people sign in with, and how often they failed to.

use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Credentials, Failures, UserState};
use crate::password::PasswordHash;

/// What a transaction of either kind can tell about credentials.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait CredentialQueries {
    /// The user who signs in with `login`, which is a username or an address for mail, in any case. A username wins
    /// over another user's address. Bots sign in with nothing, so they are never found.
    fn find_credentials(&mut self, login: &str) -> Result<Option<Credentials>, StoreError>;

    /// What this user signs in with; `None` for an unknown id and for a bot.
    fn find_credentials_of(&mut self, id: UserId) -> Result<Option<Credentials>, StoreError>;

    /// The failures under a key, whenever they happened; `None` when there are none.
    fn find_failures(&mut self, key: &SecretDigest) -> Result<Option<Failures>, StoreError>;
}

/// What a write transaction can change about credentials. An unknown user is `false`, and nothing is written then.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
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
    /// Locks a user until the transaction ends: anyone who changes its password, its state or its second factor meanwhile
    /// waits, and then sees what this transaction wrote. Ask before writing what such a change is to end. The lock
    /// is shared: any number of transactions may have it at the same time. A transaction that changes the user, too, does
    /// so first.
    fn lock_user(&mut self, id: UserId) -> Result<bool, StoreError>;

    /// Gives a user another password.
    fn set_password(&mut self, id: UserId, password: &PasswordHash) -> Result<bool, StoreError>;

    /// Blocks a user or lets it act again.
    fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError>;

    /// Switches the second factor on, or replaces it, with these recovery codes in place of any others. The password of
    /// `last_step` is spent: it was used to show that the secret arrived.
    fn put_second_factor(
        &mut self,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        recovery_codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Switches the second factor off and forgets its recovery codes. `false` when it was off.
    fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError>;

    /// Spends the one-time password of a time step: `true` once for each step, and never for one that is not after
    /// the last one spent.
    fn take_time_step(&mut self, id: UserId, step: i64) -> Result<bool, StoreError>;

    /// Spends a recovery code: `true` once for each.
    fn take_recovery_code(&mut self, id: UserId, code: &SecretDigest) -> Result<bool, StoreError>;

    /// Puts these recovery codes in place of all others. `false` when the second factor is off.
    fn replace_recovery_codes(
        &mut self,
        id: UserId,
        codes: &[SecretDigest],
    ) -> Result<bool, StoreError>;

    /// Counts a failure under a key, and gives the count with it. When the first one counted is `window_seconds` old or
    /// older, the count begins anew. Callers at the same time are all counted.
    fn count_failure(
        &mut self,
        key: &SecretDigest,
        window_seconds: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError>;

    /// Forgets the failures under a key.
    fn forget_failures(&mut self, key: &SecretDigest) -> Result<(), StoreError>;

    /// Forgets all failures whose count began before `before`. Gives how many keys were forgotten.
    fn delete_old_failures(&mut self, before: Timestamp) -> Result<usize, StoreError>;
}
