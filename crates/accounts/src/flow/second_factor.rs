//! The second factor: switching it on and off, and giving it.
//!
//! The secret is sealed by the host, so the host opens it and says which time step a password matches; what is verified
//! here is whether that is still true and was not used before.

use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{FailureKey, FailurePolicy, SecondFactor};
use crate::store::CredentialRepository;

/// What somebody gave as the second factor.
#[derive(Debug, Clone)]
pub enum Proof {
    /// The one-time password of this step, by the secret that is sealed here.
    TimeStep {
        /// The step.
        step: i64,
        /// The secret that it was computed from, sealed as it was read.
        sealed: Vec<u8>,
    },
    /// Something that may be a recovery code.
    RecoveryCode(SecretDigest),
    /// Something that can be neither.
    Nothing,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofOutcome {
    /// It is right, and spent from now on.
    Right,
    /// It is wrong, or was used before; the failure is counted.
    Wrong,
    /// Too many failures. Nothing is said about the proof, and nothing is spent.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
    /// The user has no second factor.
    Off,
}

/// Verifies a second factor and spends it. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn verify_second_factor<R: CredentialRepository + ?Sized>(
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
    // As with passwords, a try counts as a failure until it is known to be none.
    let counted = repos.count_failure(&key, policy.window_seconds, now)?;
    if let Some(seconds) = policy.lockout_seconds_after(counted, now) {
        return Ok(ProofOutcome::LockedOut { seconds });
    }
    if spend(repos, user_id, &factor, proof)? {
        repos.forget_failures(&key)?;
        return Ok(ProofOutcome::Right);
    }
    Ok(ProofOutcome::Wrong)
}

fn spend<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    factor: &SecondFactor,
    proof: &Proof,
) -> Result<bool, StoreError> {
    match proof {
        // The factor may have been replaced since the password was compared with it.
        Proof::TimeStep { sealed, .. } if *sealed != factor.sealed => Ok(false),
        Proof::TimeStep { step, .. } => repos.take_time_step(user_id, *step),
        Proof::RecoveryCode(digest) => repos.take_recovery_code(user_id, digest),
        Proof::Nothing => Ok(false),
    }
}

/// A second factor to be switched on, after a password by it was found right.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewSecondFactor {
    /// Whose.
    pub user_id: UserId,
    /// The secret, sealed.
    pub sealed: Vec<u8>,
    /// The step of the password that showed that the secret arrived. It is spent.
    pub step: i64,
    /// The digests of the recovery codes, which the caller made and shows once.
    pub recovery_codes: Vec<SecretDigest>,
    /// Now.
    pub now: Timestamp,
}

impl NewSecondFactor {
    /// A second factor by the secret that is `sealed`, of which the password of `step` was found right.
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

/// Switches the second factor on. What began without it is the caller's to end, afterwards: the user before its
/// sessions, as anyone who locks them does. `false`, and nothing done, when there is no such user.
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

/// Switches the second factor off. `false` when it was off.
///
/// # Errors
/// Failures of the store.
pub fn disable_second_factor<R: CredentialRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
) -> Result<bool, StoreError> {
    repos.delete_second_factor(user_id)
}
