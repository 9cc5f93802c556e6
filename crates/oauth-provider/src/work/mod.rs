//! Code redemption and token refresh as work that a store may group: requests that arrive together share their
//! statements.
//!
//! Pass [`ExchangeCode`] and [`RefreshToken`] to [`Store::write_grouped`](storage::Store::write_grouped). In the same
//! transaction, each checks with the host, through [`GrantUsers`], whether the user of the grant may still act. A host
//! without such a state uses [`EveryUser`].

mod exchange;
mod refresh;

use std::collections::HashMap;

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use exchange::{CodeWorkOutcome, ExchangeCode};
pub use refresh::{RefreshToken, RefreshWorkOutcome};

use crate::model::{Grant, TokenSubject};
use crate::store::GrantRepository;

/// Data that a host needs about a user when tokens are issued.
pub trait GrantUsers: Send + 'static {
    /// Data about a user, such as the name for an id token.
    type User: Clone + Send + 'static;
}

/// Check for users who may still act, done each time that tokens are issued, not only when the user consented.
pub trait FindGrantUsers<Tx: ?Sized>: GrantUsers {
    /// Returns those users who may act, each with the host's data, in any order. The ids have no duplicates. The grants
    /// of users who are left out are revoked.
    ///
    /// # Errors
    /// Failures of the store.
    fn find(&self, tx: &mut Tx, ids: &[UserId]) -> Result<Vec<(UserId, Self::User)>, StoreError>;
}

/// Check that lets every user act, with only the id as data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EveryUser;

impl GrantUsers for EveryUser {
    type User = UserId;
}

impl<Tx: ?Sized> FindGrantUsers<Tx> for EveryUser {
    fn find(&self, _: &mut Tx, ids: &[UserId]) -> Result<Vec<(UserId, UserId)>, StoreError> {
        Ok(ids.iter().map(|id| (*id, *id)).collect())
    }
}

/// Users of a group of grants who may act.
struct ActingUsers<U>(HashMap<UserId, U>);

impl<U: Clone> ActingUsers<U> {
    /// Looks up all users among the subjects at once.
    fn find<Tx, F>(
        tx: &mut Tx,
        users: &F,
        subjects: impl Iterator<Item = TokenSubject>,
    ) -> Result<Self, StoreError>
    where
        Tx: ?Sized,
        F: FindGrantUsers<Tx, User = U>,
    {
        let user_of = |subject| match subject {
            TokenSubject::User { user_id, .. } => Some(user_id),
            TokenSubject::Application(_) => None,
        };
        let mut ids: Vec<UserId> = subjects.filter_map(user_of).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        Ok(Self(users.find(tx, &ids)?.into_iter().collect()))
    }

    /// Returns the user of a grant. Revokes the grant of a user who may not act, and a grant without a user, which no
    /// code or refresh token should have.
    fn of<Tx: GrantRepository + ?Sized>(
        &self,
        tx: &mut Tx,
        grant: &Grant,
        now: Timestamp,
    ) -> Result<Option<U>, StoreError> {
        let user = match grant.subject {
            TokenSubject::User { user_id, .. } => self.0.get(&user_id).cloned(),
            TokenSubject::Application(_) => None,
        };
        if user.is_none() {
            tx.revoke_grant(grant.id, now)?;
        }
        Ok(user)
    }
}
