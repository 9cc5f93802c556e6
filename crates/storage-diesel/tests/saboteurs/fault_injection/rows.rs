//! Rows that saboteurs can access, in the embedded database.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::{Connection as _, SqliteConnection};
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

/// A store with a file of its own.
struct OpenedStore {
    store: SqliteStore,
    directory: TempDir,
}

fn file(directory: &TempDir) -> PathBuf {
    directory.path().join("rows.sqlite3")
}

impl OpenedStore {
    /// Opens a store whose file `write` creates.
    fn with_file(write: impl FnOnce(&Path)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        write(&file(&directory));
        let store = SqliteStore::open(file(&directory), SqliteOptions::default()).unwrap();
        Self { store, directory }
    }
}

/// A store whose rows can be saved and replaced.
pub(crate) struct SharedRows(Mutex<Arc<OpenedStore>>);

impl Default for SharedRows {
    /// Creates an empty store.
    fn default() -> Self {
        Self::of(OpenedStore::with_file(|path| {
            test_databases::prepared_file(path, |path| {
                let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
                store.migrate().unwrap();
                store.close();
            });
        }))
    }
}

impl SharedRows {
    fn of(opened: OpenedStore) -> Self {
        Self(Mutex::new(Arc::new(opened)))
    }

    fn current(&self) -> MutexGuard<'_, Arc<OpenedStore>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `use_of` with the store.
    pub(crate) fn with<T>(&self, use_of: impl FnOnce(&SqliteStore) -> T) -> T {
        let opened = Arc::clone(&self.current());
        use_of(&opened.store)
    }

    /// Creates another store with the rows that are committed at this time.
    pub(crate) fn copy(&self) -> Self {
        let opened = Arc::clone(&self.current());
        let path = file(&opened.directory);
        let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let image = connection.serialize_database_to_buffer();
        Self::of(OpenedStore::with_file(|path| {
            fs::write(path, &image[..]).unwrap();
        }))
    }

    /// Uses the rows of another store from now on.
    pub(crate) fn replace_by(&self, other: &Self) {
        let other = Arc::clone(&other.current());
        *self.current() = other;
    }
}
