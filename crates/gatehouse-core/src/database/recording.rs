//! The transaction wrapper that records revocations.
//!
//! The trait of each repository lists the changes that revoke something. They are implemented here, with what they
//! revoke; all other methods are forwarded. A program that misses one does not build, see [`TransactionWrapper`].

mod grants;
mod handed_on;
mod places;
mod users;

use std::collections::BTreeSet;

use accounts::Revoked;
use api_conventions::ids::GrantId;
use storage::{StoreError, TransactionWrapper};

#[cfg(test)]
use super::ReadTransaction;
use super::WriteTransaction;

/// A write transaction that records revocations.
pub(super) struct Recording<'t> {
    tx: &'t mut (dyn WriteTransaction + 't),
    /// Revocations for every process.
    everywhere: BTreeSet<Revoked>,
    /// Revocations for this process only. The others rely on the TTL of their entries.
    here: BTreeSet<Revoked>,
}

impl<'t> TransactionWrapper for Recording<'t> {
    type Inner = dyn WriteTransaction + 't;

    const HANDS_ON_REVOCATIONS: bool = false;

    fn inner(&mut self) -> &mut Self::Inner {
        self.tx
    }
}

/// A read transaction of known size, for the suites of the storage contract.
#[cfg(test)]
pub(super) struct Looking<'t>(pub(super) &'t mut (dyn ReadTransaction + 't));

#[cfg(test)]
impl<'t> TransactionWrapper for Looking<'t> {
    type Inner = dyn ReadTransaction + 't;

    const HANDS_ON_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut Self::Inner {
        self.0
    }
}

/// A revocation caused by a change.
enum End {
    /// A revocation for every process.
    Everywhere(Revoked),
    /// Token pairs of this grant.
    /// Every refresh revokes some, and OAuth access tokens are cached for only a second, so other processes are not
    /// informed.
    Pairs(GrantId),
}

impl<'t> Recording<'t> {
    /// Wraps a transaction in which nothing has been revoked yet.
    pub(super) fn over(tx: &'t mut (dyn WriteTransaction + 't)) -> Self {
        Self {
            tx,
            everywhere: BTreeSet::new(),
            here: BTreeSet::new(),
        }
    }

    /// Raises the authentication epoch if something was revoked, and returns what this process must record after the
    /// commit.
    /// Must come last in the transaction: transactions that raise the epoch wait for each other there.
    pub(super) fn settle(mut self) -> Result<Vec<Revoked>, StoreError> {
        let ended = self.everywhere.union(&self.here).copied().collect();
        let everywhere: Vec<Revoked> = std::mem::take(&mut self.everywhere).into_iter().collect();
        if !everywhere.is_empty() {
            self.tx.raise_auth_epoch(&everywhere)?;
        }
        Ok(ended)
    }

    /// Finishes grouped work, as [`Self::settle`] does for a single write.
    /// The revocation of a grant does not raise the epoch here: other work in the same transaction may still have to
    /// wait for rows, and other processes accept its tokens for at most a second.
    pub(super) fn settle_group(mut self) -> Result<Vec<Revoked>, StoreError> {
        let is_grant = |revoked: &Revoked| matches!(revoked, Revoked::Grant(_));
        let (grants, others) = std::mem::take(&mut self.everywhere)
            .into_iter()
            .partition(is_grant);
        self.everywhere = others;
        self.here.extend::<BTreeSet<Revoked>>(grants);
        self.settle()
    }

    /// Returns the transaction behind `dyn`, as flows receive it.
    /// Every method is instantiated for it here, so a change that revokes something but is not implemented here fails
    /// the build of this crate, not only that of the program.
    pub(super) fn as_transaction(&mut self) -> &mut (dyn WriteTransaction + '_) {
        self
    }

    fn record(&mut self, ends: impl IntoIterator<Item = End>) {
        for end in ends {
            match end {
                End::Everywhere(revoked) => self.everywhere.insert(revoked),
                End::Pairs(grant) => self.here.insert(Revoked::Grant(grant)),
            };
        }
    }
}

/// Returns the revocation if the change was applied.
fn if_done(done: bool, revoked: Revoked) -> Option<End> {
    done.then_some(End::Everywhere(revoked))
}
