//! Journal of the embedded store: its checkpoints, and the behaviour when it cannot be checkpointed.

use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use storage::{Store as _, StoreErrorKind};
use storage_diesel::{JournalStage, SqliteOptions, SqliteStore};

use crate::support::insert;

/// Creates a store with these options in a new directory.
fn store(options: SqliteOptions) -> (SqliteStore, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path().join("db.sqlite3"), options).unwrap();
    store.migrate().unwrap();
    (store, directory)
}

fn pass_a_while() {
    std::thread::park_timeout(Duration::from_millis(20));
}

/// Maximum time on a machine that does other work.
const PATIENCE: u32 = 5000;

#[test]
fn writes_of_an_idle_server_are_checkpointed_after_a_while() {
    let options = SqliteOptions {
        checkpoint_within: Duration::from_millis(1),
        ..SqliteOptions::default()
    };
    let (store, directory) = store(options);
    store.write(|tx| insert(tx, "ann")).wait().unwrap();
    let copy = directory.path().join("copy.sqlite3");
    let is_there = || {
        std::fs::copy(directory.path().join("db.sqlite3"), &copy).unwrap();
        let mut copy = SqliteConnection::establish(&copy.display().to_string()).unwrap();
        let found =
            copy.batch_execute("INSERT INTO users SELECT * FROM users WHERE username = 'ann'");
        // The row exists if it cannot be inserted again.
        found.is_err_and(|error| error.to_string().contains("UNIQUE"))
    };
    for _ in 0..PATIENCE {
        if is_there() {
            return;
        }
        pass_a_while();
    }
    panic!("the database file lacks committed writes");
}

#[test]
fn an_external_read_grows_the_journal_until_writes_are_refused() {
    let options = SqliteOptions {
        journal_limit: 1 << 20,
        ..SqliteOptions::default()
    };
    let (store, directory) = store(options);
    let file = directory.path().join("db.sqlite3").display().to_string();
    let mut other = SqliteConnection::establish(&file).unwrap();
    other
        .batch_execute("BEGIN; SELECT count(*) FROM users")
        .unwrap();
    let mut number = 0;
    let refused = loop {
        assert!(number < 200_000, "no write was rejected");
        let from = number;
        let written = store.write(move |tx| {
            (from..from + 20).try_for_each(|number| insert(tx, &format!("u{number}")).map(drop))
        });
        if let Err(error) = written.wait() {
            break error;
        }
        number += 20;
    };
    assert_eq!(refused.kind(), StoreErrorKind::Overloaded);
    let state = store.journal();
    assert_eq!(state.stage, JournalStage::Refusing);
    assert!(state.bytes >= state.limit * 2);
    other.batch_execute("COMMIT").unwrap();
    for _ in 0..PATIENCE {
        if store.journal().stage == JournalStage::Within {
            store.write(|tx| insert(tx, "after")).wait().unwrap();
            return;
        }
        pass_a_while();
    }
    panic!("writes are still rejected");
}
