//! A store that is shared is a store.

use std::sync::Arc;

use crate::{Capabilities, GroupWork, Lane, Pending, Store, StoreError};

impl<S: Store + ?Sized> Store for Arc<S> {
    type ReadTx<'t> = S::ReadTx<'t>;
    type WriteTx<'t> = S::WriteTx<'t>;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        (**self).read_in(lane, work)
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        (**self).write(work)
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        (**self).write_grouped(work)
    }

    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }
}
