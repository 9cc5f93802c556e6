//! A browser that somebody signed in with.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

/// What the value of a session's cookie starts with.
pub const SESSION_PREFIX: &str = "ghse_";

/// How far signing in has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStage {
    /// The password was right and the second factor is missing: the session is good for nothing but giving it.
    SecondFactorMissing,
    /// The user is signed in.
    SignedIn,
}

/// A session. The value of its cookie is not here: only its digest is kept, and that only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Who signed in.
    pub user_id: UserId,
    /// How far signing in has come.
    pub stage: SessionStage,
    /// What the browser calls itself, cut to [`MAX_AGENT_CHARACTERS`].
    pub user_agent: String,
    /// Where the browser was when it signed in.
    pub address: String,
    /// When the user proved who they are.
    pub authenticated_at: Timestamp,
    /// When it was last used, within a minute or so.
    pub last_seen_at: Timestamp,
    /// Its end, however much it is used.
    pub expires_at: Timestamp,
}

/// How much of a browser's name is kept, in characters.
pub const MAX_AGENT_CHARACTERS: usize = 256;

/// How long sessions live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLifetime {
    /// Seconds without use after which a session ends.
    pub idle_seconds: i64,
    /// Seconds after which it ends, however much it is used.
    pub absolute_seconds: i64,
    /// Seconds in which the second factor must follow the password.
    pub second_factor_seconds: i64,
}

impl SessionLifetime {
    /// So many seconds without use, so many at all, and so many for the second factor.
    pub const fn new(idle_seconds: i64, absolute_seconds: i64, second_factor_seconds: i64) -> Self {
        Self {
            idle_seconds,
            absolute_seconds,
            second_factor_seconds,
        }
    }
}

impl Session {
    /// Whether it is alive at `now`.
    pub fn is_alive(&self, now: Timestamp, lifetime: SessionLifetime) -> bool {
        now < self.expires_at && now < self.last_seen_at.plus_seconds(lifetime.idle_seconds)
    }
}

/// A session to be kept.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// The digest of the value of its cookie, unique.
    pub digest: SecretDigest,
    /// Who signs in.
    pub user_id: UserId,
    /// How far signing in has come.
    pub stage: SessionStage,
    /// What the browser calls itself.
    pub user_agent: String,
    /// Where the browser is.
    pub address: String,
    /// Now.
    pub authenticated_at: Timestamp,
    /// Its end.
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
