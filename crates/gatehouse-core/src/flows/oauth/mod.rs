//! What the provider does together with accounts: tokens for users who may still act, and the end of all of them.

mod exchange;
mod password;
mod refresh;

use std::collections::HashMap;

pub use exchange::{ExchangeCode, Exchanged};
pub use password::{CheckedPassword, PasswordGranted, issue_by_password};
pub use refresh::{RefreshTokens, RefreshedTokens};

use accounts::{User, UserState};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use oauth_provider::Grant;
use storage::StoreError;

use crate::database::WriteTransaction;

/// The users of grants who may still act: it is checked each time that tokens are issued, not only when the user
/// agreed.
struct ActingUsers(HashMap<UserId, User>);

impl ActingUsers {
    /// Looks users up, all at once.
    fn find<Tx: WriteTransaction + ?Sized>(
        tx: &mut Tx,
        ids: impl Iterator<Item = UserId>,
    ) -> Result<Self, StoreError> {
        let mut ids: Vec<UserId> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        let users = match ids.as_slice() {
            [] => Vec::new(),
            [only] => tx.find_user(*only)?.into_iter().collect(),
            many => tx.list_users_by_id(many)?,
        };
        let acting = users
            .into_iter()
            .filter(|user| user.state == UserState::Active)
            .map(|user| (user.id, user));
        Ok(Self(acting.collect()))
    }

    /// The user of a grant. The grant of one who may not act is ended.
    fn of<Tx: WriteTransaction + ?Sized>(
        &self,
        tx: &mut Tx,
        grant: &Grant,
        now: Timestamp,
    ) -> Result<Option<User>, StoreError> {
        let user = self.0.get(&grant.user_id).cloned();
        if user.is_none() {
            tx.revoke_grant(grant.id, now)?;
        }
        Ok(user)
    }
}
