//! Access tokens: what acts for a user without a password.

use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};

/// What an access token starts with, so that people and scanners know it when they see it.
pub const TOKEN_PREFIX: &str = "ghat_";

/// Whom a token belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Made by its user.
    Personal,
    /// Made by an administrator to act as the user.
    Impersonation,
}

/// Whether a token was ended by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenState {
    /// It was not.
    Active,
    /// It was, at this time.
    Revoked {
        /// When.
        at: Timestamp,
    },
}

/// A stored access token. The token itself is not here: only its digest is kept, and that only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// Its id.
    pub id: TokenId,
    /// The user it acts for.
    pub user_id: UserId,
    /// What its maker calls it.
    pub name: String,
    /// Whom it belongs to.
    pub kind: TokenKind,
    /// What it permits.
    pub scopes: ScopeSet,
    /// The first day on which it no longer works.
    pub expires_on: CalendarDate,
    /// Whether it was ended by hand.
    pub state: TokenState,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, within a minute or so.
    pub last_used_at: Option<Timestamp>,
}

impl AccessToken {
    /// Whether it works at `now`. It is dead from the first instant (UTC) of its day of expiry.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        matches!(self.state, TokenState::Active) && now < self.expires_on.start()
    }
}

/// An access token to be made.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// The user it acts for.
    pub user_id: UserId,
    /// What its maker calls it.
    pub name: String,
    /// Whom it belongs to.
    pub kind: TokenKind,
    /// What it permits.
    pub scopes: ScopeSet,
    /// The digest of the token.
    pub digest: SecretDigest,
    /// The first day on which it no longer works.
    pub expires_on: CalendarDate,
    /// Now.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(state: TokenState) -> AccessToken {
        AccessToken {
            id: TokenId::new(1),
            user_id: UserId::new(1),
            name: "ci".to_owned(),
            kind: TokenKind::Personal,
            scopes: ScopeSet::default(),
            expires_on: CalendarDate::parse("2024-05-01").unwrap(),
            state,
            created_at: Timestamp::MIN,
            last_used_at: None,
        }
    }

    #[test]
    fn a_token_dies_with_the_first_instant_of_its_last_day() {
        let midnight = Timestamp::parse_rfc3339("2024-05-01T00:00:00Z").unwrap();
        let before = Timestamp::from_micros(midnight.as_micros() - 1).unwrap();
        assert!(token(TokenState::Active).is_usable(before));
        assert!(!token(TokenState::Active).is_usable(midnight));
    }

    #[test]
    fn a_revoked_token_is_dead_at_once() {
        assert!(!token(TokenState::Revoked { at: Timestamp::MIN }).is_usable(Timestamp::MIN));
    }
}
