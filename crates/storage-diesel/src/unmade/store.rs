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
pub(super) type Change = (&'static str, &'static str);

/// Change without effect, if there is one, and all changes that were called.
#[derive(Default)]
pub(super) struct Mutation {
    pub(super) unmade: Option<Change>,
    pub(super) called: Mutex<BTreeSet<Change>>,
    /// Calls of the change without effect.
    pub(super) repeated: AtomicUsize,
}

/// Number of calls of the change without effect after which it fails: a case may wait for an effect that never happens.
const PATIENCE: usize = 100;

/// Write transaction of that store.
pub(super) struct UnmadeTx<'t> {
    tx: SqliteWriteTx<'t>,
    mutation: &'t Mutation,
}

impl UnmadeTx<'_> {
    fn run(&mut self, statement: &str) -> Result<(), StoreError> {
        let connection = self.tx.connection()?;
        let done = connection.batch_execute(statement);
        done.map_err(|error| from_diesel("take a change back", error))
    }
}

impl<'t> TransactionWrapper for UnmadeTx<'t> {
    type Inner = SqliteWriteTx<'t>;

    const HANDS_ON_REVOCATIONS: bool = true;

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
        if self.mutation.unmade != Some(change) {
            return run(&mut self.tx);
        }
        if self.mutation.repeated.fetch_add(1, Ordering::Relaxed) > PATIENCE {
            return Err(StoreError::new(StoreErrorKind::Internal, "wait for it"));
        }
        self.run("SAVEPOINT unmade")?;
        let outcome = run(&mut self.tx);
        self.run("ROLLBACK TO unmade; RELEASE unmade")?;
        outcome
    }
}

/// The store itself.
pub(super) struct UnmadeStore {
    store: SqliteStore,
    mutation: Arc<Mutation>,
}

impl Store for UnmadeStore {
    type ReadTx<'t> = SqliteReadTx<'t>;
    type WriteTx<'t> = UnmadeTx<'t>;

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
        F: for<'t> Fn(&mut UnmadeTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let mutation = Arc::clone(&self.mutation);
        self.store.write(move |tx| {
            work(&mut UnmadeTx {
                tx: SqliteWriteTx::over(tx.connection()?),
                mutation: &mutation,
            })
        })
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<UnmadeTx<'t>>,
    {
        self.write_alone(work)
    }

    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }
}

/// Test harness of the store.
pub(super) struct UnmadeHarness {
    store: UnmadeStore,
    directory: TempDir,
}

fn open(path: PathBuf, mutation: &Arc<Mutation>) -> UnmadeStore {
    UnmadeStore {
        store: SqliteStore::open(path, SqliteOptions::default()).unwrap(),
        mutation: Arc::clone(mutation),
    }
}

impl UnmadeHarness {
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

    fn open_file(&self) -> UnmadeStore {
        let path = self.directory.path().join("unmade.sqlite3");
        open(path, &self.store.mutation)
    }
}

impl Harness for UnmadeHarness {
    type Store = UnmadeStore;
    type ProbeRows = ();

    fn fresh() -> Option<Self> {
        Some(Self::of(&Arc::default()))
    }

    fn store(&self) -> &UnmadeStore {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.store.close();
        self.store = self.open_file();
    }

    fn open_again(&self) -> UnmadeStore {
        self.open_file()
    }

    storage_conformance::inserted_rows!(|harness| &harness.store.store);
}
