//! Changing one's password.

use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check_password::{
    Attempt, PasswordOutcome, PasswordPolicy, RightPassword, verify_password_attempt,
};
use crate::password::PasswordHash;
use crate::store::{CredentialRepository, SessionRepository};

/// Another password for a user who is signed in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChangePassword {
    /// The attempt to prove the old one, under the user's own name.
    pub attempt: Attempt,
    /// The old password, when it was found right.
    pub old: Option<RightPassword>,
    /// The hash of the new one.
    pub new: PasswordHash,
    /// The session in which it is changed. It stays, with another cookie.
    pub session: SessionId,
    /// The digest of that cookie.
    pub cookie: SecretDigest,
}

impl ChangePassword {
    /// The change to the hash `new`, in a session that goes on with the cookie of this digest. Without `old` nothing
    /// changes: the old password was wrong.
    pub fn new(
        attempt: Attempt,
        old: Option<RightPassword>,
        new: PasswordHash,
        session: SessionId,
        cookie: SecretDigest,
    ) -> Self {
        Self {
            attempt,
            old,
            new,
            session,
            cookie,
        }
    }
}

/// Changes a password. With the right old one, all other sessions end, and the session goes on with another cookie:
/// anyone who knew the old password or had a cookie is out. What applications were permitted is the caller's to end. Every
/// outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn change_password<R>(
    repos: &mut R,
    request: ChangePassword,
    policy: &PasswordPolicy,
) -> Result<PasswordOutcome, StoreError>
where
    R: CredentialRepository + SessionRepository + ?Sized,
{
    // The new hash follows at once, so an old one need not be renewed.
    let old = request.old.map(|old| RightPassword {
        renewed: None,
        ..old
    });
    let outcome = verify_password_attempt(repos, &request.attempt, old, policy)?;
    if let PasswordOutcome::Right(credentials) = &outcome {
        let user_id = credentials.user.id;
        repos.set_password(user_id, &request.new)?;
        repos.delete_sessions_of(user_id, Some(request.session))?;
        renew(repos, request.session, &request.cookie, request.attempt.now)?;
    }
    Ok(outcome)
}

fn renew<R: SessionRepository + ?Sized>(
    repos: &mut R,
    session: SessionId,
    cookie: &SecretDigest,
    now: Timestamp,
) -> Result<(), StoreError> {
    // A session that ended at the same time stays ended; its user signs in with the new password.
    repos.renew_session(session, cookie, now).map(|_| ())
}
