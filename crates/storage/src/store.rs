//! The store: where transactions begin and end.

use crate::{Capabilities, GroupWork, Pending, StoreError, StoreErrorKind};

/// A place where domain crates keep their rows.
///
/// An adapter owns its threads, its connections, and when transactions begin and commit. A caller hands over a
/// closure and gets a [`Pending`]; it never sees a connection. One transaction type implements the repository
/// traits of several crates, so work that spans two of them is one closure and commits or rolls back as one.
pub trait Store: Send + Sync + 'static {
    /// What a read closure may do. All its queries see the same moment.
    type ReadTx<'t>: ?Sized;
    /// What a write closure may do.
    type WriteTx<'t>: ?Sized;

    /// Runs `work` in a read transaction, on a thread that the adapter owns.
    fn read<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static;

    /// Runs `work` in a write transaction: `Ok` commits, `Err` rolls back.
    ///
    /// The adapter may commit several closures together, but each is undone alone when it fails, and none is
    /// answered before the commit. A failed commit fails all of them with a retryable error.
    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static;

    /// Writes `work`, possibly together with other values of the same type that arrived at about the same time.
    ///
    /// The default writes each value alone, which is always right; an adapter overrides it for speed.
    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.write(move |tx| {
            let outputs = W::run(tx, &[&work])?;
            let missing =
                || StoreError::new(StoreErrorKind::Internal, "group of one gave no output");
            outputs
                .into_iter()
                .next()
                .ok_or_else(|| W::Error::from(missing()))
        })
    }

    /// What this adapter promises beyond the shared contract.
    fn capabilities(&self) -> Capabilities;
}
