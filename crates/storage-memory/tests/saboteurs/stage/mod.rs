//! The stage: the store in memory, with a hook wherever a saboteur may do something else.

mod hooks;

pub(crate) use hooks::Saboteur;

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use storage::{Capabilities, GroupWork, Pending, Store, StoreError};
use storage_conformance::Harness;
use storage_conformance::marks::EventMarks;
use storage_conformance::reach::{AllQueries, AllRepositories};
use storage_memory::MemoryStore;

/// What a saboteur has at hand besides the transaction.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// The rows that are committed.
    pub(crate) rows: Arc<MemoryStore>,
    /// Rows that nobody else sees.
    pub(crate) scratch: Arc<MemoryStore>,
    /// Something to remember between two calls.
    pub(crate) flag: Arc<AtomicBool>,
}

/// A hook's view of a transaction of either kind.
pub(crate) struct Reading<'a> {
    pub(crate) tx: &'a mut dyn AllQueries,
    pub(crate) rows: &'a Arc<MemoryStore>,
}

/// A hook's view of a write transaction.
pub(crate) struct Writing<'a> {
    pub(crate) tx: &'a mut dyn AllRepositories,
    pub(crate) rows: &'a Arc<MemoryStore>,
}

/// A read transaction that a saboteur stands in.
pub(crate) struct SpoiltRead<'t, F> {
    tx: &'t mut (dyn AllQueries + 't),
    rows: Arc<MemoryStore>,
    saboteur: PhantomData<F>,
}

/// A write transaction that a saboteur stands in.
pub(crate) struct SpoiltWrite<'t, F> {
    tx: &'t mut (dyn AllRepositories + 't),
    rows: Arc<MemoryStore>,
    saboteur: PhantomData<F>,
}

impl<F> SpoiltRead<'_, F> {
    fn reading(&mut self) -> Reading<'_> {
        Reading {
            tx: self.tx,
            rows: &self.rows,
        }
    }
}

impl<F> SpoiltWrite<'_, F> {
    fn reading(&mut self) -> Reading<'_> {
        Reading {
            tx: self.tx,
            rows: &self.rows,
        }
    }

    fn writing(&mut self) -> Writing<'_> {
        Writing {
            tx: self.tx,
            rows: &self.rows,
        }
    }
}

impl Stage {
    /// Runs a write as it should be.
    pub(crate) fn write<F, T, E, W>(&self, work: W) -> Pending<T, E>
    where
        F: Saboteur,
        W: for<'t> FnOnce(&mut SpoiltWrite<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        Self::write_on(&self.rows, Arc::clone(&self.rows), work)
    }

    /// Runs a write on `store`, with `rows` at hand for the hooks.
    pub(crate) fn write_on<F, T, E, W>(
        store: &MemoryStore,
        rows: Arc<MemoryStore>,
        work: W,
    ) -> Pending<T, E>
    where
        F: Saboteur,
        W: for<'t> FnOnce(&mut SpoiltWrite<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        store.write(move |tx| {
            work(&mut SpoiltWrite {
                tx,
                rows,
                saboteur: PhantomData,
            })
        })
    }

    /// Runs a read as it should be.
    pub(crate) fn read<F, T, E, W>(&self, work: W) -> Pending<T, E>
    where
        F: Saboteur,
        W: for<'t> FnOnce(&mut SpoiltRead<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let rows = Arc::clone(&self.rows);
        self.rows.read(move |tx| {
            work(&mut SpoiltRead {
                tx,
                rows,
                saboteur: PhantomData,
            })
        })
    }
}

/// A store that a saboteur stands in, with its stage.
pub(crate) struct Spoilt<F> {
    stage: Stage,
    saboteur: PhantomData<fn() -> F>,
}

impl<F> Spoilt<F> {
    fn on(stage: Stage) -> Self {
        Self {
            stage,
            saboteur: PhantomData,
        }
    }
}

impl<F: Saboteur> Store for Spoilt<F> {
    type ReadTx<'t> = SpoiltRead<'t, F>;
    type WriteTx<'t> = SpoiltWrite<'t, F>;

    fn read<T, E, W>(&self, work: W) -> Pending<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltRead<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        F::read(&self.stage, work)
    }

    fn write<T, E, W>(&self, work: W) -> Pending<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltWrite<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        F::write(&self.stage, work)
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<SpoiltWrite<'t, F>>,
    {
        self.write(move |tx| Ok(F::group(tx, &work)?.pop().unwrap()))
    }

    /// The rows outlive this store and are shared by others, as far as one process can play that.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            durable: true,
            concurrent_writers: false,
            multi_process: true,
        }
    }
}

/// The harness of a store that a saboteur stands in.
pub(crate) struct Theatre<F>(Spoilt<F>);

impl<F: Saboteur> Harness for Theatre<F> {
    type Store = Spoilt<F>;
    type Marks = EventMarks;

    fn fresh() -> Option<Self> {
        Some(Self(Spoilt::on(Stage::default())))
    }

    fn store(&self) -> &Spoilt<F> {
        &self.0
    }

    fn reopen(&mut self) {
        self.0 = Spoilt::on(F::reopen(&self.0.stage));
    }

    fn open_again(&self) -> Spoilt<F> {
        Spoilt::on(F::open_again(&self.0.stage))
    }
}
