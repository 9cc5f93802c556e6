//! Sessions.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewSession, Session, UserActivity};

/// Queries for sessions, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait SessionQueries {
    /// Returns the session with this digest, alive or not.
    fn find_session(&mut self, digest: &SecretDigest) -> Result<Option<Session>, StoreError>;

    /// Lists the sessions of a user, most recently used first; ids break ties.
    fn list_sessions(&mut self, user_id: UserId) -> Result<Vec<Session>, StoreError>;

    /// Lists the sign-ins and last activity of users, in no particular order; unknown ids are left out. Sessions that
    /// wait for the second factor do not count.
    fn list_user_activity(
        &mut self,
        ids: &[UserId],
    ) -> Result<Vec<(UserId, UserActivity)>, StoreError>;
}

/// Writes to sessions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// Methods with other errors document them.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(
    revokes(renew_session, delete_session, delete_sessions_of),
    keeps(
        insert_session,
        note_sign_in,
        lock_session,
        touch_sessions,
        delete_ended_sessions
    )
)]
pub trait SessionRepository: SessionQueries {
    /// Inserts a session. Its last use is the time of authentication.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn insert_session(&mut self, session: &NewSession) -> Result<SessionId, StoreError>;

    /// Counts a sign-in of a user, as [`UserActivity::sign_in`] does. Returns `false` if there is no such user.
    fn note_sign_in(&mut self, user: UserId, at: Timestamp) -> Result<bool, StoreError>;

    /// Records that the user of a session authenticated again, and gives the session a new cookie digest; the old
    /// cookie stops working. Returns `false` if there is no such session.
    ///
    /// # Errors
    /// Fails with a conflict if the digest already exists.
    fn renew_session(
        &mut self,
        id: SessionId,
        digest: &SecretDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Locks a session until the transaction ends. Transactions that end the session wait meanwhile, and then see what
    /// this transaction wrote. Take the lock before writing anything that must end with the session. Returns `false` if
    /// there is no such session. The lock is shared: any number of transactions may hold it at the same time. Lock a
    /// user before its session.
    fn lock_session(&mut self, id: SessionId) -> Result<bool, StoreError>;

    /// Records the last use of sessions. A time earlier than the recorded one changes nothing.
    fn touch_sessions(&mut self, used: &[(SessionId, Timestamp)]) -> Result<(), StoreError>;

    /// Ends a session. Returns `false` if there is none with this id.
    fn delete_session(&mut self, id: SessionId) -> Result<bool, StoreError>;

    /// Ends all sessions of a user, or all but one. Returns how many ended.
    fn delete_sessions_of(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` sessions that ended before `before` or were last used before `unused_since`. Returns how
    /// many were deleted.
    fn delete_ended_sessions(
        &mut self,
        before: Timestamp,
        unused_since: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
