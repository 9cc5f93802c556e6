//! Signing in, after the password was verified right.

use api_conventions::ids::SessionId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check_password::lock_credentials;
use super::sessions::{Browser, start_session};
use crate::model::{Credentials, Session, SessionLifetime, SessionStage, UserState};
use crate::store::{CredentialRepository, SessionRepository};

/// Somebody whose password was verified right.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SignInRequest {
    /// Who, as [`verify_password_attempt`](super::check_password::verify_password_attempt) gave it.
    pub credentials: Credentials,
    /// The browser with the cookie that it is to get.
    pub browser: Browser,
    /// The session that the browser has; it ends when another begins.
    pub replaced: Option<SessionId>,
    /// Now.
    pub now: Timestamp,
}

impl SignInRequest {
    /// A sign-in that replaces no session.
    pub fn new(credentials: Credentials, browser: Browser, now: Timestamp) -> Self {
        Self {
            credentials,
            browser,
            replaced: None,
            now,
        }
    }
}

/// What became of a right password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// The user is signed in.
    SignedIn(SessionId),
    /// The second factor is to follow, in this session.
    SecondFactorMissing(SessionId),
    /// The account is blocked. Only this answer says so: anyone who does not know the password learns nothing. No session
    /// begins.
    Blocked,
    /// The password is right no longer: it was changed since it was verified. No session begins.
    Outdated,
}

/// Begins a session for a user whose password is right, in place of the one that the browser had. The user is locked, so
/// that anyone who blocks it or changes the password either comes first or ends this session, too. What followed from the
/// session that is replaced is the caller's to end.
///
/// # Errors
/// Failures of the store.
pub fn sign_in<R>(
    repos: &mut R,
    request: &SignInRequest,
    lifetime: SessionLifetime,
) -> Result<SignIn, StoreError>
where
    R: CredentialRepository + SessionRepository + ?Sized,
{
    let Some(credentials) = lock_credentials(repos, &request.credentials)? else {
        return Ok(SignIn::Outdated);
    };
    let (user, now) = (&credentials.user, request.now);
    if user.state != UserState::Active {
        return Ok(SignIn::Blocked);
    }
    if let Some(replaced) = request.replaced {
        repos.delete_session(replaced)?;
    }
    let stage = if credentials.second_factor.is_some() {
        SessionStage::SecondFactorMissing
    } else {
        SessionStage::SignedIn
    };
    let id = start_session(repos, user.id, stage, &request.browser, lifetime, now)?;
    Ok(match stage {
        SessionStage::SecondFactorMissing => SignIn::SecondFactorMissing(id),
        SessionStage::SignedIn => SignIn::SignedIn(id),
    })
}

/// Begins the session that follows a right second factor, which was verified in the same transaction. The one in which it
/// was given ends: its cookie was known while nobody was signed in with it. `None` when that one had ended: somebody
/// blocked the user or changed the password at the same time, and no session begins.
///
/// # Errors
/// Failures of the store.
pub fn complete_sign_in<R: SessionRepository + ?Sized>(
    repos: &mut R,
    pending_session: &Session,
    browser: &Browser,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<Option<SessionId>, StoreError> {
    if !repos.delete_session(pending_session.id)? {
        return Ok(None);
    }
    let stage = SessionStage::SignedIn;
    let id = start_session(
        repos,
        pending_session.user_id,
        stage,
        browser,
        lifetime,
        now,
    )?;
    Ok(Some(id))
}
