//! The store: where transactions begin and end.

use crate::{Capabilities, GroupWork, Pending, StoreError, StoreErrorKind};

/// Queue in which a read waits.
///
/// Reads of lists may take long. Without lanes, a few callers with large requests would delay all others, including the
/// writes that have to look something up first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Lane {
    /// Look-up by key that other requests wait for: a token, an endpoint, a revocation counter.
    /// This lane has threads of its own, so no list ever delays it. Never list in this lane.
    Check,
    /// Any other read.
    #[default]
    Shared,
    /// Any other read, for the caller with this number.
    /// However many such reads wait, the caller occupies at most half of the readers.
    Caller(u64),
}

/// Storage for the rows of domain crates.
///
/// An adapter owns its threads, its connections, and when transactions begin and commit. A caller hands over a
/// closure and gets a [`Pending`]; it never sees a connection. One transaction type implements the repository
/// traits of several crates, so work that spans two of them is one closure and commits or rolls back as one.
///
/// A wrapper around a store is an adapter too. It forwards every method that has no body here, and nothing else.
pub trait Store: Send + Sync + 'static {
    /// Transaction of a read closure.
    /// All its queries see the same state.
    type ReadTx<'t>: ?Sized;
    /// Transaction of a write closure.
    type WriteTx<'t>: ?Sized;

    /// Runs `work` in a read transaction, on a thread that the adapter owns and that serves this `lane`.
    ///
    /// A read has a deadline: one that takes longer fails with a retryable error, and the adapter stops the statement
    /// if its database can.
    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static;

    /// Runs `work` in a write transaction: `Ok` commits, `Err` rolls back.
    ///
    /// `work` may run more than once, because a database with several writers may abort a transaction that conflicts
    /// with another one; by then, the writes of the earlier run are rolled back. That is why it is `Fn`: it copies the
    /// values that it passes on, and has no side effects outside the transaction.
    ///
    /// An adapter with one writer may commit several closures together, but each is rolled back alone when it fails,
    /// and none is answered before the commit. A failed commit fails all of them with a retryable error. An adapter
    /// with several writers gives each closure its own transaction; otherwise, unrelated closures would hold each
    /// other's locks.
    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static;

    /// Writes `work`, possibly together with other values of the same type that arrived at about the same time.
    ///
    /// An adapter that gains nothing from grouping calls [`write_alone`](Self::write_alone).
    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>;

    /// Returns the capabilities of this adapter beyond the shared contract.
    fn capabilities(&self) -> Capabilities;

    /// Runs `work` in a read transaction of the [shared lane](Lane::Shared).
    fn read<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read_in(Lane::Shared, work)
    }

    /// Writes `work` as a group of one, which is always correct.
    /// For adapters that do not group, this is the body of [`write_grouped`](Self::write_grouped).
    fn write_alone<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.write(move |tx| {
            let outputs = W::run(tx, &[&work])?;
            let missing = || StoreError::new(StoreErrorKind::Internal, "run a group of one write");
            outputs
                .into_iter()
                .next()
                .ok_or_else(|| W::Error::from(missing()))
        })
    }
}
