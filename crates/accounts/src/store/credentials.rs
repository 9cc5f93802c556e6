//! What people sign in with, and how often they failed to.

use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Credentials, Failures, UserState};
use crate::password::PasswordHash;

/// What a transaction of either kind can tell about credentials.
pub trait CredentialQueries {
    /// The user who signs in with `login`, which is a username or an address for mail, in any case. A username wins
    /// over another user's address. Bots sign in with nothing, so they are never found.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_credentials(&mut self, login: &str) -> Result<Option<Credentials>, StoreError>;

    /// What this user signs in with; `None` for an unknown id and for a bot.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_credentials_of(&mut self, id: UserId) -> Result<Option<Credentials>, StoreError>;

    /// The failures under a key, whenever they happened; `None` when there are none.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_failures(&mut self, key: &SecretDigest) -> Result<Option<Failures>, StoreError>;
}

/// What a write transaction can change about credentials. An unknown user is `false`, and nothing is written then.
pub trait CredentialRepository: CredentialQueries {
    /// Holds a user until the transaction ends: whoever changes its password, its state or its second factor meanwhile
    /// waits, and then sees what this transaction wrote. Ask before writing what such a change is to end. Any number of
    /// transactions hold one at the same time. A transaction that changes the user, too, does so first.
    ///
    /// # Errors
    /// Failures of the store.
    fn hold_user(&mut self, id: UserId) -> Result<bool, StoreError>;

    /// Gives a user another password.
    ///
    /// # Errors
    /// Failures of the store.
    fn set_password(&mut self, id: UserId, password: &PasswordHash) -> Result<bool, StoreError>;

    /// Blocks a user or lets it act again.
    ///
    /// # Errors
    /// Failures of the store.
    fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError>;

    /// Switches the second factor on, or replaces it, with these recovery codes in place of any others. The password of
    /// `last_step` is spent: it was used to show that the secret arrived.
    ///
    /// # Errors
    /// Failures of the store.
    fn put_second_factor(
        &mut self,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        recovery_codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Switches the second factor off and forgets its recovery codes. `false` when it was off.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError>;

    /// Spends the one-time password of a time step: `true` once for each step, and never for one that is not after
    /// the last one spent.
    ///
    /// # Errors
    /// Failures of the store.
    fn take_time_step(&mut self, id: UserId, step: i64) -> Result<bool, StoreError>;

    /// Spends a recovery code: `true` once for each.
    ///
    /// # Errors
    /// Failures of the store.
    fn take_recovery_code(&mut self, id: UserId, code: &SecretDigest) -> Result<bool, StoreError>;

    /// Puts these recovery codes in place of all others. `false` when the second factor is off.
    ///
    /// # Errors
    /// Failures of the store.
    fn replace_recovery_codes(
        &mut self,
        id: UserId,
        codes: &[SecretDigest],
    ) -> Result<bool, StoreError>;

    /// Counts a failure under a key, and gives the count with it. When the first one counted is `window_seconds` old or
    /// older, the count begins anew. Callers at the same time are all counted.
    ///
    /// # Errors
    /// Failures of the store.
    fn count_failure(
        &mut self,
        key: &SecretDigest,
        window_seconds: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError>;

    /// Forgets the failures under a key.
    ///
    /// # Errors
    /// Failures of the store.
    fn forget_failures(&mut self, key: &SecretDigest) -> Result<(), StoreError>;

    /// Forgets all failures whose count began before `before`. Gives how many keys were forgotten.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_old_failures(&mut self, before: Timestamp) -> Result<usize, StoreError>;
}
