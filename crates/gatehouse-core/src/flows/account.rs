//! What users change about their own accounts, and administrators about those of others. What they revoke takes with it
//! everything that followed from it, in the same transaction.

use accounts::flow::change_password::{ChangePassword, change_password};
use accounts::flow::check_password::{
    Attempt, PasswordOutcome, PasswordPolicy, RightPassword, verify_password_attempt,
};
use accounts::flow::second_factor::{NewSecondFactor, disable_second_factor, enable_second_factor};
use accounts::flow::set_user_state::set_user_state;
use accounts::model::FailureKey;
use accounts::password::PasswordHash;
use accounts::{User, UserState};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use projects::Viewer;
use storage::StoreError;

use super::sign_in::end_others;
use crate::database::WriteTransaction;

/// What came of something that needed the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordConfirmed<T> {
    /// The password was right, and this was done.
    Done(T),
    /// It was wrong. The failure is counted, and nothing was done.
    Wrong,
    /// Too many failures. Nothing was done.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// A user's password, given again to show that it is still the user who sits there.
#[derive(Debug, Clone)]
pub struct PasswordProof {
    /// The attempt, under the user's own name.
    pub attempt: Attempt,
    /// The password, when it was found right.
    pub right: Option<RightPassword>,
}

/// Changes the password. With the old one right, other sessions end, and so does all that applications were permitted:
/// one of them may have been permitted by anyone who knew the old password. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn change_own_password(
    tx: &mut dyn WriteTransaction,
    request: ChangePassword,
    policy: &PasswordPolicy,
) -> Result<PasswordConfirmed<()>, StoreError> {
    let now = request.attempt.now;
    Ok(match change_password(tx, request, policy)? {
        PasswordOutcome::Right(credentials) => {
            tx.revoke_grants_of_user(credentials.user.id, None, now)?;
            PasswordConfirmed::Done(())
        }
        PasswordOutcome::Wrong => PasswordConfirmed::Wrong,
        PasswordOutcome::LockedOut { seconds } => PasswordConfirmed::LockedOut { seconds },
    })
}

/// Switches the second factor on, and ends the other sessions, which began without it. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn switch_second_factor_on(
    tx: &mut dyn WriteTransaction,
    proof: PasswordProof,
    request: &NewSecondFactor,
    kept: SessionId,
    policy: &PasswordPolicy,
) -> Result<PasswordConfirmed<bool>, StoreError> {
    let now = proof.attempt.now;
    with_password(tx, proof, policy, |tx| {
        let enabled = enable_second_factor(tx, request)?;
        if enabled {
            end_others(tx, request.user_id, kept, now)?;
        }
        Ok(enabled)
    })
}

/// Switches the second factor off. Every outcome is to be committed.
///
/// # Errors
/// Failures of the store.
pub fn switch_second_factor_off(
    tx: &mut dyn WriteTransaction,
    proof: PasswordProof,
    user_id: UserId,
    policy: &PasswordPolicy,
) -> Result<PasswordConfirmed<bool>, StoreError> {
    with_password(tx, proof, policy, |tx| disable_second_factor(tx, user_id))
}

/// Puts new recovery codes in place of the old ones; `false` when the second factor is off. Every outcome is to be
/// committed.
///
/// # Errors
/// Failures of the store.
pub fn renew_recovery_codes(
    tx: &mut dyn WriteTransaction,
    proof: PasswordProof,
    user_id: UserId,
    codes: &[SecretDigest],
    policy: &PasswordPolicy,
) -> Result<PasswordConfirmed<bool>, StoreError> {
    with_password(tx, proof, policy, |tx| {
        tx.replace_recovery_codes(user_id, codes)
    })
}

fn with_password<T>(
    tx: &mut dyn WriteTransaction,
    proof: PasswordProof,
    policy: &PasswordPolicy,
    work: impl FnOnce(&mut dyn WriteTransaction) -> Result<T, StoreError>,
) -> Result<PasswordConfirmed<T>, StoreError> {
    Ok(
        match verify_password_attempt(tx, &proof.attempt, proof.right, policy)? {
            PasswordOutcome::Right(_) => PasswordConfirmed::Done(work(tx)?),
            PasswordOutcome::Wrong => PasswordConfirmed::Wrong,
            PasswordOutcome::LockedOut { seconds } => PasswordConfirmed::LockedOut { seconds },
        },
    )
}

/// Blocks an account or lets it act again. Blocking ends its sessions and all that applications were permitted. `false`
/// when there is no such user, or it is a bot.
///
/// # Errors
/// Failures of the store.
pub fn change_user_state(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    state: UserState,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = set_user_state(tx, user_id, state)?;
    if changed && state != UserState::Active {
        tx.revoke_grants_of_user(user_id, None, now)?;
    }
    Ok(changed)
}

/// Whether a viewer sees what a user did, and the whole profile: of a private profile the user alone does, and administrators.
pub fn sees_profile(viewer: Viewer, user: &User) -> bool {
    let is_administrator = matches!(viewer, Viewer::Administrator(_));
    !user.private_profile || is_administrator || viewer.user_id() == Some(user.id)
}

/// Gives a user another password on behalf of an administrator, who need not know the old one. All sessions end, and so
/// does all that applications were permitted: anyone who needs another password may have lost the old one to somebody.
/// Failures to sign in by the username or the address are forgotten, so that the new one works at once. A second factor
/// stays. `false`, and nothing written, for a bot.
///
/// # Errors
/// Failures of the store.
pub fn reset_password(
    tx: &mut dyn WriteTransaction,
    user: &User,
    new: &PasswordHash,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if tx.find_credentials_of(user.id)?.is_none() {
        return Ok(false);
    }
    // Before the password, as in signing in: two who lock them the other way round would wait for each other.
    tx.forget_failures(&FailureKey::Account(user.id.get()).digest())?;
    if !tx.set_password(user.id, new)? {
        return Ok(false);
    }
    tx.delete_sessions_of(user.id, None)?;
    tx.revoke_grants_of_user(user.id, None, now)?;
    Ok(true)
}
