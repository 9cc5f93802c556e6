//! Behaviour of the embedded store when its files are changed from outside.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use accounts::AccountQueries as _;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use storage::{Store as _, StoreError, StoreErrorKind};
use storage_diesel::{OpenError, RowSink, Snapshot, SqliteOptions, SqliteStore, TransferError};

use crate::databases::{TestSettings, sqlite};
use crate::support::insert;

fn kind<T: std::fmt::Debug>(outcome: Result<T, StoreError>) -> StoreErrorKind {
    outcome.unwrap_err().kind()
}

#[test]
fn writes_to_a_replaced_file_are_not_acknowledged() {
    let (store, directory) = sqlite(TestSettings::default());
    let (file, aside) = (
        directory.path().join("db.sqlite3"),
        directory.path().join("aside"),
    );
    store.write(|tx| insert(tx, "before")).wait().unwrap();
    store.health_check().wait().unwrap();
    fs::rename(&file, &aside).unwrap();
    let written = store.write(|tx| insert(tx, "while-it-is-gone")).wait();
    assert_eq!(kind(written), StoreErrorKind::Unavailable);
    fs::copy(&aside, &file).unwrap();
    let written = store.write(|tx| insert(tx, "into-another")).wait();
    assert_eq!(kind(written), StoreErrorKind::Unavailable);
    assert_eq!(
        kind(store.health_check().wait()),
        StoreErrorKind::Unavailable
    );
    fs::rename(&aside, &file).unwrap();
    store.write(|tx| insert(tx, "after")).wait().unwrap();
    store.health_check().wait().unwrap();
}

#[test]
fn writes_to_a_deleted_journal_are_not_acknowledged() {
    let (store, directory) = sqlite(TestSettings::default());
    store.write(|tx| insert(tx, "before")).wait().unwrap();
    fs::remove_file(directory.path().join("db.sqlite3-wal")).unwrap();
    let written = store.write(|tx| insert(tx, "after")).wait();
    assert_eq!(kind(written), StoreErrorKind::Unavailable);
}

#[test]
fn a_lock_of_another_process_refuses_writes_as_long_as_it_is_held() {
    let (store, directory) = sqlite(TestSettings::default());
    let file = directory.path().join("db.sqlite3").display().to_string();
    let mut other = SqliteConnection::establish(&file).unwrap();
    other.batch_execute("BEGIN IMMEDIATE").unwrap();
    let written = store.write(|tx| insert(tx, "ann")).wait();
    assert_eq!(kind(written), StoreErrorKind::Unavailable);
    other.batch_execute("COMMIT").unwrap();
    store.write(|tx| insert(tx, "ann")).wait().unwrap();
}

#[test]
fn a_database_of_a_newer_program_is_refused() {
    let (store, directory) = sqlite(TestSettings::default());
    store.health_check().wait().unwrap();
    let file = directory.path().join("db.sqlite3");
    let mut other = SqliteConnection::establish(&file.display().to_string()).unwrap();
    other
        .batch_execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999')")
        .unwrap();
    assert_eq!(
        kind(store.health_check().wait()),
        StoreErrorKind::Unavailable
    );
    let refused = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    assert!(matches!(refused.migrate(), Err(OpenError::Newer(_))));
    assert!(matches!(
        refused.pending_migrations(),
        Err(OpenError::Newer(_))
    ));
}

#[test]
fn a_database_to_which_a_newer_program_only_added_something_is_used_but_not_exported() {
    let (store, directory) = sqlite(TestSettings::default());
    let file = directory.path().join("db.sqlite3");
    let mut other = SqliteConnection::establish(&file.display().to_string()).unwrap();
    let added = "ALTER TABLE users ADD COLUMN next_word TEXT; \
                 INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999+')";
    other.batch_execute(added).unwrap();
    store.health_check().wait().unwrap();
    store.write(|tx| insert(tx, "ann")).wait().unwrap();
    let opened = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    opened.migrate().unwrap();
    assert_eq!(opened.pending_migrations().unwrap(), Vec::<String>::new());
    let refused = opened.export(&mut NoRows).unwrap_err();
    assert!(
        matches!(&refused, TransferError::Database(OpenError::Newer(version)) if version == "99999999999999+"),
        "{refused}"
    );
}

/// A sink that must receive nothing.
struct NoRows;

impl RowSink for NoRows {
    fn rows(&mut self, table: &str, _: &[String]) -> Result<(), TransferError> {
        panic!("rows of {table} were exported")
    }

    fn finish(&mut self, _: &Snapshot) -> Result<(), TransferError> {
        panic!("the export was finished")
    }
}

#[test]
fn missing_tables_fail_the_health_check() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    store.health_check().wait().unwrap_err();
    store.migrate().unwrap();
    store.health_check().wait().unwrap();
}

#[test]
fn detected_damage_fails_the_health_check() {
    // Enough users that their rows fill more of the file than the empty tables and the schema.
    const USERS: i32 = 8000;
    let (store, directory) = sqlite(TestSettings::default());
    store
        .write(|tx| (0..USERS).try_for_each(|number| insert(tx, &format!("u{number}")).map(drop)))
        .wait()
        .unwrap();
    store.close();
    let file = directory.path().join("db.sqlite3");
    let mut bytes = fs::read(&file).unwrap();
    // The first pages stay intact, because they contain the schema: the store can still be opened.
    let from = bytes.len() / 4096 * 3 / 4 * 4096;
    bytes[from..].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    let mut met = false;
    for number in 0..USERS {
        let found = store.read(move |tx| tx.find_user_by_username(&format!("u{number}")));
        met |= found.wait().is_err();
    }
    assert!(met, "the test did not damage a used page");
    assert_eq!(
        kind(store.health_check().wait()),
        StoreErrorKind::Unavailable
    );
}

#[test]
fn every_file_of_a_closed_store_is_closed() {
    for _ in 0..20 {
        let (store, directory) = sqlite(TestSettings::default());
        let reads: Vec<_> = (0..16).map(|_| store.read(|tx| tx.auth_epoch())).collect();
        assert!(reads.into_iter().all(|read| read.wait().is_ok()));
        store.close();
        for suffix in ["-wal", "-shm"] {
            let left = directory.path().join(format!("db.sqlite3{suffix}"));
            assert!(!left.exists(), "{suffix} still exists");
        }
    }
}

#[test]
fn writes_to_a_truncated_journal_are_not_acknowledged_under_load() {
    for length in [0, 4096] {
        let (store, directory) = sqlite(TestSettings::default());
        let journal = directory.path().join("db.sqlite3-wal");
        let (store, is_cut) = (Arc::new(store), Arc::new(AtomicBool::new(false)));
        let (acknowledged, counted) = channel();
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let (store, is_cut) = (Arc::clone(&store), Arc::clone(&is_cut));
                let acknowledged = acknowledged.clone();
                thread::spawn(move || {
                    for number in 0.. {
                        let was_cut = is_cut.load(Ordering::SeqCst);
                        let name = format!("c{client}-{number}");
                        match store.write(move |tx| insert(tx, &name)).wait() {
                            Ok(_) => {
                                assert!(!was_cut, "acknowledged after a gap");
                                acknowledged.send(()).unwrap();
                            }
                            Err(error) => {
                                assert_eq!(error.kind(), StoreErrorKind::Unavailable);
                                return;
                            }
                        }
                    }
                })
            })
            .collect();
        counted.iter().take(200).for_each(drop);
        let file = fs::File::options().write(true).open(&journal).unwrap();
        file.set_len(length).unwrap();
        is_cut.store(true, Ordering::SeqCst);
        for client in clients {
            client.join().unwrap();
        }
        assert_eq!(
            kind(store.health_check().wait()),
            StoreErrorKind::Unavailable
        );
        store.close();
        // Nothing of the journal was checkpointed either, so the content of the database is intact.
        let copy = directory.path().join("copy.sqlite3");
        fs::copy(directory.path().join("db.sqlite3"), &copy).unwrap();
        let copy = SqliteStore::open(&copy, SqliteOptions::default()).unwrap();
        assert_eq!(copy.integrity_errors().unwrap(), Vec::<String>::new());
    }
}
