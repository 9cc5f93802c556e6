//! Beginning, finding and ending sessions.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    MAX_AGENT_CHARACTERS, NewSession, Session, SessionLifetime, SessionStage, User, UserState,
};
use crate::store::{AccountQueries, SessionQueries, SessionRepository};

/// A browser that somebody signs in with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Browser {
    /// The digest of the value of its new cookie.
    pub digest: SecretDigest,
    /// What it calls itself, of any length.
    pub user_agent: String,
    /// Where it is.
    pub address: String,
}

impl Browser {
    /// A browser at an address, whose new cookie has this digest.
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

/// Begins a session. One that waits for the second factor ends with the time for giving it; any other counts as a sign-in of
/// its user.
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

/// The session with this digest and its user, if it is alive and the user may act. Writes nothing.
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
    let user = repos.find_user(session.user_id)?.ok_or_else(|| {
        StoreError::inconsistent("sessions", session.id, "its user does not exist")
    })?;
    Ok((user.state == UserState::Active).then_some((session, user)))
}

/// The live sessions of a user in which somebody is signed in, the one that was used last first.
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

/// Ends a session. `false` when it had ended.
///
/// # Errors
/// Failures of the store.
pub fn end_session<R: SessionRepository + ?Sized>(
    repos: &mut R,
    id: SessionId,
) -> Result<bool, StoreError> {
    repos.delete_session(id)
}

/// Ends a session of this user; that of anybody else is none, like an unknown one.
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

/// Ends all sessions of a user but this one. Gives how many were ended.
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
