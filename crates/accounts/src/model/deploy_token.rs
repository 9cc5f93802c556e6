//! Deploy tokens, which belong to a project or group and act for no user.

use api_conventions::ids::{DeployTokenId, NamespaceId, ProjectId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

/// Names of the scopes that a deploy token can have.
pub const DEPLOY_SCOPES: [&str; 3] = ["read_repository", "read_registry", "write_registry"];

/// Prefix of deploy tokens, by which people and secret scanners recognize them.
pub const DEPLOY_PREFIX: &str = "ghdt_";

/// Project or group that a token belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPlace {
    /// A project.
    Project(ProjectId),
    /// A group. The token is valid for all projects in it and in its subgroups.
    Group(NamespaceId),
}

impl TokenPlace {
    /// Returns the number of the kind and the id, as stored in rows.
    pub const fn numbers(self) -> (i16, i64) {
        match self {
            Self::Project(id) => (1, id.get()),
            Self::Group(id) => (2, id.get()),
        }
    }

    /// Returns the place of the kind with this number; `None` for an unknown kind.
    pub const fn from_numbers(kind: i16, id: i64) -> Option<Self> {
        match kind {
            1 => Some(Self::Project(ProjectId::new(id))),
            2 => Some(Self::Group(NamespaceId::new(id))),
            _ => None,
        }
    }
}

/// A stored deploy token. Only the digest of the token itself is kept, and only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployToken {
    /// Id.
    pub id: DeployTokenId,
    /// Project or group of the token.
    pub place: TokenPlace,
    /// Name that its creator gave it.
    pub name: String,
    /// Username that its creator chose; `None` for the one that [`Self::username`] derives from the id.
    pub chosen_username: Option<String>,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// First instant at which the token is no longer valid; `None` if it never expires.
    pub expires_at: Option<Timestamp>,
    /// User who created the token.
    pub creator_id: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl DeployToken {
    /// Returns the username that must be sent with the token. Several tokens may have the same.
    pub fn username(&self) -> String {
        let chosen = self.chosen_username.clone();
        chosen.unwrap_or_else(|| format!("deploy-token-{}", self.id))
    }

    /// True if the token has expired at `now`.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// Deploy token to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeployToken {
    /// Project or group of the token.
    pub place: TokenPlace,
    /// Name of the token.
    pub name: String,
    /// Username; `None` for one that is derived from the id.
    pub chosen_username: Option<String>,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// The digest of the token.
    pub digest: SecretDigest,
    /// First instant at which the token is no longer valid; `None` if it never expires.
    pub expires_at: Option<Timestamp>,
    /// User who creates the token.
    pub creator_id: UserId,
    /// Time of creation: now.
    pub created_at: Timestamp,
}

/// Filter of a list of deploy tokens. All conditions must hold; the default is every token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeployTokenFilter {
    /// Only tokens of this project or group itself.
    pub place: Option<TokenPlace>,
    /// Only tokens that have not expired at this time.
    pub unexpired_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_expires_at_its_instant_or_never() {
        let at = |seconds: i64| Timestamp::MIN.plus_seconds(seconds);
        let token = |expires_at| DeployToken {
            id: DeployTokenId::new(7),
            place: TokenPlace::Project(ProjectId::new(1)),
            name: "ci".to_owned(),
            chosen_username: None,
            scopes: ScopeSet::default(),
            expires_at,
            creator_id: UserId::new(1),
            created_at: at(0),
        };
        assert!(!token(Some(at(2))).is_expired(at(1)));
        assert!(token(Some(at(2))).is_expired(at(2)));
        assert!(!token(None).is_expired(at(9)));
        assert_eq!(token(None).username(), "deploy-token-7");
    }

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for place in [
            TokenPlace::Project(ProjectId::new(3)),
            TokenPlace::Group(NamespaceId::new(3)),
        ] {
            let (kind, id) = place.numbers();
            assert_eq!(TokenPlace::from_numbers(kind, id), Some(place));
        }
        assert_eq!(TokenPlace::from_numbers(0, 3), None);
    }
}
