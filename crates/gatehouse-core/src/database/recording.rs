//! The transaction that records what is taken away in it.
//!
//! The trait of each repository lists which of its changes revoke something. Those are written here, with what they end; all others
//! are handed on. A program in which one is missing does not build, see [`TransactionWrapper`].

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

/// A write transaction that records what is taken away in it.
pub(super) struct Recording<'t> {
    tx: &'t mut (dyn WriteTransaction + 't),
    /// What every process is to learn.
    everywhere: BTreeSet<Revoked>,
    /// What this process is to learn. The others find it out by the age of their entries.
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

/// Something that a change took away.
enum End {
    /// To be told to every process.
    Everywhere(Revoked),
    /// Pairs that followed from this grant. That happens with every refresh, and the tokens of applications are kept for
    /// a second only, so other processes are not told.
    Pairs(GrantId),
}

impl<'t> Recording<'t> {
    /// Nothing is taken away yet.
    pub(super) fn over(tx: &'t mut (dyn WriteTransaction + 't)) -> Self {
        Self {
            tx,
            everywhere: BTreeSet::new(),
            here: BTreeSet::new(),
        }
    }

    /// Raises the authentication epoch, if something was taken away. It is the last thing in the transaction: all who do
    /// so wait for each other there. Gives what this process has to note after the commit.
    pub(super) fn settle(mut self) -> Result<Vec<Revoked>, StoreError> {
        let ended = self.everywhere.union(&self.here).copied().collect();
        let everywhere: Vec<Revoked> = std::mem::take(&mut self.everywhere).into_iter().collect();
        if !everywhere.is_empty() {
            self.tx.raise_auth_epoch(&everywhere)?;
        }
        Ok(ended)
    }

    /// The same for grouped work. The end of a grant does not raise the epoch there: other work in the same transaction
    /// may have to wait for rows yet, and other processes take its tokens for a second at most.
    pub(super) fn settle_group(mut self) -> Result<Vec<Revoked>, StoreError> {
        let is_grant = |revoked: &Revoked| matches!(revoked, Revoked::Grant(_));
        let (grants, others) = std::mem::take(&mut self.everywhere)
            .into_iter()
            .partition(is_grant);
        self.everywhere = others;
        self.here.extend::<BTreeSet<Revoked>>(grants);
        self.settle()
    }

    /// The transaction behind `dyn`, as flows get it. Every method is compiled for it here: a change that revokes something and
    /// that nobody wrote down fails the build of this crate, not only that of the program.
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

/// The change ends this, if it was done.
fn if_done(done: bool, revoked: Revoked) -> Option<End> {
    done.then_some(End::Everywhere(revoked))
}
