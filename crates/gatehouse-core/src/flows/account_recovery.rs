//! Help of administrators for users who lost a password or a second factor, with entries in the audit log.

use accounts::flow::find_user::find_present_user;
use accounts::flow::second_factor::disable_second_factor;
use accounts::password::PasswordHash;
use accounts::{AuditEventName, User};
use api_conventions::ids::UserId;
use storage::StoreError;

use super::account::reset_password;
use super::account_mail::{OutgoingMail, is_reachable};
use super::forgotten_password::request_password_reset;
use super::users::{AccountEditor, StateChangeError, lock_administrator, record};
use crate::database::WriteTransaction;
use crate::vault::Vault;

/// Sets a new password: see [`reset_password`] for what ends with it.
///
/// # Errors
/// See [`StateChangeError`]: also for bots, and for the author's own account.
pub fn set_password_of(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    new: &PasswordHash,
    mail: OutgoingMail,
    by: AccountEditor,
) -> Result<(), StateChangeError> {
    let user = find_other(tx, id, by)?;
    if !reset_password(tx, &user, new, mail, by.now)? {
        return Err(StateChangeError::Refused("bots have no password"));
    }
    // After the password, because failure counters are locked before users.
    lock_administrator(tx, by)?;
    record_recovery(tx, &user, "password", by)
}

/// Turns off two-factor authentication. The sessions of the user stay: they began with the second factor.
///
/// # Errors
/// See [`StateChangeError`]: also if two-factor authentication is off, and for the author's own account.
pub fn disable_second_factor_of(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    by: AccountEditor,
) -> Result<(), StateChangeError> {
    let user = find_other(tx, id, by)?;
    lock_administrator(tx, by)?;
    if !disable_second_factor(tx, id)? {
        return Err(StateChangeError::Refused(
            "the user does not use two-factor authentication",
        ));
    }
    record_recovery(tx, &user, "two-factor authentication", by)
}

/// Sends the user a link to choose a new password: see [`request_password_reset`].
///
/// # Errors
/// See [`StateChangeError`]: also if the account is not active, if a message to the user waits or too many were sent, and for the
/// author's own account.
pub fn send_password_link_to(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    vault: &Vault,
    base: &str,
    by: AccountEditor,
) -> Result<(), StateChangeError> {
    let user = find_other(tx, id, by)?;
    lock_administrator(tx, by)?;
    if !is_reachable(&user) {
        return Err(StateChangeError::Refused(
            "only active users with an email address can be sent a link",
        ));
    }
    if !request_password_reset(tx, vault, user.username.as_str(), base, by.now)? {
        return Err(StateChangeError::Refused(
            "no link was sent: a message to the user waits, or too many were sent in the last hour",
        ));
    }
    record_recovery(tx, &user, "link to choose a password", by)
}

/// Returns a user other than the author: administrators change their own account on their profile, which asks for their password.
fn find_other(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    by: AccountEditor,
) -> Result<User, StateChangeError> {
    if by.id == Some(id) {
        return Err(StateChangeError::Refused(
            "change your own account on your profile",
        ));
    }
    find_present_user(tx, id)?.ok_or(StateChangeError::Unknown)
}

fn record_recovery(
    tx: &mut dyn WriteTransaction,
    user: &User,
    changed: &str,
    by: AccountEditor,
) -> Result<(), StateChangeError> {
    let fields = [("username", user.username.as_str()), ("changed", changed)];
    let recorded: Result<(), StoreError> =
        record(tx, user.id, AuditEventName::UserUpdated, &fields, by);
    Ok(recorded?)
}
