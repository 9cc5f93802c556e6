//! Bounding how often somebody may guess.
//!
//! A guess counts as a failure until it is known to be none, and is verified in the same transaction. So of any number of
//! guesses at the same time no more are answered than the policy allows: anyone who comes after the limit is refused
//! whether or not the guess was right.

use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check_password::PasswordPolicy;
use crate::model::{FailureKey, Failures};
use crate::store::{CredentialQueries, CredentialRepository};

/// Under which keys a guess is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    /// What is guessed at. A right guess forgets these failures.
    pub(super) own: SecretDigest,
    /// Where the guesser is, whatever is guessed at.
    pub(super) address: SecretDigest,
}

impl Keys {
    /// The seconds until guessing may go on; `None` while it may.
    pub(super) fn lockout_seconds<R: CredentialQueries + ?Sized>(
        &self,
        repos: &mut R,
        policy: &PasswordPolicy,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let own = repos.find_failures(&self.own)?;
        let address = repos.find_failures(&self.address)?;
        let lockout = [
            policy.per_login.lockout_seconds(own, now),
            policy.per_address.lockout_seconds(address, now),
        ];
        Ok(lockout.into_iter().flatten().max())
    }
}

/// What became of a guess.
#[derive(Debug)]
pub(super) enum GuessOutcome<T> {
    /// It is right.
    Right(T),
    /// It is wrong, and counted; these are the failures of the address by now.
    Wrong(Failures),
    /// Too many failures. Nothing is said about the guess.
    LockedOut(i64),
}

/// Counts a guess and verifies it with `check`, unless there were too many. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store, and those of `check`.
pub(super) fn verify_guess<R, T>(
    repos: &mut R,
    keys: &Keys,
    policy: &PasswordPolicy,
    now: Timestamp,
    check: impl FnOnce(&mut R) -> Result<Option<T>, StoreError>,
) -> Result<GuessOutcome<T>, StoreError>
where
    R: CredentialRepository + ?Sized,
{
    if let Some(seconds) = keys.lockout_seconds(repos, policy, now)? {
        return Ok(GuessOutcome::LockedOut(seconds));
    }
    // Where transactions run side by side, the count puts those of one key in a row.
    let counted = repos.count_failure(&keys.own, policy.per_login.window_seconds, now)?;
    if let Some(seconds) = policy.per_login.lockout_seconds_after(counted, now) {
        return Ok(GuessOutcome::LockedOut(seconds));
    }
    let Some(right) = check(repos)? else {
        let window = policy.per_address.window_seconds;
        let failures = repos.count_failure(&keys.address, window, now)?;
        return Ok(GuessOutcome::Wrong(failures));
    };
    repos.forget_failures(&keys.own)?;
    Ok(GuessOutcome::Right(right))
}

/// Somebody who claims to be an application, with a secret that was compared already.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SecretGuess {
    /// The name of the application, as it was sent.
    pub client_id: String,
    /// The address of the user who claims it.
    pub address: String,
    /// Whether the secret is right.
    pub is_right: bool,
    /// Now.
    pub now: Timestamp,
}

impl SecretGuess {
    /// A secret that somebody at an address sent for an application, and whether it is right.
    pub fn new(
        client_id: impl Into<String>,
        address: impl Into<String>,
        is_right: bool,
        now: Timestamp,
    ) -> Self {
        Self {
            client_id: client_id.into(),
            address: address.into(),
            is_right,
            now,
        }
    }
}

/// What became of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretOutcome {
    /// It is right. Failures of the application at the address are forgotten.
    Right,
    /// It is wrong, and counted.
    Wrong {
        /// Whether the address may guess no more, whichever application it claims to be.
        is_address_locked_out: bool,
    },
    /// Too many failures. Nothing is said about the secret.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// Verifies the secret of an application, within `policy`: so many wrong ones for one application at one address, and so
/// many from one address. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn verify_secret<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    guess: &SecretGuess,
    policy: &PasswordPolicy,
) -> Result<SecretOutcome, StoreError> {
    let (client_id, address) = (guess.client_id.as_str(), guess.address.as_str());
    let keys = Keys {
        own: FailureKey::Application { client_id, address }.digest(),
        address: FailureKey::ApplicationAddress(address).digest(),
    };
    let check = |_: &mut R| Ok(guess.is_right.then_some(()));
    Ok(
        match verify_guess(repos, &keys, policy, guess.now, check)? {
            GuessOutcome::Right(()) => SecretOutcome::Right,
            GuessOutcome::Wrong(failures) => {
                let lockout = policy
                    .per_address
                    .lockout_seconds(Some(failures), guess.now);
                SecretOutcome::Wrong {
                    is_address_locked_out: lockout.is_some(),
                }
            }
            GuessOutcome::LockedOut(seconds) => SecretOutcome::LockedOut { seconds },
        },
    )
}
