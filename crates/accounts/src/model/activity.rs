//! When a user signed in and was last there.

use api_conventions::time::Timestamp;

/// When a user signed in, and when it was last there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserActivity {
    /// Number of sign-ins.
    pub sign_in_count: i64,
    /// Time of the latest sign-in.
    pub current_sign_in_at: Option<Timestamp>,
    /// Time of the sign-in before that one; of the first sign-in, its own time.
    pub last_sign_in_at: Option<Timestamp>,
    /// Latest use of a session or an access token that is known, or the latest sign-in.
    pub last_seen_at: Option<Timestamp>,
}

impl UserActivity {
    /// Counts a sign-in at `at`.
    pub fn sign_in(&mut self, at: Timestamp) {
        self.sign_in_count += 1;
        self.last_sign_in_at = self.current_sign_in_at.or(Some(at));
        self.current_sign_in_at = Some(at);
        self.last_seen_at = self.last_seen_at.max(Some(at));
    }
}
