//! The store and its two kinds of transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind};

use crate::state::State;

/// A store in memory. It is empty when it is made and gone when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    committed: Mutex<Arc<State>>,
    writer: Mutex<()>,
}

/// A transaction over a [`State`]: one that is shared, or one that is the transaction's own.
///
/// The two kinds are one type with another reference inside, so that the queries are written once.
#[derive(Debug)]
pub struct MemoryTx<S>(pub(crate) S);

/// What a read closure gets: a look at what was committed when it began.
pub type MemoryReadTx<'t> = MemoryTx<&'t State>;

/// What a write closure gets: a copy of what is committed, for itself alone.
pub type MemoryWriteTx<'t> = MemoryTx<&'t mut State>;

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts what is committed in `other` in the place of everything that is committed here. With [`Clone`], a test takes
    /// its rows aside and comes back to them.
    pub fn restore(&self, other: &Self) {
        let _one_at_a_time = lock(&self.writer);
        let rows = Arc::clone(&other.committed());
        *self.committed() = rows;
    }

    /// All rows that are committed.
    #[cfg(all(test, feature = "projects"))]
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.committed())
    }

    fn committed(&self) -> MutexGuard<'_, Arc<State>> {
        lock(&self.committed)
    }
}

impl Clone for MemoryStore {
    /// A store of its own, in which the same is committed.
    fn clone(&self) -> Self {
        Self {
            committed: Mutex::new(Arc::clone(&self.committed())),
            writer: Mutex::default(),
        }
    }
}

/// No closure runs while a lock could be left half way, so a poisoned one is still good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a closure, and makes its panic an error.
fn run<T, E: From<StoreError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    // What the closure could leave half done is dropped with its transaction.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let panicked = StoreError::new(StoreErrorKind::Internal, "run a closure");
        Err(panicked.with_detail("it panicked").into())
    })
}

impl Store for MemoryStore {
    type ReadTx<'t> = MemoryReadTx<'t>;
    type WriteTx<'t> = MemoryWriteTx<'t>;

    /// Reads run on the caller's own thread, so there is nothing that one could wait for in a lane.
    fn read_in<T, E, F>(&self, _: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let snapshot = Arc::clone(&self.committed());
        Pending::ready(run(|| work(&mut MemoryTx(&snapshot))))
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let _one_at_a_time = lock(&self.writer);
        let mut copy = State::clone(&self.committed());
        let outcome = run(|| work(&mut MemoryTx(&mut copy)));
        if outcome.is_ok() {
            *self.committed() = Arc::new(copy);
        }
        Pending::ready(outcome)
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.write_alone(work)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            durable: false,
            concurrent_writers: false,
            multi_process: false,
        }
    }
}
