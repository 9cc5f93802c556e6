//! Changes of users to their own accounts, with entries in the audit log, and of administrators to those of others.
//! A revocation also revokes everything that depends on it, in the same transaction.

use accounts::flow::change_password::{ChangePassword, change_password};
use accounts::flow::check_password::{
    Attempt, PasswordOutcome, PasswordPolicy, VerifiedPassword, verify_password_attempt,
};
use accounts::flow::second_factor::{NewSecondFactor, disable_second_factor, enable_second_factor};
use accounts::flow::set_user_state::set_user_state;
use accounts::model::FailureKey;
use accounts::password::PasswordHash;
use accounts::{AuditEventName, User, UserState};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use projects::Viewer;
use storage::StoreError;

use super::account_mail::{OutgoingMail, announce_password_change};
use super::sign_in::end_others;
use super::users::{AccountEditor, record};
use crate::database::WriteTransaction;

/// Outcome of an operation that requires the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordConfirmed<T> {
    /// The password was right, and the operation was done.
    Done(T),
    /// The password was wrong. The failure was counted, and nothing was done.
    Wrong,
    /// Too many failures. Nothing was done.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// A password entered again, to confirm that the signed-in user is still the one at the keyboard.
#[derive(Debug, Clone)]
pub struct PasswordProof {
    /// The attempt, under the user's own login.
    pub attempt: Attempt,
    /// The password, if it was right.
    pub right: Option<VerifiedPassword>,
}

/// Changes a user's own password.
/// If the old password is right, all other sessions end and all OAuth grants are revoked: anyone who knew the old
/// password may have authorized one of them. Commit the transaction whatever the outcome.
///
/// # Errors
/// Failures of the store.
pub fn change_own_password(
    tx: &mut dyn WriteTransaction,
    request: ChangePassword,
    policy: &PasswordPolicy,
    mail: OutgoingMail,
) -> Result<PasswordConfirmed<()>, StoreError> {
    let now = request.attempt.now;
    Ok(match change_password(tx, request, policy)? {
        PasswordOutcome::Right(credentials) => {
            tx.revoke_grants_of_user(credentials.user.id, None, now)?;
            announce_password_change(tx, &credentials.user, mail, now)?;
            record_own(tx, &credentials.user, AuditEventName::PasswordChanged, now)?;
            PasswordConfirmed::Done(())
        }
        PasswordOutcome::Wrong => PasswordConfirmed::Wrong,
        PasswordOutcome::LockedOut { seconds } => PasswordConfirmed::LockedOut { seconds },
    })
}

/// Enables two-factor authentication, and ends the other sessions, which began without it. Commit the transaction
/// whatever the outcome.
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
    with_password(tx, proof, policy, |tx, user| {
        let enabled = enable_second_factor(tx, request)?;
        if enabled {
            end_others(tx, request.user_id, kept, now)?;
            record_own(tx, user, AuditEventName::SecondFactorEnabled, now)?;
        }
        Ok(enabled)
    })
}

/// Disables two-factor authentication. Commit the transaction whatever the outcome.
///
/// # Errors
/// Failures of the store.
pub fn switch_second_factor_off(
    tx: &mut dyn WriteTransaction,
    proof: PasswordProof,
    user_id: UserId,
    policy: &PasswordPolicy,
) -> Result<PasswordConfirmed<bool>, StoreError> {
    let now = proof.attempt.now;
    with_password(tx, proof, policy, |tx, user| {
        let disabled = disable_second_factor(tx, user_id)?;
        if disabled {
            record_own(tx, user, AuditEventName::SecondFactorDisabled, now)?;
        }
        Ok(disabled)
    })
}

/// Replaces the recovery codes; `false` if two-factor authentication is off. Commit the transaction whatever the
/// outcome.
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
    let now = proof.attempt.now;
    with_password(tx, proof, policy, |tx, user| {
        let renewed = tx.replace_recovery_codes(user_id, codes)?;
        if renewed {
            record_own(tx, user, AuditEventName::RecoveryCodesRenewed, now)?;
        }
        Ok(renewed)
    })
}

/// Records a change of a user to their own account.
fn record_own(
    tx: &mut dyn WriteTransaction,
    user: &User,
    event_name: AuditEventName,
    now: Timestamp,
) -> Result<(), StoreError> {
    let by = AccountEditor {
        id: Some(user.id),
        now,
    };
    let fields = [("username", user.username.as_str())];
    record(tx, user.id, event_name, &fields, by)
}

fn with_password<T>(
    tx: &mut dyn WriteTransaction,
    proof: PasswordProof,
    policy: &PasswordPolicy,
    work: impl FnOnce(&mut dyn WriteTransaction, &User) -> Result<T, StoreError>,
) -> Result<PasswordConfirmed<T>, StoreError> {
    Ok(
        match verify_password_attempt(tx, &proof.attempt, proof.right, policy)? {
            PasswordOutcome::Right(credentials) => {
                PasswordConfirmed::Done(work(tx, &credentials.user)?)
            }
            PasswordOutcome::Wrong => PasswordConfirmed::Wrong,
            PasswordOutcome::LockedOut { seconds } => PasswordConfirmed::LockedOut { seconds },
        },
    )
}

/// Blocks or unblocks an account; `false` if there is no such user, or it is a bot.
/// Blocking ends all sessions and revokes all OAuth grants.
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

/// True if a viewer may see the full profile and the activity of a user. A private profile is visible only to the user
/// and to administrators.
pub fn sees_profile(viewer: Viewer, user: &User) -> bool {
    let is_administrator = matches!(viewer, Viewer::Administrator(_));
    !user.private_profile || is_administrator || viewer.user_id() == Some(user.id)
}

/// Sets a new password on behalf of an administrator, who need not know the old one; `false`, with no password set, for
/// a bot.
/// All sessions end and all OAuth grants are revoked: someone else may have learned the old password. Failed sign-ins
/// by username or email address are reset, so that the new password works at once. Two-factor authentication stays on. The user
/// gets a message if there is `mail`.
///
/// # Errors
/// Failures of the store.
pub fn reset_password(
    tx: &mut dyn WriteTransaction,
    user: &User,
    new: &PasswordHash,
    mail: OutgoingMail,
    now: Timestamp,
) -> Result<bool, StoreError> {
    replace_password(tx, user, new, None, mail, now)
}

/// Sets a new password as [`reset_password`] does; `false` also if another password than `replaced` is the current one.
///
/// # Errors
/// Failures of the store.
pub(super) fn replace_password(
    tx: &mut dyn WriteTransaction,
    user: &User,
    new: &PasswordHash,
    replaced: Option<&PasswordHash>,
    mail: OutgoingMail,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if tx.find_credentials_of(user.id)?.is_none() {
        return Ok(false);
    }
    // Before the password, as in signing in: locking them in opposite orders would deadlock.
    tx.forget_failures(&FailureKey::Account(user.id.get()).digest())?;
    if !tx.set_password(user.id, new, replaced)? {
        return Ok(false);
    }
    tx.delete_sessions_of(user.id, None)?;
    tx.revoke_grants_of_user(user.id, None, now)?;
    announce_password_change(tx, user, mail, now)?;
    Ok(true)
}
