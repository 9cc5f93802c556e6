//! Store in which one change has no effect.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use diesel::connection::SimpleConnection as _;
use storage::{
    Capabilities, GroupWork, Lane, MethodKind, Pending, RepositoryMethod, Store, StoreError,
    StoreErrorKind, TransactionWrapper,
};
use storage_conformance::Harness;
use tempfile::TempDir;

use crate::error::from_diesel;
use crate::transaction::Transaction as _;
use crate::{SqliteOptions, SqliteReadTx, SqliteStore, SqliteWriteTx};

/// Name of a change: its trait and its method.
pub(super) type ChangeName = (&'static str, &'static str);

/// Change without effect, if there is one, and all changes that were called.
#[derive(Default)]
pub(super) struct Mutation {
    pub(super) disabled: Option<ChangeName>,
    pub(super) called: Mutex<BTreeSet<ChangeName>>,
    /// Calls of the change without effect.
    pub(super) disabled_calls: AtomicUsize,
}

/// Number of calls of the change without effect after which it fails: a case may wait for an effect that never happens.
const MAX_DISABLED_CALLS: usize = 100;

/// Write transaction of that store.
pub(super) struct MutantTx<'t> {
    tx: SqliteWriteTx<'t>,
    mutation: &'t Mutation,
}

impl MutantTx<'_> {
    fn run(&mut self, statement: &str) -> Result<(), StoreError> {
        let connection = self.tx.connection()?;
        let done = connection.batch_execute(statement);
        done.map_err(|error| from_diesel("roll back a change", error))
    }
}

impl<'t> TransactionWrapper for MutantTx<'t> {
    type Inner = SqliteWriteTx<'t>;

    const FORWARDS_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut SqliteWriteTx<'t> {
        &mut self.tx
    }

    /// Runs a change and rolls it back, so that it returns its usual result.
    fn call<T>(
        &mut self,
        method: RepositoryMethod,
        run: impl FnOnce(&mut SqliteWriteTx<'t>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if method.kind == MethodKind::Query {
            return run(&mut self.tx);
        }
        let change = (method.repository, method.name);
        self.mutation.called.lock().unwrap().insert(change);
        if self.mutation.disabled != Some(change) {
            return run(&mut self.tx);
        }
        if self.mutation.disabled_calls.fetch_add(1, Ordering::Relaxed) > MAX_DISABLED_CALLS {
            return Err(StoreError::new(
                StoreErrorKind::Internal,
                "repeat a mutated call",
            ));
        }
        self.run("SAVEPOINT unmade")?;
        let outcome = run(&mut self.tx);
        self.run("ROLLBACK TO unmade; RELEASE unmade")?;
        outcome
    }
}

/// The store itself.
pub(super) struct MutantStore {
    store: SqliteStore,
    mutation: Arc<Mutation>,
}

impl Store for MutantStore {
    type ReadTx<'t> = SqliteReadTx<'t>;
    type WriteTx<'t> = MutantTx<'t>;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut SqliteReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.store.read_in(lane, work)
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut MutantTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let mutation = Arc::clone(&self.mutation);
        self.store.write(move |tx| {
            work(&mut MutantTx {
                tx: SqliteWriteTx::over(tx.connection()?),
                mutation: &mutation,
            })
        })
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<MutantTx<'t>>,
    {
        self.write_alone(work)
    }

    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }
}

/// Test harness of the store.
pub(super) struct MutantHarness {
    store: MutantStore,
    directory: TempDir,
}

fn open(path: PathBuf, mutation: &Arc<Mutation>) -> MutantStore {
    MutantStore {
        store: SqliteStore::open(path, SqliteOptions::default()).unwrap(),
        mutation: Arc::clone(mutation),
    }
}

impl MutantHarness {
    /// Creates an empty store.
    pub(super) fn of(mutation: &Arc<Mutation>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("unmade.sqlite3");
        test_databases::prepared_file(&path, |path| {
            let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
            store.migrate().unwrap();
            store.close();
        });
        let store = open(path, mutation);
        Self { store, directory }
    }

    fn open_file(&self) -> MutantStore {
        let path = self.directory.path().join("unmade.sqlite3");
        open(path, &self.store.mutation)
    }
}

impl Harness for MutantHarness {
    type Store = MutantStore;
    type ProbeRows = ();

    fn fresh() -> Option<Self> {
        Some(Self::of(&Arc::default()))
    }

    fn store(&self) -> &MutantStore {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.store.close();
        self.store = self.open_file();
    }

    fn open_again(&self) -> MutantStore {
        self.open_file()
    }

    storage_conformance::inserted_rows!(|harness| &harness.store.store);
}
