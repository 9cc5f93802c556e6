//! Rules for signing in.

use accounts::SessionLifetime;
use accounts::flow::check_password::PasswordPolicy;

/// Rules for signing in: the lifetime of sessions, and the limit on wrong passwords.
#[derive(Debug, Clone, Copy)]
pub struct SignInRules {
    /// Lifetime of sessions.
    pub lifetime: SessionLifetime,
    /// Limit on wrong passwords. The limit per login also applies to the second factor.
    pub policy: PasswordPolicy,
}
