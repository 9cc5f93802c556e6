//! The stage: the store in memory, with a hook wherever a saboteur may do something else.
//!
//! There is one type of store for all saboteurs, so that the suites are compiled once and not once for each of them.

mod hidden;
mod hooks;

pub(crate) use hidden::{Answer, Failure, Outcome, ReadWork, WriteWork};
pub(crate) use hooks::Saboteur;

use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use hidden::{hide, show};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError};
use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::store_traits::{AllQueries, AllRepositories};
use storage_memory::MemoryStore;

/// The store with nothing wrong.
pub(crate) struct Honest;

impl Saboteur for Honest {}

/// A saboteur, with what it has at hand besides the transaction.
#[derive(Clone)]
pub(crate) struct Stage {
    saboteur: Arc<dyn Saboteur>,
    /// The rows that are committed.
    pub(crate) rows: Arc<MemoryStore>,
    /// Rows that nobody else sees.
    pub(crate) scratch: Arc<MemoryStore>,
    /// Something to remember between two calls.
    pub(crate) flag: Arc<AtomicBool>,
    /// Something that one thread at a time may hold.
    pub(crate) lock: Arc<Mutex<()>>,
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
pub(crate) struct SpoiltRead<'t> {
    tx: &'t mut (dyn AllQueries + 't),
    stage: &'t Stage,
}

/// A write transaction that a saboteur stands in.
pub(crate) struct SpoiltWrite<'t> {
    tx: &'t mut (dyn AllRepositories + 't),
    stage: &'t Stage,
}

impl SpoiltRead<'_> {
    fn reading(&mut self) -> Reading<'_> {
        Reading {
            tx: self.tx,
            rows: &self.stage.rows,
        }
    }
}

impl SpoiltWrite<'_> {
    fn reading(&mut self) -> Reading<'_> {
        Reading {
            tx: self.tx,
            rows: &self.stage.rows,
        }
    }

    fn writing(&mut self) -> Writing<'_> {
        Writing {
            tx: self.tx,
            rows: &self.stage.rows,
        }
    }
}

impl Stage {
    /// A saboteur on these rows, who remembers nothing yet.
    fn on(rows: Arc<MemoryStore>, saboteur: Arc<dyn Saboteur>) -> Self {
        Self {
            saboteur,
            rows,
            scratch: Arc::default(),
            flag: Arc::default(),
            lock: Arc::default(),
        }
    }

    /// Runs a write as it should be.
    pub(crate) fn write<T, E, W>(&self, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltWrite<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.write_on(&self.rows, work)
    }

    /// Runs a write on another store, with the rows of this stage at hand for the hooks.
    pub(crate) fn write_on<T, E, W>(&self, store: &MemoryStore, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltWrite<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let stage = self.clone();
        let once = Cell::new(Some(work));
        // The store in memory runs a closure once.
        let written = store.write(move |tx| {
            let work = once.take().unwrap();
            work(&mut SpoiltWrite { tx, stage: &stage })
        });
        written.wait()
    }

    /// Runs a read as it should be.
    pub(crate) fn read(&self, work: ReadWork) -> Outcome {
        let stage = self.clone();
        let read = self
            .rows
            .read(move |tx| work(&mut SpoiltRead { tx, stage: &stage }));
        read.wait()
    }
}

/// A store that a saboteur stands in.
pub(crate) struct Spoilt(Stage);

impl Store for Spoilt {
    type ReadTx<'t> = SpoiltRead<'t>;
    type WriteTx<'t> = SpoiltWrite<'t>;

    fn read_in<T, E, W>(&self, lane: Lane, work: W) -> Pending<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltRead<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work: ReadWork = Box::new(move |tx| hide(work(tx)));
        Pending::ready(show(self.0.saboteur.read(&self.0, lane, work)))
    }

    fn write<T, E, W>(&self, work: W) -> Pending<T, E>
    where
        W: for<'t> Fn(&mut SpoiltWrite<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::<T, E>::new();
        let work: WriteWork = Box::new(move |tx| hide(work(tx)));
        self.0.saboteur.write(&self.0, work, Box::new(promise));
        pending
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<SpoiltWrite<'t>>,
    {
        self.write(move |tx| {
            let saboteur = &*tx.stage.saboteur;
            let mut run = || hide(W::run(tx, &[&work]).map(|mut outputs| outputs.pop().unwrap()));
            show(saboteur.group(&mut run))
        })
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
pub(crate) struct Theatre(Spoilt);

impl Theatre {
    /// An empty store that this saboteur stands in.
    pub(crate) fn of(saboteur: &Arc<dyn Saboteur>) -> Self {
        Self(Spoilt(Stage::on(Arc::default(), Arc::clone(saboteur))))
    }
}

impl Harness for Theatre {
    type Store = Spoilt;
    type ProbeRows = EventProbeRows;

    /// Nobody is on the stage unless [`Theatre::of`] put somebody there.
    fn fresh() -> Option<Self> {
        let nobody: Arc<dyn Saboteur> = Arc::new(Honest);
        Some(Self::of(&nobody))
    }

    fn store(&self) -> &Spoilt {
        &self.0
    }

    fn reopen(&mut self) {
        let stage = &self.0.0;
        let rows = stage.saboteur.rows_on_reopening(&stage.rows);
        self.0 = Spoilt(Stage::on(rows, Arc::clone(&stage.saboteur)));
    }

    fn open_again(&self) -> Spoilt {
        let stage = &self.0.0;
        let rows = stage.saboteur.rows_for_another(&stage.rows);
        Spoilt(Stage::on(rows, Arc::clone(&stage.saboteur)))
    }
}
