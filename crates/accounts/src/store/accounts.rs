//! Users and access tokens.

use api_conventions::ids::{DeployTokenId, TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use crate::model::{
    AccessToken, DeployToken, DeployTokenFilter, NewDeployToken, NewToken, NewUser, Revocation,
    RevocationSubject, TokenFilter, TokenPlace, User, UserChange, UserDeletion, UserFilter,
    UserKind,
};

/// Queries for users and access tokens, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait AccountQueries {
    /// Returns the user with this id.
    fn find_user(&mut self, id: UserId) -> Result<Option<User>, StoreError>;

    /// Returns the user with this username, ignoring case.
    fn find_user_by_username(&mut self, username: &str) -> Result<Option<User>, StoreError>;

    /// Lists the users with these ids, in no particular order; unknown ids are left out.
    fn list_users_by_id(&mut self, ids: &[UserId]) -> Result<Vec<User>, StoreError>;

    /// Lists the users with these usernames, ignoring case, in no particular order; unknown ones are left out.
    fn list_users_by_username(&mut self, usernames: &[&str]) -> Result<Vec<User>, StoreError>;

    /// Lists one page of the users that match the filter.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the query examines more users than one request may;
    /// that limit is at least 100,000.
    fn list_users(
        &mut self,
        filter: &UserFilter,
        page: OffsetPage,
    ) -> Result<Page<User>, StoreError>;

    /// Returns the account of this kind of bot; `None` for a kind that may have several accounts.
    fn find_bot(&mut self, kind: UserKind) -> Result<Option<User>, StoreError>;

    /// Lists the users whose deletion is under way, oldest first, at most `limit`.
    fn list_user_deletions(&mut self, limit: usize) -> Result<Vec<UserDeletion>, StoreError>;

    /// Returns the access token with this id, in any state.
    fn find_token(&mut self, id: TokenId) -> Result<Option<AccessToken>, StoreError>;

    /// Lists one page of the access tokens that match the filter, in the order of their ids.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the query examines more tokens than one request may;
    /// that limit is at least 100,000. A filter by user alone is never refused.
    fn list_tokens(
        &mut self,
        filter: &TokenFilter,
        page: OffsetPage,
    ) -> Result<Page<AccessToken>, StoreError>;

    /// Returns the access token with this digest, in any state.
    fn find_token_by_digest(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<AccessToken>, StoreError>;

    /// Returns the active token of this family whose id is greater than `after`.
    /// A rotation revokes the old token and inserts the new one together, so a family has at most one active token.
    fn find_successor_token(
        &mut self,
        family: TokenId,
        after: TokenId,
    ) -> Result<Option<AccessToken>, StoreError>;

    /// Lists the names of the access tokens with these ids, in any state and in no particular order; unknown ids are
    /// left out.
    fn list_token_names(&mut self, ids: &[TokenId]) -> Result<Vec<(TokenId, String)>, StoreError>;

    /// Returns the deploy token with this id.
    fn find_deploy_token(&mut self, id: DeployTokenId) -> Result<Option<DeployToken>, StoreError>;

    /// Returns the deploy token with this digest, even if it has expired.
    fn find_deploy_token_by_digest(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<DeployToken>, StoreError>;

    /// Lists one page of the deploy tokens that match the filter, in the order of their ids.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the query examines more tokens than one request may;
    /// that limit is at least 100,000.
    fn list_deploy_tokens(
        &mut self,
        filter: &DeployTokenFilter,
        page: OffsetPage,
    ) -> Result<Page<DeployToken>, StoreError>;

    /// Returns the authentication epoch, a number that grows with every revocation.
    fn auth_epoch(&mut self) -> Result<i64, StoreError>;

    /// Lists at most `limit` revocations of the epochs after `epoch`, in epoch order. An epoch whose revocations were
    /// deleted is missing; a reader that finds a gap must assume that anything was revoked in it.
    fn list_revocations_after(
        &mut self,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError>;
}

/// Outcome of inserting a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertUser {
    /// User inserted, with this id.
    Inserted(UserId),
    /// Another user has this username, ignoring case. Nothing was written.
    UsernameTaken,
    /// Another user has this email address, ignoring case. Nothing was written.
    EmailTaken,
}

/// Outcome of updating a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateUser {
    /// User updated.
    Updated(Box<User>),
    /// There is no such user.
    Unknown,
    /// Another user has this email address, ignoring case. Nothing was written.
    EmailTaken,
}

/// Writes to users and access tokens.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// Methods with other errors document them.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(
    revokes(update_user, revoke_token, raise_auth_epoch, start_user_deletion),
    keeps(
        insert_user,
        insert_token,
        touch_tokens,
        announce_expiring_tokens,
        insert_deploy_token,
        delete_deploy_token,
        delete_deploy_tokens_of,
        delete_access_of_user,
        finish_user_deletion,
        forget_revocations_through
    )
)]
pub trait AccountRepository: AccountQueries {
    /// Inserts a user unless the username or email address is taken.
    fn insert_user(&mut self, user: &NewUser) -> Result<InsertUser, StoreError>;

    /// Updates a user unless the new email address is taken. Fields that the change does not set keep their values,
    /// even if another transaction writes them concurrently.
    fn update_user(&mut self, id: UserId, change: &UserChange) -> Result<UpdateUser, StoreError>;

    /// Inserts an access token.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn insert_token(&mut self, token: &NewToken) -> Result<TokenId, StoreError>;

    /// Revokes a token. Returns `false` if there is no such token or it was already revoked; the first time of
    /// revocation stays.
    fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError>;

    /// Records the last use of tokens. A time earlier than the recorded one changes nothing.
    fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError>;

    /// Marks the active tokens that expire after the day `after` and before the day `before` as announced, at most `limit`, and
    /// returns those that were not announced before.
    fn announce_expiring_tokens(
        &mut self,
        after: CalendarDate,
        before: CalendarDate,
        limit: usize,
    ) -> Result<Vec<AccessToken>, StoreError>;

    /// Inserts a deploy token.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn insert_deploy_token(&mut self, token: &NewDeployToken) -> Result<DeployTokenId, StoreError>;

    /// Deletes a deploy token. Returns `false` if there is no such token.
    fn delete_deploy_token(&mut self, id: DeployTokenId) -> Result<bool, StoreError>;

    /// Deletes all deploy tokens of a project or group. Returns how many were deleted.
    fn delete_deploy_tokens_of(&mut self, place: TokenPlace) -> Result<usize, StoreError>;

    /// Turns a person into a user whose deletion is under way: blocked, and without a name, an email address, a password
    /// and a second factor. Username and email address are free from then on. Returns `false` if there is no such person.
    fn start_user_deletion(
        &mut self,
        deletion: UserDeletion,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes at most `limit` sessions, access tokens and recovery codes of a user, and makes `successor` the creator of
    /// deploy tokens. Returns how many rows were deleted or updated; 0 when none was left.
    fn delete_access_of_user(
        &mut self,
        user: UserId,
        successor: UserId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes a user whose deletion is under way. No row may refer to them any more. Returns `false` if there is no such
    /// deletion.
    fn finish_user_deletion(&mut self, user: UserId) -> Result<bool, StoreError>;

    /// Raises the authentication epoch by one, stores the revocations under the new epoch, and returns it. `revoked`
    /// has no duplicates. Concurrent transactions raise the epoch one after the other: a reader that sees an epoch also
    /// sees all revocations stored under it and before.
    fn raise_auth_epoch(&mut self, revoked: &[RevocationSubject]) -> Result<i64, StoreError>;

    /// Deletes the revocations of this epoch and earlier ones. The epoch itself stays unchanged. Returns how many
    /// revocations were deleted.
    fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError>;
}
