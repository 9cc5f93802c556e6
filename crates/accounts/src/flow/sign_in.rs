//! Sign-in after the password was verified.

use api_conventions::ids::SessionId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check_password::lock_credentials;
use super::sessions::{Browser, start_session};
use crate::model::{Credentials, Session, SessionLifetime, SessionStage, UserState};
use crate::store::{CredentialRepository, SessionRepository};

/// Request to sign in, after the password was verified.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SignInRequest {
    /// Credentials as [`verify_password_attempt`](super::check_password::verify_password_attempt) returned them.
    pub credentials: Credentials,
    /// Browser, with its new cookie.
    pub browser: Browser,
    /// Current session of the browser; it ends when the new one begins.
    pub replaced: Option<SessionId>,
    /// Current time.
    pub now: Timestamp,
}

impl SignInRequest {
    /// Creates a sign-in that replaces no session.
    pub fn new(credentials: Credentials, browser: Browser, now: Timestamp) -> Self {
        Self {
            credentials,
            browser,
            replaced: None,
            now,
        }
    }
}

/// Outcome of signing in with the right password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// The user is signed in.
    SignedIn(SessionId),
    /// The second factor is required next, in this session.
    SecondFactorMissing(SessionId),
    /// The account is blocked. Only a caller with the right password learns this. No session begins.
    Blocked,
    /// The password was changed after it was verified. No session begins.
    Outdated,
}

/// Starts a session for a user whose password was verified, and replaces the browser's current session. Locks the user,
/// so that a concurrent transaction that blocks the user or changes the password either comes first or ends this
/// session too. The caller must revoke what depended on the replaced session.
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

/// Starts the session that follows a second factor verified in the same transaction. Ends the pending session, whose
/// cookie was known before anyone was signed in with it. Returns `None` and starts no session if the pending one had
/// ended because the user was blocked or the password was changed concurrently.
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
