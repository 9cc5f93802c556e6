//! Sign-ins and last activity of a user.

use api_conventions::time::Timestamp;

/// Sign-ins and last activity of a user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserActivity {
    /// Number of sign-ins.
    pub sign_in_count: i64,
    /// Time of the latest sign-in.
    pub current_sign_in_at: Option<Timestamp>,
    /// Time of the sign-in before that one; for the first sign-in, its own time.
    pub last_sign_in_at: Option<Timestamp>,
    /// Time of the latest known use of a session or an access token, or of the latest sign-in.
    pub last_seen_at: Option<Timestamp>,
}

impl UserActivity {
    /// Records a sign-in at `at`.
    pub fn sign_in(&mut self, at: Timestamp) {
        self.sign_in_count += 1;
        self.last_sign_in_at = self.current_sign_in_at.or(Some(at));
        self.current_sign_in_at = Some(at);
        self.last_seen_at = self.last_seen_at.max(Some(at));
    }
}
