//! Starting, finding and ending sessions.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    MAX_AGENT_CHARACTERS, NewSession, Session, SessionLifetime, SessionStage, User, UserState,
};
use crate::store::{AccountQueries, SessionQueries, SessionRepository};

/// Browser of a user who signs in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Browser {
    /// Digest of the new session cookie's value.
    pub digest: SecretDigest,
    /// `User-Agent` header, of any length.
    pub user_agent: String,
    /// Client address.
    pub address: String,
}

impl Browser {
    /// Creates a browser at an address, with the digest of its new cookie.
    pub fn new(
        digest: SecretDigest,
        user_agent: impl Into<String>,
        address: impl Into<String>,
    ) -> Self {
        Self {
            digest,
            user_agent: user_agent.into(),
            address: address.into(),
        }
    }
}

/// Starts a session. A session that waits for the second factor expires when the time to provide it is up; any other
/// counts as a sign-in of its user.
///
/// # Errors
/// Failures of the store.
pub fn start_session<R: SessionRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    stage: SessionStage,
    browser: &Browser,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<SessionId, StoreError> {
    let seconds = match stage {
        SessionStage::SecondFactorMissing => lifetime.second_factor_seconds,
        SessionStage::SignedIn => lifetime.absolute_seconds,
    };
    if stage == SessionStage::SignedIn {
        repos.note_sign_in(user_id, now)?;
    }
    let agent = browser.user_agent.chars().take(MAX_AGENT_CHARACTERS);
    repos.insert_session(&NewSession {
        digest: browser.digest,
        user_id,
        stage,
        user_agent: agent.collect(),
        address: browser.address.clone(),
        authenticated_at: now,
        expires_at: now.plus_seconds(seconds),
    })
}

/// Returns the live session with this digest and its user, if the user is active. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn find_live_session<R: SessionQueries + AccountQueries + ?Sized>(
    repos: &mut R,
    digest: &SecretDigest,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<Option<(Session, User)>, StoreError> {
    let found = repos.find_session(digest)?;
    let Some(session) = found.filter(|session| session.is_alive(now, lifetime)) else {
        return Ok(None);
    };
    let user = repos
        .find_user(session.user_id)?
        .ok_or_else(|| StoreError::inconsistent("sessions", session.id, "user does not exist"))?;
    Ok((user.state == UserState::Active).then_some((session, user)))
}

/// Lists the signed-in live sessions of a user, most recently used first.
///
/// # Errors
/// Failures of the store.
pub fn list_live_sessions<R: SessionQueries + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<Vec<Session>, StoreError> {
    let mut sessions = repos.list_sessions(user_id)?;
    sessions.retain(|session| {
        session.stage == SessionStage::SignedIn && session.is_alive(now, lifetime)
    });
    Ok(sessions)
}

/// Ends a session. Returns `false` if it had already ended.
///
/// # Errors
/// Failures of the store.
pub fn end_session<R: SessionRepository + ?Sized>(
    repos: &mut R,
    id: SessionId,
) -> Result<bool, StoreError> {
    repos.delete_session(id)
}

/// Ends a session of this user. Treats another user's session like an unknown one.
///
/// # Errors
/// Failures of the store.
pub fn end_own_session<R: SessionRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    id: SessionId,
) -> Result<bool, StoreError> {
    let own = repos.list_sessions(user_id)?;
    if own.iter().any(|session| session.id == id) {
        end_session(repos, id)
    } else {
        Ok(false)
    }
}

/// Ends all sessions of a user except this one. Returns how many ended.
///
/// # Errors
/// Failures of the store.
pub fn end_other_sessions<R: SessionRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    kept: SessionId,
) -> Result<usize, StoreError> {
    repos.delete_sessions_of(user_id, Some(kept))
}
