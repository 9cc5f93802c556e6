//! The repository traits of the provider.
//!
//! What must happen once is one method here, so that an adapter makes it one conditional write: two callers at
//! the same moment never both win.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, SigningKeyId, TokenPairId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    Application, ApplicationChange, ApplicationUid, AuthorizationRequest, AuthorizedApplication,
    Grant, NewApplication, NewGrant, NewSigningKey, NewTokenPair, RotationSeed, SigningKey,
    TokenPair,
};

/// Whose applications are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationOwner {
    /// Those that this user registered.
    User(UserId),
    /// Those of the instance, which no user owns.
    Instance,
}

impl ApplicationOwner {
    /// The user, if it is one.
    pub const fn user_id(self) -> Option<UserId> {
        match self {
            Self::User(id) => Some(id),
            Self::Instance => None,
        }
    }
}

/// What a transaction of either kind can tell about applications.
pub trait ApplicationQueries {
    /// The application with this id.
    ///
    /// # Errors
    /// Only failures of the store; an unknown id is `None`. The same holds for every `find_*` below.
    fn find_application(&mut self, id: ApplicationId) -> Result<Option<Application>, StoreError>;

    /// The application with this public name.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_application_by_uid(
        &mut self,
        uid: &ApplicationUid,
    ) -> Result<Option<Application>, StoreError>;

    /// The applications of an owner, oldest first; ids break ties.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_applications(
        &mut self,
        owner: ApplicationOwner,
        page: OffsetPage,
    ) -> Result<Page<Application>, StoreError>;

    /// The applications that hold a live grant of this user: redeemed, not revoked, and not past its end at `now`.
    /// The one that was authorized last comes first; ids break ties. Grants without an application are left out.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_authorized_applications(
        &mut self,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<Vec<AuthorizedApplication>, StoreError>;
}

/// What a write transaction can change about applications.
pub trait ApplicationRepository: ApplicationQueries {
    /// Registers an application.
    ///
    /// # Errors
    /// Failures of the store; a uid that exists already is a conflict.
    fn insert_application(
        &mut self,
        application: &NewApplication,
    ) -> Result<ApplicationId, StoreError>;

    /// Changes an application. `false` when there is none with this id.
    ///
    /// # Errors
    /// Failures of the store.
    fn update_application(
        &mut self,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError>;

    /// Gives an application another secret; the old one is worth nothing from then on. `false` when there is none
    /// with this id.
    ///
    /// # Errors
    /// Failures of the store.
    fn replace_secret(
        &mut self,
        id: ApplicationId,
        secret: &SecretDigest,
    ) -> Result<bool, StoreError>;

    /// Deletes an application with its waiting requests, its grants and their tokens. `false` when there is none with
    /// this id.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_application(&mut self, id: ApplicationId) -> Result<bool, StoreError>;
}

/// What a transaction of either kind can tell about grants and tokens.
pub trait GrantQueries {
    /// The grant with this id, whatever its state.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_grant(&mut self, id: GrantId) -> Result<Option<Grant>, StoreError>;

    /// The grant whose code has this digest, whatever its state.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_grant_by_code(&mut self, code: &SecretDigest) -> Result<Option<Grant>, StoreError>;

    /// Whether the user has given the application a live grant (redeemed, not revoked, not past its end at `now`) of
    /// exactly these scopes.
    ///
    /// # Errors
    /// Failures of the store.
    fn has_consented(
        &mut self,
        user_id: UserId,
        application_id: ApplicationId,
        scopes: ScopeSet,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// The pair whose access token has this digest, whatever its state.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_pair_by_access(
        &mut self,
        access: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError>;

    /// The pair whose refresh token has this digest, whatever its state.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_pair_by_refresh(
        &mut self,
        refresh: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError>;

    /// The waiting request with this handle, whether or not it is too late to answer.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_authorization_request(
        &mut self,
        handle: &SecretDigest,
    ) -> Result<Option<AuthorizationRequest>, StoreError>;
}

/// What happened to a code that was to be redeemed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redemption {
    /// It was redeemed, here and now and never again; the pair has this id.
    Redeemed(TokenPairId),
    /// It was redeemed or revoked before. Nothing was written.
    AlreadyUsed(GrantId),
    /// There is no such code. Nothing was written.
    Unknown,
}

/// What happened to a refresh token that was to be rotated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotation {
    /// The pair was replaced, here and now and never again; the new one has this id.
    Rotated(TokenPairId),
    /// The pair was rotated or revoked before; this is how it stands. Nothing was written.
    NotCurrent(Box<TokenPair>),
    /// There is no such refresh token. Nothing was written.
    Unknown,
}

/// What a write transaction can change about grants and tokens.
pub trait GrantRepository: GrantQueries {
    /// Keeps a request that waits for consent, under the digest of its handle.
    ///
    /// # Errors
    /// Failures of the store; a handle that exists already is a conflict.
    fn insert_authorization_request(
        &mut self,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError>;

    /// Takes a waiting request away, so that it is answered once. `None` when there is none with this handle, when it
    /// belongs to another session, or when `now` is too late; a request of another session stays.
    ///
    /// # Errors
    /// Failures of the store.
    fn take_authorization_request(
        &mut self,
        handle: &SecretDigest,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<Option<AuthorizationRequest>, StoreError>;

    /// Keeps a grant. One without a code is redeemed from its beginning.
    ///
    /// # Errors
    /// Failures of the store; a code that exists already is a conflict.
    fn insert_grant(&mut self, grant: &NewGrant) -> Result<GrantId, StoreError>;

    /// Redeems a code and issues its first pair, if the code was neither redeemed nor revoked. Times, client and
    /// challenge are the caller's to check before.
    ///
    /// # Errors
    /// Failures of the store; a token that exists already is a conflict.
    fn redeem_code(
        &mut self,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError>;

    /// Issues a pair for a grant, without asking in which state it is.
    ///
    /// # Errors
    /// Failures of the store; a token that exists already is a conflict.
    fn insert_pair(&mut self, pair: &NewTokenPair) -> Result<TokenPairId, StoreError>;

    /// Replaces the pair with this refresh token by `successor`, if it is current. From the commit on, both old tokens
    /// are worth nothing. A revocation of the grant at the same moment ends the successor, too.
    ///
    /// # Errors
    /// Failures of the store; a token that exists already is a conflict.
    fn rotate_pair(
        &mut self,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError>;

    /// Ends a grant and all its tokens. `false` when there is no such grant or it was ended before; the first moment
    /// stays.
    ///
    /// # Errors
    /// Failures of the store.
    fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError>;

    /// Ends all grants of a user, or those to one application. Gives how many were ended.
    ///
    /// # Errors
    /// Failures of the store.
    fn revoke_grants_of_user(
        &mut self,
        user_id: UserId,
        application_id: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Ends the grants of a session whose codes were not redeemed yet, and forgets its waiting requests. Gives how many
    /// grants were ended.
    ///
    /// # Errors
    /// Failures of the store.
    fn revoke_unredeemed(
        &mut self,
        session_id: SessionId,
        now: Timestamp,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` grants whose end is before `before`, with their tokens, and as many waiting requests
    /// that nobody answered until then. A grant that was revoked stays until its end, so that the reuse of its tokens
    /// is still recognised. Gives how many rows of either kind were deleted.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_spent_grants(&mut self, before: Timestamp, limit: usize)
    -> Result<usize, StoreError>;
}

/// What a transaction of either kind can tell about signing keys.
pub trait SigningKeyQueries {
    /// All keys, oldest first; ids break ties.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError>;
}

/// What a write transaction can change about signing keys.
pub trait SigningKeyRepository: SigningKeyQueries {
    /// Keeps a key, unless its algorithm has one of this generation already: then nothing is written, and the answer
    /// is `None`.
    ///
    /// # Errors
    /// Failures of the store; a kid that exists already is a conflict.
    fn insert_signing_key(
        &mut self,
        key: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError>;

    /// Deletes keys by their ids; unknown ids are passed over.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError>;
}
