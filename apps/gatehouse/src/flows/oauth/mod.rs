//! What the provider does together with accounts: tokens for users who may still act, and the end of all of them.

mod exchange;
mod password;
mod refresh;

pub use exchange::{Exchanged, exchange_code};
pub use password::{CheckedPassword, PasswordGranted, issue_by_password};
pub use refresh::{RefreshedTokens, refresh_tokens};

use accounts::{User, UserState};
use api_conventions::ids::{GrantId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::database::WriteTransaction;

/// The user of a grant, if it may still act. Otherwise the grant is ended: it is checked each time that tokens are
/// issued, not only when the user agreed.
fn acting_user(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    grant_id: GrantId,
    now: Timestamp,
) -> Result<Option<User>, StoreError> {
    let user = tx.find_user(user_id)?;
    let user = user.filter(|user| user.state == UserState::Active);
    if user.is_none() {
        tx.revoke_grant(grant_id, now)?;
    }
    Ok(user)
}
