//! The OAuth provider combined with accounts: tokens for users with an active account, and entries in the audit log for the
//! applications that users authorize.

mod authorization;
mod password;

pub use authorization::{authorize_application, authorize_without_consent, revoke_authorization};
pub use password::{CheckedPassword, PasswordGranted, issue_by_password};

use accounts::{User, UserState};
use api_conventions::ids::UserId;
use oauth_provider::work::{self, FindGrantUsers, GrantUsers};
use storage::StoreError;

use crate::database::ReadTransaction;

/// An authorization code to be exchanged for tokens of a user with an active account.
pub type CodeExchange = work::ExchangeCode<ActiveAccounts>;
/// Outcome of exchanging a code.
pub type CodeExchangeOutcome = work::CodeWorkOutcome<User>;
/// A refresh token of a user with an active account, to be exchanged for new tokens.
pub type TokenRefresh = work::RefreshToken<ActiveAccounts>;
/// Outcome of exchanging a refresh token.
pub type TokenRefreshOutcome = work::RefreshWorkOutcome<User>;

/// Lookup of the users of grants, limited to active accounts.
#[derive(Debug, Clone, Copy, Default)]
pub struct ActiveAccounts;

impl GrantUsers for ActiveAccounts {
    type User = User;
}

impl<Tx: ReadTransaction + ?Sized> FindGrantUsers<Tx> for ActiveAccounts {
    fn find(&self, tx: &mut Tx, ids: &[UserId]) -> Result<Vec<(UserId, User)>, StoreError> {
        let users = match ids {
            [only] => tx.find_user(*only)?.into_iter().collect(),
            many => tx.list_users_by_id(many)?,
        };
        let acting = users
            .into_iter()
            .filter(|user| user.state == UserState::Active);
        Ok(acting.map(|user| (user.id, user)).collect())
    }
}
