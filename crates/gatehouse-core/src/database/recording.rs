//! The transaction that records what is taken away in it.
//!
//! Every change that a repository offers stands here with what it ends. A method that is added to a repository does not
//! compile before somebody has said that here, too.

mod alerts;
mod deprecations;
mod errors;
mod grants;
mod pipelines;
mod places;
mod users;

use std::collections::BTreeSet;

use accounts::Revoked;
use api_conventions::ids::GrantId;
use storage::StoreError;

use super::WriteTransaction;

/// A write transaction that records what is taken away in it.
pub(super) struct Recording<'t> {
    tx: &'t mut (dyn WriteTransaction + 't),
    /// What every process is to learn.
    everywhere: BTreeSet<Revoked>,
    /// What this process is to learn. The others find it out by the age of their entries.
    here: BTreeSet<Revoked>,
}

/// A read transaction of known size, for the suites of the storage contract.
#[cfg(test)]
pub(super) struct Looking<'t>(&'t mut (dyn super::ReadTransaction + 't));

#[cfg(test)]
impl<'t> Looking<'t> {
    /// It hands everything on.
    pub(super) fn over(tx: &'t mut (dyn super::ReadTransaction + 't)) -> Self {
        Self(tx)
    }

    /// The transaction that looks.
    pub(super) fn inner(&mut self) -> &mut (dyn super::ReadTransaction + 't) {
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

    /// The transaction inside, past the record. It is for changes that end nothing.
    pub(super) fn inner(&mut self) -> &mut (dyn WriteTransaction + 't) {
        self.tx
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

/// What a change ended.
fn ends_of<T: ?Sized, I>(outcome: &T, ends: impl FnOnce(&T) -> I) -> I {
    ends(outcome)
}

/// The change ends nothing that is remembered, or nothing that time has not ended already.
fn nothing<T: ?Sized>(_: &T) -> Option<End> {
    None
}

/// The change ends this, if it was done.
fn if_done(done: bool, revoked: Revoked) -> Option<End> {
    done.then_some(End::Everywhere(revoked))
}

/// Implements the traits of queries by handing on, and those of changes by handing on and recording what they end.
macro_rules! recorded {
    (
        $( queries $queries:ident { $( fn $query:ident($($q:ident: $q_type:ty),* $(,)?) -> $q_gives:ty; )+ } )+
        $( changes $changes:ident {
            $( fn $change:ident($($c:ident: $c_type:ty),* $(,)?) -> $c_gives:ty, ends $ends:expr; )+
        } )+
    ) => {
        $( impl $queries for Recording<'_> {
            $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                self.tx.$query($($q),*)
            } )+
        } )+

        $( #[cfg(test)]
        impl $queries for Looking<'_> {
            $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                self.0.$query($($q),*)
            } )+
        } )+

        $( impl $changes for Recording<'_> {
            $( fn $change(&mut self, $($c: $c_type),*) -> Result<$c_gives, StoreError> {
                let outcome = self.tx.$change($($c),*)?;
                self.record(ends_of(&outcome, $ends));
                Ok(outcome)
            } )+
        } )+
    };
}

use recorded;
