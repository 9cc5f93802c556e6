//! Import of rows of an older version into the current tables.

use accounts::AccountQueries as _;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use storage::{Store as _, StoreError};

use super::*;
use crate::{SqliteOptions, SqliteStore};

/// Stores rows, and returns them again.
#[derive(Clone, Default)]
pub(super) struct MemorySnapshot {
    /// Rows with the names of their tables.
    pub(super) rows: Vec<(String, String)>,
    pub(super) snapshot: Option<Snapshot>,
}

impl RowSink for MemorySnapshot {
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError> {
        let named = rows.iter().map(|row| (table.to_owned(), row.clone()));
        self.rows.extend(named);
        Ok(())
    }

    fn finish(&mut self, snapshot: &Snapshot) -> Result<(), TransferError> {
        self.snapshot = Some(snapshot.clone());
        Ok(())
    }
}

impl RowSource for MemorySnapshot {
    fn next_batch(&mut self) -> Result<Option<RowBatch>, TransferError> {
        let row = self.rows.pop();
        Ok(row.map(|(table, row)| RowBatch {
            table,
            rows: format!("[{row}]"),
        }))
    }
}

/// Returns the versions of all migrations, in order.
fn versions() -> Vec<String> {
    let name = |step: &MigrationFile| step.name().split('_').next().unwrap_or_default().to_owned();
    crate::migrate::SQLITE.iter().map(name).collect()
}

#[test]
fn rows_of_an_older_version_are_brought_up_to_date() {
    let all = versions();
    for steps in [2, 13, all.len()] {
        let mut older = SqliteConnection::establish(":memory:").unwrap();
        crate::sqlite::open::know_all_letters(&mut older).unwrap();
        Dialect::migrate(&mut older, &all[..steps]).unwrap();
        let ann = "INSERT INTO users (id, username, username_key, name, email, kind, is_admin, created_at) \
                   VALUES (41, 'Ann', 'ann', 'Ann', '', 0, TRUE, 1)";
        older.batch_execute(ann).unwrap();
        let mut kept = MemorySnapshot::default();
        export(&mut older, &mut kept).unwrap();
        let snapshot = kept.snapshot.take().unwrap();
        assert_eq!(snapshot.migrations, &all[..steps]);

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db.sqlite3");
        let mut import = Import {
            snapshot: &snapshot,
            source: &mut kept,
            check: &mut MemorySnapshot::default(),
        };
        SqliteStore::import(&path, &mut import).unwrap();
        let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        assert!(store.pending_migrations().unwrap().is_empty());
        assert!(store.integrity_errors().unwrap().is_empty());
        let found = store.read(|tx| tx.find_user_by_username("ann"));
        let found: Result<Option<accounts::User>, StoreError> = found.wait();
        assert_eq!(found.unwrap().unwrap().id.get(), 41);
    }
}

#[test]
fn rows_of_a_newer_version_are_refused_and_leave_nothing() {
    let mut versions = versions();
    versions.push("99999999999999".to_owned());
    let snapshot = Snapshot {
        migrations: versions,
        tables: Vec::new(),
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db.sqlite3");
    let mut import = Import {
        snapshot: &snapshot,
        source: &mut MemorySnapshot::default(),
        check: &mut MemorySnapshot::default(),
    };
    let refused = SqliteStore::import(&path, &mut import);
    assert!(matches!(refused, Err(TransferError::Newer(version)) if version == "99999999999999"));
    assert!(!path.exists());
    assert!(SqliteStore::unfinished_import(&path).is_none());
}
