//! Transactions whose only error is the store's own.

use crate::{Lane, Pending, Store, StoreError};

/// Reads and writes whose only error type is [`StoreError`], as in most closures.
///
/// [`Store::read`] and [`Store::write`] accept closures with any error type, so a closure that ends in `Ok(…)` has to
/// name it. These methods fix the type. For closures with an error type of their own, use the methods of [`Store`].
///
/// ```no_run
/// use storage::{Store, StoreError, StoreExt as _};
///
/// # trait Counter { fn raise(&mut self) -> Result<i64, StoreError>; }
/// fn raise_twice<S>(store: &S) -> Result<i64, StoreError>
/// where
///     S: Store,
///     for<'t> S::WriteTx<'t>: Counter,
/// {
///     let raised = store.change(|tx| {
///         tx.raise()?;
///         tx.raise()
///     });
///     raised.wait()
/// }
/// ```
pub trait StoreExt: Store {
    /// Runs `work` in a read transaction of the [shared lane](Lane::Shared): see [`Store::read`].
    fn query<T, F>(&self, work: F) -> Pending<T, StoreError>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        self.read(work)
    }

    /// Runs `work` in a read transaction of a lane: see [`Store::read_in`].
    fn query_in<T, F>(&self, lane: Lane, work: F) -> Pending<T, StoreError>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        self.read_in(lane, work)
    }

    /// Runs `work` in a write transaction: `Ok` commits, `Err` rolls back. It may run more than once: see
    /// [`Store::write`].
    fn change<T, F>(&self, work: F) -> Pending<T, StoreError>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        self.write(work)
    }
}

impl<S: Store + ?Sized> StoreExt for S {}
