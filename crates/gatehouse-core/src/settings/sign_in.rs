//! The rules of signing in.

use accounts::SessionLifetime;
use accounts::flow::check_password::PasswordPolicy;

/// How long sessions live, and how many wrong passwords are listened to.
#[derive(Debug, Clone, Copy)]
pub struct SignInRules {
    /// How long sessions live.
    pub lifetime: SessionLifetime,
    /// How many wrong passwords are listened to. A second factor may be wrong as often as one login.
    pub policy: PasswordPolicy,
}
