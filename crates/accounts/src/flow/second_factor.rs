//! Second factor: enabling, disabling and verifying it.
//!
//! The host seals the secret, so the host opens it and reports which time step a password matches; this module verifies
//! that the match is still valid and unused.

use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::limit_audit::{CountedFailure, GuessedSecret};
use crate::model::{FailureKey, FailurePolicy, SecondFactor};
use crate::store::{AuditRepository, CredentialRepository};

/// Second factor as the user entered it.
#[derive(Debug, Clone)]
pub enum Proof {
    /// A one-time password of this time step, matched against the sealed secret.
    TimeStep {
        /// Time step.
        step: i64,
        /// Sealed secret that the password was matched against, as it was read.
        sealed: Vec<u8>,
    },
    /// Input that may be a recovery code.
    RecoveryCode(SecretDigest),
    /// Input that can be neither.
    Nothing,
}

/// Outcome of verifying a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofOutcome {
    /// The second factor is right and now used up.
    Right,
    /// The second factor is wrong or was used before; the failure is counted.
    Wrong,
    /// Too many failures. Says nothing about the proof and uses nothing up.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
    /// The user has no second factor.
    Off,
}

/// Verifies a second factor and uses it up. Commit the transaction on every outcome.
///
/// # Errors
/// Failures of the store.
pub fn verify_second_factor<R: CredentialRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    proof: &Proof,
    policy: FailurePolicy,
    now: Timestamp,
) -> Result<ProofOutcome, StoreError> {
    let key = FailureKey::SecondFactor(user_id.get()).digest();
    if let Some(seconds) = policy.lockout_seconds(repos.find_failures(&key)?, now) {
        return Ok(ProofOutcome::LockedOut { seconds });
    }
    let credentials = repos.find_credentials_of(user_id)?;
    let Some(factor) = credentials.and_then(|found| found.second_factor) else {
        return Ok(ProofOutcome::Off);
    };
    // As with passwords, an attempt counts as a failure until it is verified.
    let counted = repos.count_failure(&key, policy.window_seconds, now)?;
    if let Some(seconds) = policy.lockout_seconds_after(counted, now) {
        return Ok(ProofOutcome::LockedOut { seconds });
    }
    if use_up(repos, user_id, &factor, proof)? {
        repos.forget_failures(&key)?;
        return Ok(ProofOutcome::Right);
    }
    let failure = CountedFailure {
        guessed: GuessedSecret::SecondFactor,
        failures: counted,
        policy,
        now,
    };
    failure.record_of_account(repos, user_id)?;
    Ok(ProofOutcome::Wrong)
}

fn use_up<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    factor: &SecondFactor,
    proof: &Proof,
) -> Result<bool, StoreError> {
    match proof {
        // The factor may have been replaced since the password was matched against it.
        Proof::TimeStep { sealed, .. } if *sealed != factor.sealed => Ok(false),
        Proof::TimeStep { step, .. } => repos.take_time_step(user_id, *step),
        Proof::RecoveryCode(digest) => repos.take_recovery_code(user_id, digest),
        Proof::Nothing => Ok(false),
    }
}

/// Request to enable a second factor after one of its one-time passwords was verified.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewSecondFactor {
    /// User to enable it for.
    pub user_id: UserId,
    /// Sealed secret.
    pub sealed: Vec<u8>,
    /// Time step of the password that confirmed the setup. That password is used up.
    pub step: i64,
    /// Digests of the recovery codes. The caller generates the codes and shows them once.
    pub recovery_codes: Vec<SecretDigest>,
    /// Current time.
    pub now: Timestamp,
}

impl NewSecondFactor {
    /// Creates a request to enable the factor with the secret `sealed`, confirmed by the password of `step`.
    pub fn new(
        user_id: UserId,
        sealed: Vec<u8>,
        step: i64,
        recovery_codes: Vec<SecretDigest>,
        now: Timestamp,
    ) -> Self {
        Self {
            user_id,
            sealed,
            step,
            recovery_codes,
            now,
        }
    }
}

/// Enables the second factor. The caller must then end the sessions that began without it; lock the user before its
/// sessions, as everyone who locks both does. Returns `false` and does nothing if there is no such user.
///
/// # Errors
/// Failures of the store.
pub fn enable_second_factor<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    request: &NewSecondFactor,
) -> Result<bool, StoreError> {
    repos.put_second_factor(
        request.user_id,
        &request.sealed,
        request.step,
        &request.recovery_codes,
        request.now,
    )
}

/// Disables the second factor. Returns `false` if it was off.
///
/// # Errors
/// Failures of the store.
pub fn disable_second_factor<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
) -> Result<bool, StoreError> {
    repos.delete_second_factor(user_id)
}
