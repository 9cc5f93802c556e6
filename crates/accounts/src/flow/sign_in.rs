//! Signing in, after the password was judged right.

use api_conventions::ids::SessionId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::sessions::{Browser, start_session};
use crate::model::{Credentials, Session, SessionLifetime, SessionStage, UserState};
use crate::store::{AccountRepository, SessionRepository};

/// What became of a right password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// The user is signed in.
    SignedIn(SessionId),
    /// The second factor is to follow, in this session.
    SecondFactorMissing(SessionId),
    /// The account is blocked. It is told only now: whoever does not know the password learns nothing. No session
    /// begins.
    Blocked,
}

/// Begins a session for a user whose password is right, in place of the one that the browser had.
///
/// # Errors
/// Failures of the store.
pub fn sign_in<R: SessionRepository + AccountRepository + ?Sized>(
    repos: &mut R,
    credentials: &Credentials,
    browser: &Browser,
    replaced: Option<SessionId>,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<SignIn, StoreError> {
    let user = &credentials.user;
    if user.state != UserState::Active {
        return Ok(SignIn::Blocked);
    }
    end_replaced(repos, replaced)?;
    let stage = if credentials.second_factor.is_some() {
        SessionStage::SecondFactorMissing
    } else {
        SessionStage::SignedIn
    };
    let id = start_session(repos, user.id, stage, browser, lifetime, now)?;
    Ok(match stage {
        SessionStage::SecondFactorMissing => SignIn::SecondFactorMissing(id),
        SessionStage::SignedIn => SignIn::SignedIn(id),
    })
}

/// Begins the session that follows a right second factor. The one in which it was given ends: its cookie was known
/// while nobody was signed in with it.
///
/// # Errors
/// Failures of the store.
pub fn complete_sign_in<R: SessionRepository + AccountRepository + ?Sized>(
    repos: &mut R,
    half_way: &Session,
    browser: &Browser,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<SessionId, StoreError> {
    end_replaced(repos, Some(half_way.id))?;
    let stage = SessionStage::SignedIn;
    start_session(repos, half_way.user_id, stage, browser, lifetime, now)
}

fn end_replaced<R: SessionRepository + AccountRepository + ?Sized>(
    repos: &mut R,
    replaced: Option<SessionId>,
) -> Result<(), StoreError> {
    if let Some(id) = replaced
        && repos.delete_session(id)?
    {
        repos.raise_auth_epoch()?;
    }
    Ok(())
}
