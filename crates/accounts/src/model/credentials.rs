//! Credentials of a user.

use std::fmt;

use api_conventions::time::Timestamp;

use crate::model::User;
use crate::password::PasswordHash;

/// A user with the credentials to sign in.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The user.
    pub user: User,
    /// The hash of the password; `None` for an account that cannot sign in with one.
    pub password: Option<PasswordHash>,
    /// The second factor, if enabled.
    pub second_factor: Option<SecondFactor>,
}

/// Second factor: time-based one-time passwords (RFC 6238). Its secret is sealed: the store never sees it in plain
/// text.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The shared secret, sealed.
    pub sealed: Vec<u8>,
    /// Last time step whose password was used. Passwords of this step and of all earlier ones are no longer accepted.
    pub last_step: i64,
    /// Time at which it was enabled.
    pub enabled_at: Timestamp,
    /// Number of unused recovery codes.
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

/// Failures counted under one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failures {
    /// Number of failures.
    pub count: i64,
    /// Time of the first failure.
    pub since: Timestamp,
}
