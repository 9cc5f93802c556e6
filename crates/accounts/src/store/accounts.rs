//! Users and access tokens.

use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    AccessToken, NewToken, NewUser, Revocation, Revoked, User, UserChange, UserFilter, UserKind,
};

/// What a transaction of either kind can tell about accounts.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait AccountQueries {
    /// The user with this id.
    fn find_user(&mut self, id: UserId) -> Result<Option<User>, StoreError>;

    /// The user with this username, given in any case.
    fn find_user_by_username(&mut self, username: &str) -> Result<Option<User>, StoreError>;

    /// The users with these ids, in no particular order; unknown ids are left out.
    fn list_users_by_id(&mut self, ids: &[UserId]) -> Result<Vec<User>, StoreError>;

    /// The users with these usernames, given in any case, in no particular order; unknown ones are left out.
    fn list_users_by_username(&mut self, usernames: &[&str]) -> Result<Vec<User>, StoreError>;

    /// One page of the users that match.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when more users would be examined than one request may, which
    /// are no fewer than 100,000.
    fn list_users(
        &mut self,
        filter: &UserFilter,
        page: OffsetPage,
    ) -> Result<Page<User>, StoreError>;

    /// The one account of a kind of bot.
    fn find_bot(&mut self, kind: UserKind) -> Result<Option<User>, StoreError>;

    /// The access token with this digest, whatever its state.
    fn find_token_by_digest(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<AccessToken>, StoreError>;

    /// The names of the access tokens with these ids, whatever their state, in no particular order; unknown ids are left out.
    fn list_token_names(&mut self, ids: &[TokenId]) -> Result<Vec<(TokenId, String)>, StoreError>;

    /// The authentication epoch: a number that grows with every revocation.
    fn auth_epoch(&mut self) -> Result<i64, StoreError>;

    /// What was revoked in the epochs after `epoch`, in the order of the epochs, and at most `limit` of it. An epoch
    /// of which nothing is kept is missing: anyone who misses one knows nothing of what was revoked in it.
    fn list_revocations_after(
        &mut self,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError>;
}

/// What happened to a user that was to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertUser {
    /// It is there, with this id.
    Inserted(UserId),
    /// Another user has this username, in whatever case. Nothing was written.
    UsernameTaken,
    /// Another user has this address, in whatever case. Nothing was written.
    EmailTaken,
}

/// What happened to a user that was to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateUser {
    /// It is as it was to be.
    Updated(Box<User>),
    /// There is no such user.
    Unknown,
    /// Another user has this address, in whatever case. Nothing was written.
    EmailTaken,
}

/// What a write transaction can change about accounts.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(
    revokes(update_user, revoke_token, raise_auth_epoch),
    keeps(insert_user, insert_token, touch_tokens, forget_revocations_through)
)]
pub trait AccountRepository: AccountQueries {
    /// Inserts a user unless its username or address is taken.
    fn insert_user(&mut self, user: &NewUser) -> Result<InsertUser, StoreError>;

    /// Changes a user unless its new address is taken by another one. What the change does not name stays as it is, also when it
    /// is written at the same time.
    fn update_user(&mut self, id: UserId, change: &UserChange) -> Result<UpdateUser, StoreError>;

    /// Inserts an access token.
    ///
    /// # Errors
    /// A digest that exists already is a conflict.
    fn insert_token(&mut self, token: &NewToken) -> Result<TokenId, StoreError>;

    /// Revokes a token. `false` when there is no such token or it was revoked before; the first instant stays.
    fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError>;

    /// Notes when tokens were last used. A time earlier than the one noted changes nothing.
    fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError>;

    /// Raises the authentication epoch by one, keeps under the new number what was revoked, and gives the number.
    /// `revoked` has no repeats. Where transactions run side by side, they raise it one after the other: anyone who reads
    /// an epoch can read all that was kept under it and before.
    fn raise_auth_epoch(&mut self, revoked: &[Revoked]) -> Result<i64, StoreError>;

    /// Forgets what was revoked in this epoch and before. The number stays as it is. Gives how many revocations were
    /// forgotten.
    fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError>;
}
