//! Where grants, their tokens, and the requests before them are kept.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, TokenPairId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::conditional::{CodeRedemption, Family, PairRotation, Redemption, Rotation};
use crate::model::{AuthorizationRequest, Grant, NewGrant, NewTokenPair, RotationSeed, TokenPair};

/// What a transaction of either kind can tell about grants and tokens.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait GrantQueries {
    /// The grant with this id, whatever its state.
    fn find_grant(&mut self, id: GrantId) -> Result<Option<Grant>, StoreError>;

    /// The grant whose code has this digest, whatever its state.
    fn find_grant_by_code(&mut self, code: &SecretDigest) -> Result<Option<Grant>, StoreError>;

    /// Whether the user has given the application a live grant (redeemed, not revoked, not past its end at `now`) of
    /// exactly these scopes.
    fn has_consented(
        &mut self,
        user_id: UserId,
        application_id: ApplicationId,
        scopes: &ScopeSet,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// The pair whose access token has this digest, whatever its state.
    fn find_pair_by_access(
        &mut self,
        access: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError>;

    /// The pair whose refresh token has this digest, whatever its state.
    fn find_pair_by_refresh(
        &mut self,
        refresh: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError>;

    /// The waiting request with this handle, whether or not it is too late to answer.
    fn find_authorization_request(
        &mut self,
        handle: &SecretDigest,
    ) -> Result<Option<AuthorizationRequest>, StoreError>;
}

/// What a write transaction can change about grants and tokens.
///
/// Four methods do for many at once what others do for one. They are written here one after the other; an adapter
/// for which each statement is a journey writes them together.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(
    revokes(rotate_pair, rotate_pairs, revoke_grant, revoke_grants_of_user),
    keeps(
        insert_authorization_request,
        take_authorization_request,
        insert_grant,
        redeem_code,
        lock_grants_by_code,
        redeem_codes,
        insert_pair,
        lock_families,
        revoke_unredeemed,
        delete_spent_grants
    )
)]
pub trait GrantRepository: GrantQueries {
    /// Keeps a request that waits for consent, under the digest of its handle.
    ///
    /// # Errors
    /// A handle that exists already is a conflict.
    fn insert_authorization_request(
        &mut self,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError>;

    /// Takes a waiting request away, so that it is answered once. `None` when there is none with this handle, when it
    /// belongs to another session, or when `now` is too late. A request of another session stays; whether a late one does
    /// is the adapter's to choose.
    fn take_authorization_request(
        &mut self,
        handle: &SecretDigest,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError>;

    /// Keeps a grant. One without a code is redeemed from its beginning.
    ///
    /// # Errors
    /// A code that exists already is a conflict.
    fn insert_grant(&mut self, grant: &NewGrant) -> Result<GrantId, StoreError>;

    /// Redeems a code and issues its first pair, if the code was neither redeemed nor revoked. Times, client and
    /// challenge are the caller's to check before.
    ///
    /// # Errors
    /// A token that exists already is a conflict.
    fn redeem_code(
        &mut self,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError>;

    /// The grants with these codes, in their order, whatever their state. Nobody else changes them from here to the
    /// commit: an adapter whose write transactions run side by side locks them, in the order of their ids.
    fn lock_grants_by_code(
        &mut self,
        codes: &[SecretDigest],
    ) -> Result<Vec<Option<Grant>>, StoreError>;

    /// Redeems codes as [`Self::redeem_code`] does, one after the other.
    ///
    /// # Errors
    /// Those of [`Self::redeem_code`].
    fn redeem_codes(
        &mut self,
        redemptions: &[CodeRedemption],
    ) -> Result<Vec<Redemption>, StoreError> {
        let redeem = |each: &CodeRedemption| self.redeem_code(&each.code, &each.pair, each.now);
        redemptions.iter().map(redeem).collect()
    }

    /// Issues a pair for a grant that the caller has just made, in the same transaction: it does not ask in which state
    /// the grant is.
    ///
    /// # Errors
    /// A token that exists already is a conflict.
    fn insert_pair(&mut self, pair: &NewTokenPair) -> Result<TokenPairId, StoreError>;

    /// Replaces the pair with this refresh token by `successor`, if it is current. From the commit on, both old tokens
    /// are worth nothing. A revocation of the grant at the same time ends the successor, too.
    ///
    /// # Errors
    /// A token that exists already is a conflict.
    fn rotate_pair(
        &mut self,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError>;

    /// The pairs with these refresh tokens and their grants, in their order, whatever their state. Nobody else changes
    /// these families from here to the commit: an adapter whose write transactions run side by side locks their grants,
    /// in the order of their ids.
    fn lock_families(
        &mut self,
        refresh: &[SecretDigest],
    ) -> Result<Vec<Option<Family>>, StoreError>;

    /// Replaces pairs as [`Self::rotate_pair`] does, one after the other.
    ///
    /// # Errors
    /// Those of [`Self::rotate_pair`].
    fn rotate_pairs(&mut self, rotations: &[PairRotation]) -> Result<Vec<Rotation>, StoreError> {
        let rotate = |each: &PairRotation| {
            self.rotate_pair(&each.refresh, each.seed, &each.successor, each.now)
        };
        rotations.iter().map(rotate).collect()
    }

    /// Ends a grant and all its tokens. `false` when there is no such grant or it was ended before; the first instant
    /// stays.
    fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError>;

    /// Ends all grants of a user, or those to one application. Gives how many were ended.
    fn revoke_grants_of_user(
        &mut self,
        user_id: UserId,
        application_id: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Ends the grants of a session whose codes were not redeemed yet, and forgets its waiting requests. Gives how many
    /// grants were ended.
    fn revoke_unredeemed(
        &mut self,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` grants whose end is before `before`, with their tokens, and as many waiting requests
    /// that nobody answered until then. A grant that was revoked stays until its end, so that the reuse of its tokens
    /// is still recognised. Gives how many rows of either kind were deleted.
    fn delete_spent_grants(&mut self, before: Timestamp, limit: usize)
    -> Result<usize, StoreError>;
}
