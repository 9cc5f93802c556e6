//! What a person proves who they are with.

use std::fmt;

use api_conventions::time::Timestamp;

use crate::model::User;
use crate::password::PasswordHash;

/// A user together with what signing in needs.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The user.
    pub user: User,
    /// The hash of the password; `None` for an account that cannot sign in with one.
    pub password: Option<PasswordHash>,
    /// The second factor, when it is on.
    pub second_factor: Option<SecondFactor>,
}

/// A second factor: one-time passwords by time (RFC 6238). Its secret is sealed: the store never sees it in the clear.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The shared secret, sealed.
    pub sealed: Vec<u8>,
    /// The last time step whose password was used; it and all before it are spent.
    pub last_step: i64,
    /// When it was switched on.
    pub enabled_at: Timestamp,
    /// How many recovery codes are left.
    pub recovery_codes_left: usize,
}

impl fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecondFactor")
            .field("enabled_at", &self.enabled_at)
            .field("recovery_codes_left", &self.recovery_codes_left)
            .finish_non_exhaustive()
    }
}

/// Failures that were counted under a key since a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failures {
    /// How many.
    pub count: i64,
    /// When the first of them happened.
    pub since: Timestamp,
}
