//! Sessions of signed-in browsers.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

/// Prefix of a session cookie's value.
pub const SESSION_PREFIX: &str = "ghse_";

/// Progress of a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStage {
    /// The password was right and the second factor is missing; the session can only be used to provide it.
    SecondFactorMissing,
    /// The user is signed in.
    SignedIn,
}

/// A session. The cookie's value is not part of it: only its digest is kept, and only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Id.
    pub id: SessionId,
    /// User who signed in.
    pub user_id: UserId,
    /// Progress of the sign-in.
    pub stage: SessionStage,
    /// `User-Agent` header, truncated to [`MAX_AGENT_CHARACTERS`].
    pub user_agent: String,
    /// Client address at sign-in.
    pub address: String,
    /// Time of the user's last authentication.
    pub authenticated_at: Timestamp,
    /// Time of the last use, to within about a minute.
    pub last_seen_at: Timestamp,
    /// End of the session, regardless of use.
    pub expires_at: Timestamp,
}

/// Number of characters kept of a `User-Agent` header.
pub const MAX_AGENT_CHARACTERS: usize = 256;

/// Limits on the lifetime of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLifetime {
    /// Seconds without use after which a session ends.
    pub idle_seconds: i64,
    /// Seconds after which a session ends, regardless of use.
    pub absolute_seconds: i64,
    /// Seconds within which the second factor must follow the password.
    pub second_factor_seconds: i64,
}

impl SessionLifetime {
    /// Creates limits from the idle, the absolute and the second-factor seconds.
    pub const fn new(idle_seconds: i64, absolute_seconds: i64, second_factor_seconds: i64) -> Self {
        Self {
            idle_seconds,
            absolute_seconds,
            second_factor_seconds,
        }
    }
}

impl Session {
    /// True if the session is alive at `now`.
    pub fn is_alive(&self, now: Timestamp, lifetime: SessionLifetime) -> bool {
        now < self.expires_at && now < self.last_seen_at.plus_seconds(lifetime.idle_seconds)
    }
}

/// Session to insert.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Digest of the cookie's value, unique.
    pub digest: SecretDigest,
    /// User who signs in.
    pub user_id: UserId,
    /// Progress of the sign-in.
    pub stage: SessionStage,
    /// `User-Agent` header.
    pub user_agent: String,
    /// Client address.
    pub address: String,
    /// Time of authentication: now.
    pub authenticated_at: Timestamp,
    /// End of the session.
    pub expires_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_by_idleness_and_by_age() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000).unwrap();
        let lifetime = SessionLifetime {
            idle_seconds: 10,
            absolute_seconds: 100,
            second_factor_seconds: 5,
        };
        let session = Session {
            id: SessionId::new(1),
            user_id: UserId::new(1),
            stage: SessionStage::SignedIn,
            user_agent: String::new(),
            address: String::new(),
            authenticated_at: at(0),
            last_seen_at: at(95),
            expires_at: at(100),
        };
        assert!(session.is_alive(at(99), lifetime));
        assert!(!session.is_alive(at(100), lifetime));
        let idle = Session {
            last_seen_at: at(80),
            ..session
        };
        assert!(idle.is_alive(at(89), lifetime));
        assert!(!idle.is_alive(at(90), lifetime));
    }
}
