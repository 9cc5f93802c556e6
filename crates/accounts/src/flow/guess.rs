//! Limits on guessing.
//!
//! A guess counts as a failure until it is verified, and both happen in the same transaction. So concurrent guesses
//! never get more answers than the policy allows: every guess beyond the limit is refused, even a right one.

use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check_password::PasswordPolicy;
use super::limit_audit::{CountedFailure, GuessedSecret};
use crate::model::{FailureKey, FailurePolicy, Failures};
use crate::store::{AuditRepository, CredentialQueries, CredentialRepository};

/// Keys under which a guess is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailureKeys<'a> {
    /// Key of the account or application whose secret is guessed. A right guess resets these failures.
    pub(super) own: SecretDigest,
    /// Key of the client address, across all accounts or applications.
    pub(super) address: SecretDigest,
    /// Facts for the audit log.
    pub(super) subject: GuessSubject<'a>,
}

/// Account and address of a guess, and the secret that is guessed, as the audit log records them.
#[derive(Debug, Clone, Copy)]
pub(super) struct GuessSubject<'a> {
    /// Account, if the secret is that of one.
    pub(super) user: Option<UserId>,
    /// Address of the client.
    pub(super) address: &'a str,
    /// Kind of secret.
    pub(super) guessed: GuessedSecret,
}

impl FailureKeys<'_> {
    /// Returns the seconds until guessing may continue; `None` if it may continue now.
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

/// Outcome of a guess.
#[derive(Debug)]
pub(super) enum GuessOutcome<T> {
    /// The guess is right.
    Right(T),
    /// The guess is wrong and counted. Holds the address's failures so far.
    Wrong(Failures),
    /// Too many failures. Says nothing about the guess.
    LockedOut(i64),
}

/// Counts a guess and verifies it with `check`, unless the limit is reached. The guess that reaches a limit is recorded in
/// the audit log, others are not. Commit the transaction on every outcome.
///
/// # Errors
/// Failures of the store, and errors of `check`.
pub(super) fn verify_guess<R, T>(
    repos: &mut R,
    keys: &FailureKeys<'_>,
    policy: &PasswordPolicy,
    now: Timestamp,
    check: impl FnOnce(&mut R) -> Result<Option<T>, StoreError>,
) -> Result<GuessOutcome<T>, StoreError>
where
    R: CredentialRepository + AuditRepository + ?Sized,
{
    if let Some(seconds) = keys.lockout_seconds(repos, policy, now)? {
        return Ok(GuessOutcome::LockedOut(seconds));
    }
    // If transactions run concurrently, counting serializes those with the same key.
    let counted = repos.count_failure(&keys.own, policy.per_login.window_seconds, now)?;
    if let Some(seconds) = policy.per_login.lockout_seconds_after(counted, now) {
        return Ok(GuessOutcome::LockedOut(seconds));
    }
    let Some(right) = check(repos)? else {
        let window = policy.per_address.window_seconds;
        let failures = repos.count_failure(&keys.address, window, now)?;
        let subject = keys.subject;
        let failure = |failures, policy| CountedFailure {
            guessed: subject.guessed,
            failures,
            policy,
            now,
        };
        if let Some(user) = subject.user {
            failure(counted, policy.per_login).record_of_account(repos, user)?;
        }
        failure(failures, policy.per_address).record_of_address(repos, subject.address)?;
        return Ok(GuessOutcome::Wrong(failures));
    };
    repos.forget_failures(&keys.own)?;
    Ok(GuessOutcome::Right(right))
}

/// An attempt to authenticate as an application, with a secret that was already compared.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SecretGuess {
    /// `client_id` of the application as it was sent.
    pub client_id: String,
    /// Address of the client.
    pub address: String,
    /// True if the secret is right.
    pub is_right: bool,
    /// Current time.
    pub now: Timestamp,
}

impl SecretGuess {
    /// Creates an attempt by the client at `address` to authenticate as the application `client_id`.
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

/// Outcome of verifying an application's secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretOutcome {
    /// The secret is right. The failures of the application at this address are reset.
    Right,
    /// The secret is wrong, and the failure is counted.
    Wrong {
        /// True if the address is now locked out for every application.
        is_address_locked_out: bool,
    },
    /// Too many failures. Says nothing about the secret.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// Verifies the secret of an application within `policy`, which limits wrong secrets for one application at one address
/// and for one address overall. Commit the transaction on every outcome.
///
/// # Errors
/// Failures of the store.
pub fn verify_secret<R: CredentialRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    guess: &SecretGuess,
    policy: &PasswordPolicy,
) -> Result<SecretOutcome, StoreError> {
    let (client_id, address) = (guess.client_id.as_str(), guess.address.as_str());
    let keys = FailureKeys {
        own: FailureKey::Application { client_id, address }.digest(),
        address: FailureKey::ApplicationAddress(address).digest(),
        subject: GuessSubject {
            user: None,
            address,
            guessed: GuessedSecret::ApplicationSecret,
        },
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

/// Returns the seconds for which tokens from this address are refused, even valid ones; `None` if they are accepted.
///
/// # Errors
/// Failures of the store.
pub fn token_lockout_seconds<R: CredentialQueries + ?Sized>(
    repos: &mut R,
    address: &str,
    policy: &FailurePolicy,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let failures = repos.find_failures(&FailureKey::TokenAddress(address).digest())?;
    Ok(policy.lockout_seconds(failures, now))
}

/// Counts a wrong token that was sent from this address as the password of a program. Returns the same as
/// [`token_lockout_seconds`] from then on.
///
/// # Errors
/// Failures of the store.
pub fn count_wrong_token<R: CredentialRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    address: &str,
    policy: &FailurePolicy,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let key = FailureKey::TokenAddress(address).digest();
    let failures = repos.count_failure(&key, policy.window_seconds, now)?;
    let failure = CountedFailure {
        guessed: GuessedSecret::Token,
        failures,
        policy: *policy,
        now,
    };
    failure.record_of_address(repos, address)?;
    Ok(policy.lockout_seconds(Some(failures), now))
}

/// Returns the seconds for which invitations from this address are refused, even valid ones; `None` if they are accepted.
///
/// # Errors
/// Failures of the store.
pub fn invitation_lockout_seconds<R: CredentialQueries + ?Sized>(
    repos: &mut R,
    address: &str,
    policy: &FailurePolicy,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let failures = repos.find_failures(&FailureKey::InvitationAddress(address).digest())?;
    Ok(policy.lockout_seconds(failures, now))
}

/// Counts a link with an unknown, used or expired invitation that was opened from this address. Returns the same as
/// [`invitation_lockout_seconds`] from then on.
///
/// # Errors
/// Failures of the store.
pub fn count_wrong_invitation<R: CredentialRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    address: &str,
    policy: &FailurePolicy,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let key = FailureKey::InvitationAddress(address).digest();
    let failures = repos.count_failure(&key, policy.window_seconds, now)?;
    let failure = CountedFailure {
        guessed: GuessedSecret::Invitation,
        failures,
        policy: *policy,
        now,
    };
    failure.record_of_address(repos, address)?;
    Ok(policy.lockout_seconds(Some(failures), now))
}
