//! Repository of grants, their tokens, and authorization requests.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, TokenPairId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::conditional::{CodeRedemption, Family, PairRotation, Redemption, Rotation};
use crate::model::{AuthorizationRequest, Grant, NewGrant, NewTokenPair, RotationSeed, TokenPair};

/// Queries about grants and tokens, for read and write transactions.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait GrantQueries {
    /// Returns the grant with this id, in any state.
    fn find_grant(&mut self, id: GrantId) -> Result<Option<Grant>, StoreError>;

    /// Returns the grant whose code has this digest, in any state.
    fn find_grant_by_code(&mut self, code: &SecretDigest) -> Result<Option<Grant>, StoreError>;

    /// True if the user has given the application a live grant (redeemed, not revoked, not expired at `now`) of exactly
    /// these scopes.
    fn has_consented(
        &mut self,
        user_id: UserId,
        application_id: ApplicationId,
        scopes: &ScopeSet,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Returns the pair whose access token has this digest, in any state.
    fn find_pair_by_access(
        &mut self,
        access: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError>;

    /// Returns the pair whose refresh token has this digest, in any state.
    fn find_pair_by_refresh(
        &mut self,
        refresh: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError>;

    /// Returns the waiting request with this handle, even if it has expired.
    fn find_authorization_request(
        &mut self,
        handle: &SecretDigest,
    ) -> Result<Option<AuthorizationRequest>, StoreError>;
}

/// Changes to grants and tokens, for write transactions.
///
/// Four methods are batch versions of others. Default implementations run one statement after the other; an adapter
/// with a round trip per statement should override them.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails. A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
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
        delete_grants_of_user,
        delete_spent_grants
    )
)]
pub trait GrantRepository: GrantQueries {
    /// Stores a request that waits for consent, under the digest of its handle.
    ///
    /// # Errors
    /// A handle that exists already is a conflict.
    fn insert_authorization_request(
        &mut self,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError>;

    /// Removes a waiting request and returns it, so that it is answered only once. Returns `None` if none has this
    /// handle, if it belongs to another session, or if it has expired at `now`. A request of another session stays; the
    /// adapter chooses whether an expired one stays.
    fn take_authorization_request(
        &mut self,
        handle: &SecretDigest,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError>;

    /// Inserts a grant. A grant without a code starts as redeemed.
    ///
    /// # Errors
    /// A code that exists already is a conflict.
    fn insert_grant(&mut self, grant: &NewGrant) -> Result<GrantId, StoreError>;

    /// Redeems a code and issues its first pair, if the code was neither redeemed nor revoked. The caller checks
    /// expiry, client and challenge first.
    ///
    /// # Errors
    /// A token that exists already is a conflict.
    fn redeem_code(
        &mut self,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError>;

    /// Returns the grants with these codes, in their order and in any state, and keeps other transactions from changing
    /// them until the commit: an adapter with concurrent write transactions locks them, in the order of their ids.
    fn lock_grants_by_code(
        &mut self,
        codes: &[SecretDigest],
    ) -> Result<Vec<Option<Grant>>, StoreError>;

    /// Redeems codes with [`Self::redeem_code`], one after the other.
    ///
    /// # Errors
    /// The errors of [`Self::redeem_code`].
    fn redeem_codes(
        &mut self,
        redemptions: &[CodeRedemption],
    ) -> Result<Vec<Redemption>, StoreError> {
        let redeem = |each: &CodeRedemption| self.redeem_code(&each.code, &each.pair, each.now);
        redemptions.iter().map(redeem).collect()
    }

    /// Issues a pair for a grant that the caller has just created in the same transaction; the grant's state is not
    /// checked.
    ///
    /// # Errors
    /// A token that exists already is a conflict.
    fn insert_pair(&mut self, pair: &NewTokenPair) -> Result<TokenPairId, StoreError>;

    /// Replaces the pair with this refresh token by `successor`, if it is current. From the commit on, both old tokens
    /// are invalid. A concurrent revocation of the grant revokes the successor, too.
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

    /// Returns the pairs with these refresh tokens and their grants, in their order and in any state, and keeps other
    /// transactions from changing these families until the commit: an adapter with concurrent write transactions locks
    /// their grants, in the order of their ids.
    fn lock_families(
        &mut self,
        refresh: &[SecretDigest],
    ) -> Result<Vec<Option<Family>>, StoreError>;

    /// Replaces pairs with [`Self::rotate_pair`], one after the other.
    ///
    /// # Errors
    /// The errors of [`Self::rotate_pair`].
    fn rotate_pairs(&mut self, rotations: &[PairRotation]) -> Result<Vec<Rotation>, StoreError> {
        let rotate = |each: &PairRotation| {
            self.rotate_pair(&each.refresh, each.seed, &each.successor, each.now)
        };
        rotations.iter().map(rotate).collect()
    }

    /// Revokes a grant and all its tokens. Returns `false` if the grant does not exist or was revoked before; the time
    /// of the first revocation is kept.
    fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError>;

    /// Revokes all grants of a user, or only those to one application. Returns the number of revoked grants.
    fn revoke_grants_of_user(
        &mut self,
        user_id: UserId,
        application_id: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` grants of a user that is deleted, with their tokens. Returns the number of deleted grants; 0
    /// when none was left.
    fn delete_grants_of_user(&mut self, user_id: UserId, limit: usize)
    -> Result<usize, StoreError>;

    /// Revokes the grants of a session whose codes were not redeemed yet, and deletes its waiting requests. Returns the
    /// number of revoked grants.
    fn revoke_unredeemed(
        &mut self,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` grants that expired before `before`, with their tokens, and as many waiting requests
    /// that expired before then. A revoked grant stays until it expires, so that reuse of its tokens is still detected.
    /// Returns the number of deleted rows of either kind.
    fn delete_spent_grants(&mut self, before: Timestamp, limit: usize)
    -> Result<usize, StoreError>;
}
