//! Invitations, each of which lets one person register.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{InvitationId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::TokenPlace;

/// Prefix of the secrets of invitations, by which people and secret scanners recognize them.
pub const INVITATION_PREFIX: &str = "ghin_";

/// Role that the person who uses an invitation gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvitedRole {
    /// Project or group.
    pub place: TokenPlace,
    /// Role in it.
    pub level: AccessLevel,
}

/// A stored invitation. Only the digest of its secret is kept, and only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Id.
    pub id: InvitationId,
    /// Administrator who created it; `None` for the command line.
    pub creator_id: Option<UserId>,
    /// Email address that the form suggests.
    pub email: Option<String>,
    /// Username that the form suggests.
    pub username: Option<String>,
    /// Role that the person gets.
    pub role: Option<InvitedRole>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// First instant at which the invitation is no longer valid.
    pub expires_at: Timestamp,
}

impl Invitation {
    /// True if the invitation has expired at `now`.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }
}

/// Invitation to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvitation {
    /// Administrator who creates it; `None` for the command line.
    pub creator_id: Option<UserId>,
    /// Email address that the form suggests.
    pub email: Option<String>,
    /// Username that the form suggests.
    pub username: Option<String>,
    /// Role that the person gets.
    pub role: Option<InvitedRole>,
    /// Digest of the secret.
    pub digest: SecretDigest,
    /// Time of creation: now.
    pub created_at: Timestamp,
    /// First instant at which the invitation is no longer valid.
    pub expires_at: Timestamp,
}
