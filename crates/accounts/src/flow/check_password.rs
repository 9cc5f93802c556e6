//! Checking a password against guessing.
//!
//! The slow hash runs between two transactions, so a check has two halves: [`look_up`] says what to hash, and
//! [`verify_password_attempt`] says what came of it. The second half counts and decides in one transaction, so of any number of
//! guesses at the same time no more are answered than the policy allows: anyone who comes after the limit is refused
//! whether or not the password was right.

use std::time::Duration;

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::guess::{GuessOutcome, Keys, verify_guess};
use crate::model::{Credentials, FailureKey, FailurePolicy};
use crate::password::PasswordHash;
use crate::store::{CredentialQueries, CredentialRepository};

/// How often passwords may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PasswordPolicy {
    /// For one account, or one login that is nobody's.
    pub per_login: FailurePolicy,
    /// For one address, whatever the logins.
    pub per_address: FailurePolicy,
}

impl PasswordPolicy {
    /// A bound for one login and one for an address.
    pub const fn new(per_login: FailurePolicy, per_address: FailurePolicy) -> Self {
        Self {
            per_login,
            per_address,
        }
    }

    /// How long a failure counts at most.
    pub fn longest_window(&self) -> Duration {
        let seconds = self.per_login.window_seconds;
        let seconds = seconds.max(self.per_address.window_seconds);
        Duration::from_secs(seconds.unsigned_abs())
    }
}

/// Somebody who wants to be let in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Attempt {
    /// The login as it was typed: a username or an address for mail.
    pub login: String,
    /// The address of the client.
    pub address: String,
    /// Now.
    pub now: Timestamp,
}

impl Attempt {
    /// An attempt with this login from this address.
    pub fn new(login: impl Into<String>, address: impl Into<String>, now: Timestamp) -> Self {
        Self {
            login: login.into(),
            address: address.into(),
            now,
        }
    }

    /// Where failures are counted: for the account that the login names, whichever of its logins that is, and for the
    /// login itself where it names none.
    fn keys(&self, found: Option<&Credentials>) -> Keys {
        let own = match found {
            Some(found) => FailureKey::Account(found.user.id.get()),
            None => FailureKey::Login(&self.login),
        };
        Keys {
            own: own.digest(),
            address: FailureKey::Address(&self.address).digest(),
        }
    }
}

/// What the first half found.
#[derive(Debug, Clone)]
pub enum LookUp {
    /// Too many failures: nothing is hashed.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
    /// The user whom the login names, or nobody. For nobody, hash all the same, so that both take the same time.
    Found(Option<Box<Credentials>>),
}

/// The first half. Writes nothing.
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

/// A password that was found right.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RightPassword {
    /// Whose it is.
    pub user_id: UserId,
    /// The hash that it was checked against.
    pub checked: PasswordHash,
    /// A hash with the parameters of today, when that one has older ones.
    pub renewed: Option<PasswordHash>,
}

impl RightPassword {
    /// A password that was found right by this hash, which has the parameters of today.
    pub fn new(user_id: UserId, checked: PasswordHash) -> Self {
        Self {
            user_id,
            checked,
            renewed: None,
        }
    }
}

/// What became of the attempt.
#[derive(Debug, Clone)]
pub enum PasswordOutcome {
    /// The password is right, and these are the credentials with the hash that is kept. Failures of the account are
    /// forgotten. Whether the user may act,
    /// and whether a second factor is missing, is the caller's to see.
    Right(Box<Credentials>),
    /// It is wrong, or there is no such user; the failure is counted.
    Wrong,
    /// Too many failures. Nothing is said about the password.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// The second half. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn verify_password_attempt<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    attempt: &Attempt,
    right: Option<RightPassword>,
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

/// The user's credentials as they are now. The password may have been changed while the old one was hashed; then it
/// is as wrong as any other.
fn still_right<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    right: Option<RightPassword>,
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
    repos.set_password(right.user_id, &renewed)?;
    Ok(unchanged.map(|credentials| Credentials {
        password: Some(renewed),
        ..credentials
    }))
}

/// Locks a user whose password was verified right, and reads the credentials again: before the user was locked, they may have
/// changed. `None` when there is no such user any longer, or the password is another one. Anyone who takes a right away from
/// the user waits from now on, and then sees what is written for it.
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
