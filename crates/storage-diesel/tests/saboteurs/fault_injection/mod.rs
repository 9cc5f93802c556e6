//! Fault injection: the embedded database, with a hook wherever a saboteur may change its behaviour.
//!
//! There is one type of store for all saboteurs, so that its transactions are compiled once and not once for each of
//! them.

mod define_hooks;
mod dyn_work;
mod hooks;
mod records;
mod rows;

pub(crate) use dyn_work::{DynPromise, ErasedError, ErasedResult, ReadWork, WriteWork};
pub(crate) use hooks::Saboteur;
pub(crate) use rows::SharedRows;

use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use api_conventions::ids::{ProjectId, SessionId, UserId};
use dyn_work::{downcast, erase};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError};
use storage_conformance::Harness;
use storage_conformance::accounts::{insert_people, insert_place_owner};
use storage_conformance::complete::{CompleteReadTx, CompleteWriteTx};
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::projects::insert_places;
use storage_conformance::sign_in::insert_sessions;

/// No fault: the store is correct.
pub(crate) struct NoFault;

impl Saboteur for NoFault {}

/// A saboteur, with its state besides the transaction.
#[derive(Clone)]
pub(crate) struct FaultContext {
    saboteur: Arc<dyn Saboteur>,
    /// Committed rows.
    pub(crate) rows: Arc<SharedRows>,
    /// Flag that persists between calls.
    pub(crate) flag: Arc<AtomicBool>,
    /// Lock that one thread at a time may hold.
    pub(crate) lock: Arc<Mutex<()>>,
}

/// A hook's view of a transaction of either kind.
pub(crate) struct ReadHook<'a> {
    pub(crate) tx: &'a mut dyn CompleteReadTx,
    pub(crate) rows: &'a Arc<SharedRows>,
}

/// A hook's view of a write transaction.
pub(crate) struct WriteHook<'a> {
    pub(crate) tx: &'a mut dyn CompleteWriteTx,
    pub(crate) rows: &'a Arc<SharedRows>,
}

/// A read transaction with the fault of a saboteur.
pub(crate) struct FaultyReadTx<'t> {
    tx: &'t mut (dyn CompleteReadTx + 't),
    context: &'t FaultContext,
}

/// A write transaction with the fault of a saboteur.
pub(crate) struct FaultyWriteTx<'t> {
    tx: &'t mut (dyn CompleteWriteTx + 't),
    context: &'t FaultContext,
}

impl FaultyReadTx<'_> {
    fn read_hook(&mut self) -> ReadHook<'_> {
        ReadHook {
            tx: self.tx,
            rows: &self.context.rows,
        }
    }
}

impl FaultyWriteTx<'_> {
    fn read_hook(&mut self) -> ReadHook<'_> {
        ReadHook {
            tx: self.tx,
            rows: &self.context.rows,
        }
    }

    fn write_hook(&mut self) -> WriteHook<'_> {
        WriteHook {
            tx: self.tx,
            rows: &self.context.rows,
        }
    }
}

impl FaultContext {
    /// Creates a context for a saboteur on these rows, with no flag set.
    fn on(rows: Arc<SharedRows>, saboteur: Arc<dyn Saboteur>) -> Self {
        Self {
            saboteur,
            rows,
            flag: Arc::default(),
            lock: Arc::default(),
        }
    }

    /// Runs a write correctly.
    pub(crate) fn write<T, E, W>(&self, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&mut FaultyWriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.write_on(&self.rows, work)
    }

    /// Runs a write on a copy of the rows, which no other transaction sees.
    pub(crate) fn write_on_thread(&self, work: WriteWork) -> ErasedResult {
        self.write_on(&self.rows.copy(), work)
    }

    /// Runs a write on other rows, with the rows of this store available to the hooks.
    pub(crate) fn write_on<T, E, W>(&self, rows: &SharedRows, work: W) -> Result<T, E>
    where
        W: for<'t> FnOnce(&mut FaultyWriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let context = self.clone();
        let once = Cell::new(Some(work));
        // The embedded database runs a closure once, because it has one writer.
        let written = rows.with(|store| {
            store.write(move |tx| {
                let work = once.take().unwrap();
                work(&mut FaultyWriteTx {
                    tx,
                    context: &context,
                })
            })
        });
        written.wait()
    }

    /// Runs a read correctly.
    pub(crate) fn read(&self, lane: Lane, work: ReadWork) -> ErasedResult {
        let context = self.clone();
        let read = self.rows.with(|store| {
            store.read_in(lane, move |tx| {
                work(&mut FaultyReadTx {
                    tx,
                    context: &context,
                })
            })
        });
        read.wait()
    }
}

/// A store with the fault of a saboteur.
pub(crate) struct FaultyStore(FaultContext);

impl Store for FaultyStore {
    type ReadTx<'t> = FaultyReadTx<'t>;
    type WriteTx<'t> = FaultyWriteTx<'t>;

    fn read_in<T, E, W>(&self, lane: Lane, work: W) -> Pending<T, E>
    where
        W: for<'t> FnOnce(&mut FaultyReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work: ReadWork = Box::new(move |tx| erase(work(tx)));
        Pending::ready(downcast(self.0.saboteur.read(&self.0, lane, work)))
    }

    fn write<T, E, W>(&self, work: W) -> Pending<T, E>
    where
        W: for<'t> Fn(&mut FaultyWriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::<T, E>::new();
        let work: WriteWork = Box::new(move |tx| erase(work(tx)));
        self.0.saboteur.write(&self.0, work, Box::new(promise));
        pending
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<FaultyWriteTx<'t>>,
    {
        self.write(move |tx| {
            let saboteur = &*tx.context.saboteur;
            let mut run = || erase(W::run(tx, &[&work]).map(|mut outputs| outputs.pop().unwrap()));
            downcast(saboteur.group(&mut run))
        })
    }

    /// The rows outlive this store and are shared with others, as far as one process can simulate that.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            durable: true,
            concurrent_writers: false,
            multi_process: true,
        }
    }
}

/// The harness of a store with the fault of a saboteur.
pub(crate) struct FaultyHarness(FaultyStore);

impl FaultyHarness {
    /// An empty store with the fault of this saboteur.
    pub(crate) fn of(saboteur: &Arc<dyn Saboteur>) -> Self {
        Self(FaultyStore(FaultContext::on(
            Arc::default(),
            Arc::clone(saboteur),
        )))
    }
}

impl Harness for FaultyHarness {
    type Store = FaultyStore;
    type ProbeRows = EventProbeRows;

    /// The store has no fault unless [`FaultyHarness::of`] gave it one.
    fn fresh() -> Option<Self> {
        let no_fault: Arc<dyn Saboteur> = Arc::new(NoFault);
        Some(Self::of(&no_fault))
    }

    fn store(&self) -> &FaultyStore {
        &self.0
    }

    fn people(&self) -> [UserId; 3] {
        self.0.0.rows.with(|store| insert_people(store))
    }

    fn places(&self) -> [ProjectId; 2] {
        self.0.0.rows.with(|store| {
            let owner = insert_place_owner(store);
            insert_places(store, owner)
        })
    }

    fn sessions(&self, people: [UserId; 3]) -> [SessionId; 3] {
        self.0.0.rows.with(|store| insert_sessions(store, people))
    }

    /// Failures are expected here, and nobody reads them.
    fn shortens_failures(&self) -> bool {
        false
    }

    fn reopen(&mut self) {
        let context = &self.0.0;
        let rows = context.saboteur.rows_on_reopening(&context.rows);
        self.0 = FaultyStore(FaultContext::on(rows, Arc::clone(&context.saboteur)));
    }

    fn open_again(&self) -> FaultyStore {
        let context = &self.0.0;
        let rows = context.saboteur.rows_for_another(&context.rows);
        FaultyStore(FaultContext::on(rows, Arc::clone(&context.saboteur)))
    }
}
