//! Conformance tests of [`Database`], which as a wrapper around an adapter could break promises of the storage
//! contract.
//!
//! The suites are those of the store, of revocations, and of features that span crates: they cover the lanes, grouped
//! work, the recorder and the order of the epoch. The methods of the other areas are forwarded by code that the macros
//! of `storage` generate, so their suites are left to the adapters.
//!
//! The suites need transactions of a known size, and those of [`Database`] are behind `dyn`, so these tests wrap each
//! transaction in another one. The wrapping is the same for both engines, so it is tested with one.

use std::path::{Path, PathBuf};

use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, Work};
use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

use super::recording::{Passthrough, RevocationRecorder};
use super::{Database, WriteTransaction};

/// The database with transactions of known size.
struct SizedDatabase(Database);

impl Store for SizedDatabase {
    type ReadTx<'t> = Passthrough<'t>;
    type WriteTx<'t> = RevocationRecorder<'t>;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.read_in(lane, move |tx| work(&mut Passthrough(tx)))
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0
            .write(move |tx| work(&mut RevocationRecorder::over(tx)))
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.0.write_grouped(SizedWork(work))
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }
}

/// Work on a transaction of known size.
struct SizedWork<W>(W);

impl<W: Work> Work for SizedWork<W> {
    type Output = W::Output;
    type Error = W::Error;

    fn is_exclusive(&self) -> bool {
        self.0.is_exclusive()
    }

    fn weight(&self) -> usize {
        self.0.weight()
    }
}

impl<'t, W> GroupWork<dyn WriteTransaction + 't> for SizedWork<W>
where
    W: for<'r> GroupWork<RevocationRecorder<'r>>,
{
    fn run(
        tx: &mut (dyn WriteTransaction + 't),
        group: &[&Self],
    ) -> Result<Vec<Self::Output>, Self::Error> {
        let inner: Vec<&W> = group.iter().map(|work| &work.0).collect();
        W::run(&mut RevocationRecorder::over(tx), &inner)
    }
}

struct OverSqlite {
    store: SizedDatabase,
    directory: TempDir,
}

fn file(directory: &TempDir) -> PathBuf {
    directory.path().join("gatehouse.sqlite3")
}

fn store(path: &Path) -> SqliteStore {
    SqliteStore::open(path, SqliteOptions::default()).unwrap()
}

fn open(directory: &TempDir) -> SizedDatabase {
    SizedDatabase(Database::over(store(&file(directory))))
}

impl Harness for OverSqlite {
    type Store = SizedDatabase;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        test_databases::prepared_file(&file(&directory), |path| {
            let store = store(path);
            store.migrate().unwrap();
            store.close();
        });
        let store = open(&directory);
        Some(Self { store, directory })
    }

    fn store(&self) -> &SizedDatabase {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.0.close();
        self.store = open(&self.directory);
    }

    fn open_again(&self) -> SizedDatabase {
        open(&self.directory)
    }

    storage_conformance::inserted_rows!(|harness| &harness.store);
}

storage_conformance::complete_suites! {
    OverSqlite: store store_suite, accounts accounts_suite, sign_in sign_in_suite, oauth oauth_suite, cross cross_suite,
}
