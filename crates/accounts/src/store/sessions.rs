//! Sessions.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewSession, Session, UserActivity};

/// What a transaction of either kind can tell about sessions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait SessionQueries {
    /// The session with this digest, whether or not it is still alive.
    fn find_session(&mut self, digest: &SecretDigest) -> Result<Option<Session>, StoreError>;

    /// The sessions of a user, the one that was used last first; ids break ties.
    fn list_sessions(&mut self, user_id: UserId) -> Result<Vec<Session>, StoreError>;

    /// Returns when users signed in and were last there, in no particular order; unknown ids are left out. Sessions that wait
    /// for the second factor do not count.
    fn list_user_activity(
        &mut self,
        ids: &[UserId],
    ) -> Result<Vec<(UserId, UserActivity)>, StoreError>;
}

/// What a write transaction can change about sessions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
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
    /// Keeps a session. It was last seen when its user proved who they are.
    ///
    /// # Errors
    /// A digest that exists already is a conflict.
    fn insert_session(&mut self, session: &NewSession) -> Result<SessionId, StoreError>;

    /// Counts a sign-in of a user, as [`UserActivity::sign_in`] does. `false` when there is no such user.
    fn note_sign_in(&mut self, user: UserId, at: Timestamp) -> Result<bool, StoreError>;

    /// Notes that the user of a session proved again who they are, and gives it the digest of another cookie: the old
    /// cookie is worth nothing from then on. `false` when there is no such session.
    ///
    /// # Errors
    /// A digest that exists already is a conflict.
    fn renew_session(
        &mut self,
        id: SessionId,
        digest: &SecretDigest,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Locks a session until the transaction ends: anyone who ends it meanwhile waits, and then sees what this transaction
    /// wrote. Ask before writing what is to end with the session. `false` when there is no such session. The lock is
    /// shared: any number of transactions may have it at the same time. Of a user and its session, lock the user first.
    fn lock_session(&mut self, id: SessionId) -> Result<bool, StoreError>;

    /// Notes when sessions were last used. A time earlier than the one noted changes nothing.
    fn touch_sessions(&mut self, used: &[(SessionId, Timestamp)]) -> Result<(), StoreError>;

    /// Ends a session. `false` when there is none with this id.
    fn delete_session(&mut self, id: SessionId) -> Result<bool, StoreError>;

    /// Ends all sessions of a user but one, or all of them. Gives how many were ended.
    fn delete_sessions_of(
        &mut self,
        user_id: UserId,
        except: Option<SessionId>,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` sessions that ended before `before`, or that were not used since `unused_since`. Gives
    /// how many were deleted.
    fn delete_ended_sessions(
        &mut self,
        before: Timestamp,
        unused_since: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
