//! Template file of private stores.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use diesel::connection::SimpleConnection as _;
use tempfile::TempDir;

use super::open::{self, Durability};
use crate::error::OpenError;
use crate::migrate;

/// Name of the database in its directory.
const NAME: &str = "private.sqlite3";

/// Bytes of an empty database, created on first use.
/// Creating the tables takes fifty times as long as copying them.
static TEMPLATE: Mutex<Option<Arc<[u8]>>> = Mutex::new(None);

/// Creates a new directory with an empty database that has all tables, and returns the path of that database.
pub(super) fn copy() -> Result<(TempDir, PathBuf), OpenError> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join(NAME);
    let bytes = bytes(&path)?;
    // The file is created first, so that only its owner can access it before it has any content.
    open::create_file(&path)?;
    std::fs::write(&path, bytes)?;
    Ok((directory, path))
}

/// Returns the bytes of an empty database.
/// The first one is created at `path`, where no file is left.
fn bytes(path: &Path) -> Result<Arc<[u8]>, OpenError> {
    let mut template = TEMPLATE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = &*template {
        return Ok(Arc::clone(bytes));
    }
    open::prepare_file(path)?;
    let mut connection = open::writer(path, Durability::Discarded)?;
    migrate::sqlite_apart(&mut connection)?;
    connection.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
    drop(connection);
    let bytes: Arc<[u8]> = std::fs::read(path)?.into();
    std::fs::remove_file(path)?;
    Ok(Arc::clone(template.insert(bytes)))
}

#[cfg(all(test, feature = "accounts"))]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use accounts::{AccountQueries as _, AccountRepository as _};
    use storage::{Store as _, StoreError, StoreExt as _};

    use crate::SqliteStore;

    #[test]
    fn each_store_has_its_own_rows_and_leaves_nothing() {
        let [one, other] = [(); 2].map(|()| SqliteStore::in_memory().unwrap());
        let epoch = |store: &SqliteStore| store.query(|tx| tx.auth_epoch()).wait().unwrap();
        let before = epoch(&other);
        let raised = one.change(|tx| tx.raise_auth_epoch(&[]));
        assert_eq!(raised.wait().unwrap(), before + 1);
        assert_eq!((epoch(&one), epoch(&other)), (before + 1, before));
        one.health_check().wait().unwrap();
        let directory = one.path().parent().unwrap().to_owned();
        assert!(directory.exists());
        drop(one);
        assert!(!directory.exists());
    }

    #[test]
    fn a_store_may_be_dropped_by_its_own_closure() {
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let directory = store.path().parent().unwrap().to_owned();
        let (drop_the_other, dropped) = channel::<()>();
        let (held, dropped) = (Arc::clone(&store), std::sync::Mutex::new(dropped));
        let written = store.write(move |_| {
            // Ends when the sender is dropped, after the other reference.
            let _ = dropped.lock().unwrap().recv();
            Ok::<bool, StoreError>(held.capabilities().durable)
        });
        drop(store);
        drop(drop_the_other);
        assert!(!written.wait().unwrap());
        while directory.exists() {
            std::thread::yield_now();
        }
    }
}
