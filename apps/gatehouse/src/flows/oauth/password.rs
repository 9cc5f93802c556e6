//! A token for a user whose password was right, if nothing has changed since it was looked at.

use accounts::UserState;
use accounts::password::PasswordHash;
use oauth_provider::Policy;
use oauth_provider::flow::password::{PasswordGrant, grant_by_password};
use storage::StoreError;

use crate::database::WriteTransaction;

/// Issues a token for the user whose password had the hash `checked`. `false`, with nothing written, when the user is
/// blocked, has another password by now, or has switched a second factor on (`OAUTH-05`): checking the password took
/// a while, outside of any transaction.
///
/// # Errors
/// Failures of the store.
pub fn issue_by_password(
    tx: &mut dyn WriteTransaction,
    wish: &PasswordGrant,
    checked: &PasswordHash,
    policy: &Policy,
) -> Result<bool, StoreError> {
    let found = tx.find_credentials_of(wish.user_id)?;
    let unchanged = found.is_some_and(|found| {
        found.user.state == UserState::Active
            && found.second_factor.is_none()
            && found.password.as_ref() == Some(checked)
    });
    if unchanged {
        grant_by_password(tx, wish, policy)?;
    }
    Ok(unchanged)
}
