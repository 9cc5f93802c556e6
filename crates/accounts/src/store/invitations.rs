//! Invitations to register.

use api_conventions::ids::InvitationId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Invitation, NewInvitation, TokenPlace};

/// Queries for invitations, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait InvitationQueries {
    /// Returns the invitation with this digest, even if it has expired.
    fn find_invitation_by_digest(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<Invitation>, StoreError>;

    /// Returns the invitation with this id, even if it has expired.
    fn find_invitation(&mut self, id: InvitationId) -> Result<Option<Invitation>, StoreError>;

    /// Lists one page of the invitations that were neither used nor revoked, newest first, including expired ones.
    fn list_invitations(&mut self, page: OffsetPage) -> Result<Page<Invitation>, StoreError>;
}

/// Writes to invitations.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// Methods with other errors document them.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    insert_invitation,
    take_invitation,
    delete_invitation,
    delete_invitations_to,
    delete_expired_invitations
))]
pub trait InvitationRepository: InvitationQueries {
    /// Inserts an invitation.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn insert_invitation(&mut self, invitation: &NewInvitation)
    -> Result<InvitationId, StoreError>;

    /// Uses up an invitation that has not expired at `now`, and returns it. Of concurrent uses, one gets the invitation.
    fn take_invitation(
        &mut self,
        digest: &SecretDigest,
        now: Timestamp,
    ) -> Result<Option<Invitation>, StoreError>;

    /// Deletes an invitation. Returns `false` if there is none with this id.
    fn delete_invitation(&mut self, id: InvitationId) -> Result<bool, StoreError>;

    /// Deletes the invitations to a project or group. Returns how many were deleted.
    fn delete_invitations_to(&mut self, place: TokenPlace) -> Result<usize, StoreError>;

    /// Deletes at most `limit` invitations that expired before `before`. Returns how many were deleted.
    fn delete_expired_invitations(
        &mut self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
