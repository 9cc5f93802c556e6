//! Codes and refresh tokens as work that a store may group: what arrives together shares its statements.
//!
//! [`ExchangeCode`] and [`RefreshToken`] are handed to [`Store::write_grouped`](storage::Store::write_grouped). Each asks the
//! host, in the same transaction, whether the user of the grant may still act: [`GrantUsers`] is that question. A host
//! that has no such state says [`EveryUser`].

mod exchange;
mod refresh;

use std::collections::HashMap;

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use exchange::{ExchangeCode, Exchanged};
pub use refresh::{RefreshToken, RefreshedTokens};

use crate::model::{Grant, TokenSubject};
use crate::store::GrantRepository;

/// The users whom a host knows: what it wants to have of one when tokens are issued.
pub trait GrantUsers: Send + 'static {
    /// What the host wants to have of a user, such as the name for an id token.
    type User: Clone + Send + 'static;
}

/// Which users may still act. It is asked each time that tokens are issued, not only when the user agreed.
pub trait FindGrantUsers<Tx: ?Sized>: GrantUsers {
    /// Those of the users who may act, each with what the host wants of it, in any order. The ids have no repeats. The
    /// grant of a user who is not among them is revoked.
    ///
    /// # Errors
    /// Failures of the store.
    fn find(&self, tx: &mut Tx, ids: &[UserId]) -> Result<Vec<(UserId, Self::User)>, StoreError>;
}

/// Every user may act, and nothing but the id is wanted of one.
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

/// The users of a group of grants who may act.
struct ActingUsers<U>(HashMap<UserId, U>);

impl<U: Clone> ActingUsers<U> {
    /// Looks up the users among the subjects, all at once.
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

    /// The user of a grant. The grant of one who may not act is revoked, as is one without a user: neither a code nor a
    /// refresh token leads to it.
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
