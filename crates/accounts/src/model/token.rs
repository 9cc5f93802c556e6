//! Access tokens, which act for a user without a password.

use api_conventions::ids::{NamespaceId, ProjectId, TokenId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};

use super::UserKind;

/// Default prefix of access tokens, by which people and secret scanners recognize them. A host may choose another one:
/// tokens are found by their digests.
pub const TOKEN_PREFIX: &str = "ghat_";

/// Kind of access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Created by its user.
    Personal,
    /// Created by an administrator to act as the user.
    Impersonation,
    /// Token of a project, which acts as a bot with a role in it.
    Project(ProjectId),
    /// Token of a group, which acts as a bot with a role in it.
    Group(NamespaceId),
}

impl TokenKind {
    /// Name of the kind in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Impersonation => "impersonation",
            Self::Project(_) => "project",
            Self::Group(_) => "group",
        }
    }

    /// Kind of the bot that the token acts as; `None` if it acts as an existing user.
    pub const fn bot(self) -> Option<UserKind> {
        match self {
            Self::Personal | Self::Impersonation => None,
            Self::Project(_) => Some(UserKind::ProjectBot),
            Self::Group(_) => Some(UserKind::GroupBot),
        }
    }
}

/// State of a token, apart from its expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenState {
    /// The token was not revoked.
    Active,
    /// The token was revoked.
    Revoked {
        /// Time of revocation.
        at: Timestamp,
    },
}

/// A stored access token. The token itself is not part of it: only its digest is kept, and only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// Id.
    pub id: TokenId,
    /// The user it acts for.
    pub user_id: UserId,
    /// Name that its creator gave it.
    pub name: String,
    /// Kind, with the project or group of the token.
    pub kind: TokenKind,
    /// First token of the chain of rotations that led to this one; `None` if this token is the first.
    pub family_id: Option<TokenId>,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// First day on which the token is no longer valid.
    pub expires_on: CalendarDate,
    /// Active or revoked.
    pub state: TokenState,
    /// User who created the token, or the first of its family; `None` for the command line, for a user who was deleted, and
    /// for tokens from before creators were recorded.
    pub creator_id: Option<UserId>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last use, to within about a minute.
    pub last_used_at: Option<Timestamp>,
}

impl AccessToken {
    /// Returns the first token of this token's chain of rotations: the name of the family.
    pub fn family(&self) -> TokenId {
        self.family_id.unwrap_or(self.id)
    }

    /// Returns the first day on which the token is no longer valid; `None` if it never expires.
    pub fn expiry(&self) -> Option<CalendarDate> {
        (self.expires_on != CalendarDate::LAST).then_some(self.expires_on)
    }

    /// True if the token is valid at `now`. It expires at the first instant (UTC) of its day of expiry.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        matches!(self.state, TokenState::Active) && now < self.expires_on.start()
    }
}

/// Access token to insert.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// The user it acts for.
    pub user_id: UserId,
    /// Name that its creator gave it.
    pub name: String,
    /// Kind, with the project or group of the token.
    pub kind: TokenKind,
    /// First token of the chain of rotations that this token continues; `None` for a token of its own.
    pub family_id: Option<TokenId>,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// The digest of the token.
    pub digest: SecretDigest,
    /// First day on which the token is no longer valid.
    pub expires_on: CalendarDate,
    /// User who creates the token; `None` for the command line.
    pub creator_id: Option<UserId>,
    /// Time of creation: now.
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
            family_id: None,
            scopes: ScopeSet::default(),
            expires_on: CalendarDate::parse("2024-05-01").unwrap(),
            state,
            creator_id: None,
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
