//! Password changes by signed-in users.

use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check_password::{
    Attempt, PasswordOutcome, PasswordPolicy, VerifiedPassword, verify_password_attempt,
};
use crate::password::PasswordHash;
use crate::store::{AuditRepository, CredentialRepository, SessionRepository};

/// Request to change the password of a signed-in user.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChangePassword {
    /// Attempt to verify the old password, with the user's own login.
    pub attempt: Attempt,
    /// The old password, if it was verified.
    pub old: Option<VerifiedPassword>,
    /// Hash of the new password.
    pub new: PasswordHash,
    /// Session that requests the change. It stays alive, with a new cookie.
    pub session: SessionId,
    /// Digest of the new cookie.
    pub cookie: SecretDigest,
}

impl ChangePassword {
    /// Creates a request to set the hash `new`; the session continues with the cookie of this digest. If `old` is
    /// `None`, the old password was wrong and nothing changes.
    pub fn new(
        attempt: Attempt,
        old: Option<VerifiedPassword>,
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

/// Changes a password. If the old one is right, all other sessions end and this session gets a new cookie, so anyone
/// who knew the old password or held a cookie is signed out. The caller must revoke the grants of applications. Commit
/// the transaction on every outcome.
///
/// # Errors
/// Failures of the store.
pub fn change_password<R>(
    repos: &mut R,
    request: ChangePassword,
    policy: &PasswordPolicy,
) -> Result<PasswordOutcome, StoreError>
where
    R: CredentialRepository + SessionRepository + AuditRepository + ?Sized,
{
    // The new hash replaces the old one immediately, so there is no need to rehash the old one.
    let old = request.old.map(|old| VerifiedPassword {
        renewed: None,
        ..old
    });
    let outcome = verify_password_attempt(repos, &request.attempt, old, policy)?;
    if let PasswordOutcome::Right(credentials) = &outcome {
        let user_id = credentials.user.id;
        // A change by another transaction since the check makes the old password wrong.
        if !repos.set_password(user_id, &request.new, credentials.password.as_ref())? {
            return Ok(PasswordOutcome::Wrong);
        }
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
    // A session that ended concurrently stays ended; its user signs in with the new password.
    repos.renew_session(session, cookie, now).map(|_| ())
}
