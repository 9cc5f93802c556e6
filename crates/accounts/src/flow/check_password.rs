//! Password checks with protection against guessing.
//!
//! The slow hash runs between two transactions, so a check has two halves: [`look_up`] finds the hash to verify
//! against, and [`verify_password_attempt`] decides on the result. The second half counts and decides in one
//! transaction, so concurrent guesses never get more answers than the policy allows: every attempt beyond the limit is
//! refused, even with the right password.

use std::time::Duration;

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::guess::{FailureKeys, GuessOutcome, GuessSubject, verify_guess};
use super::limit_audit::GuessedSecret;
use crate::model::{Credentials, FailureKey, FailurePolicy};
use crate::password::PasswordHash;
use crate::store::{AuditRepository, CredentialQueries, CredentialRepository};

/// Limits on wrong passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PasswordPolicy {
    /// Limit for one account, or for one login that belongs to no account.
    pub per_login: FailurePolicy,
    /// Limit for one address, across all logins.
    pub per_address: FailurePolicy,
}

impl PasswordPolicy {
    /// Creates a policy with a limit for each login and one for each address.
    pub const fn new(per_login: FailurePolicy, per_address: FailurePolicy) -> Self {
        Self {
            per_login,
            per_address,
        }
    }

    /// Longest time for which a failure counts.
    pub fn longest_window(&self) -> Duration {
        let seconds = self.per_login.window_seconds;
        let seconds = seconds.max(self.per_address.window_seconds);
        Duration::from_secs(seconds.unsigned_abs())
    }
}

/// Attempt to sign in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Attempt {
    /// Login as typed: a username or an email address.
    pub login: String,
    /// The address of the client.
    pub address: String,
    /// Current time.
    pub now: Timestamp,
}

impl Attempt {
    /// Creates an attempt with this login from this address.
    pub fn new(login: impl Into<String>, address: impl Into<String>, now: Timestamp) -> Self {
        Self {
            login: login.into(),
            address: address.into(),
            now,
        }
    }

    /// Keys under which failures are counted: the account if the login names one (so all of its logins share a count),
    /// otherwise the login itself.
    fn keys(&self, found: Option<&Credentials>) -> FailureKeys<'_> {
        let own = match found {
            Some(found) => FailureKey::Account(found.user.id.get()),
            None => FailureKey::Login(&self.login),
        };
        FailureKeys {
            own: own.digest(),
            address: FailureKey::Address(&self.address).digest(),
            subject: GuessSubject {
                user: found.map(|found| found.user.id),
                address: &self.address,
                guessed: GuessedSecret::Password,
            },
        }
    }
}

/// Result of the first half.
#[derive(Debug, Clone)]
pub enum LookUp {
    /// Too many failures; skip hashing.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
    /// Credentials of the user with this login, if any. Hash in both cases, so that both take the same time.
    Found(Option<Box<Credentials>>),
}

/// Looks up the credentials for an attempt: the first half of a check. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn look_up<R: CredentialQueries + ?Sized>(
    repos: &mut R,
    attempt: &Attempt,
    policy: &PasswordPolicy,
) -> Result<LookUp, StoreError> {
    let found = repos.find_credentials(attempt.login.trim())?;
    let keys = attempt.keys(found.as_ref());
    Ok(match keys.lockout_seconds(repos, policy, attempt.now)? {
        Some(seconds) => LookUp::LockedOut { seconds },
        None => LookUp::Found(found.map(Box::new)),
    })
}

/// A password that was verified.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VerifiedPassword {
    /// Owner of the password.
    pub user_id: UserId,
    /// Hash that the password was checked against.
    pub checked: PasswordHash,
    /// New hash with the current parameters, if `checked` has older ones.
    pub renewed: Option<PasswordHash>,
}

impl VerifiedPassword {
    /// Creates a verified password whose hash has the current parameters.
    pub fn new(user_id: UserId, checked: PasswordHash) -> Self {
        Self {
            user_id,
            checked,
            renewed: None,
        }
    }
}

/// Outcome of an attempt.
#[derive(Debug, Clone)]
pub enum PasswordOutcome {
    /// The password is right. Holds the credentials with the stored hash; the failures of the account are reset. The
    /// caller must check that the user is active and whether a second factor is still required.
    Right(Box<Credentials>),
    /// The password is wrong, or there is no such user; the failure is counted.
    Wrong,
    /// Too many failures. Says nothing about the password.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// Decides on an attempt: the second half of a check. Commit the transaction on every outcome.
///
/// # Errors
/// Failures of the store.
pub fn verify_password_attempt<R: CredentialRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    attempt: &Attempt,
    right: Option<VerifiedPassword>,
    policy: &PasswordPolicy,
) -> Result<PasswordOutcome, StoreError> {
    let found = repos.find_credentials(attempt.login.trim())?;
    let keys = attempt.keys(found.as_ref());
    let check = |repos: &mut R| still_right(repos, right);
    Ok(
        match verify_guess(repos, &keys, policy, attempt.now, check)? {
            GuessOutcome::Right(credentials) => PasswordOutcome::Right(Box::new(credentials)),
            GuessOutcome::Wrong(_) => PasswordOutcome::Wrong,
            GuessOutcome::LockedOut(seconds) => PasswordOutcome::LockedOut { seconds },
        },
    )
}

/// Returns the user's current credentials if the password is still right. If it was changed while the old one was being
/// hashed, the attempt is as wrong as any other.
fn still_right<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    right: Option<VerifiedPassword>,
) -> Result<Option<Credentials>, StoreError> {
    let Some(right) = right else {
        return Ok(None);
    };
    let found = repos.find_credentials_of(right.user_id)?;
    let unchanged =
        found.filter(|credentials| credentials.password.as_ref() == Some(&right.checked));
    let Some(renewed) = right.renewed.filter(|_| unchanged.is_some()) else {
        return Ok(unchanged);
    };
    if !repos.set_password(right.user_id, &renewed, Some(&right.checked))? {
        return Ok(None);
    }
    Ok(unchanged.map(|credentials| Credentials {
        password: Some(renewed),
        ..credentials
    }))
}

/// Locks a user whose password was verified and rereads the credentials, which may have changed before the lock.
/// Returns `None` if the user no longer exists or the password was changed. Concurrent transactions that revoke access
/// from this user now wait, and then see everything written for the user here.
///
/// # Errors
/// Failures of the store.
pub fn lock_credentials<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    verified: &Credentials,
) -> Result<Option<Credentials>, StoreError> {
    if !repos.lock_user(verified.user.id)? {
        return Ok(None);
    }
    let found = repos.find_credentials_of(verified.user.id)?;
    Ok(found.filter(|found| found.password == verified.password))
}
