//! Durability after a kill of the process: everything that was acknowledged is still there.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use accounts::AccountQueries as _;
use storage::{Store as _, StoreError};
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

use crate::support::insert;

/// Environment variable with the path of the file that the child process writes to.
const FILE: &str = "GATEHOUSE_TEST_FILE";

/// Number of acknowledgements after which the child is killed, in the middle of its work.
const ENOUGH: usize = 500;

/// Returns a command that runs one test of this program in a process of its own, with `file` to work on.
pub(crate) fn child(test: &str, file: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(FILE, file);
    command
}

/// Returns the file that the parent gave to this process if it is a child, or else one in a new directory.
/// A child creates no directory, because it may be killed before it can remove it.
pub(crate) fn file_to_work_on() -> (PathBuf, Option<TempDir>) {
    if let Some(file) = file_of_the_parent() {
        return (file, None);
    }
    let directory = tempfile::tempdir().unwrap();
    (directory.path().join("db.sqlite3"), Some(directory))
}

/// Returns the file that the parent gave to this process, if it is a child.
#[expect(
    clippy::disallowed_methods,
    reason = "a child process receives its task through its environment"
)]
fn file_of_the_parent() -> Option<PathBuf> {
    std::env::var_os(FILE).map(PathBuf::from)
}

/// As the child of the kill test, it writes until it is killed.
/// On its own, it ends after a few names, and all of them are there.
#[test]
fn writes_of_eight_clients_are_acknowledged_individually() {
    let (file, own_directory) = file_to_work_on();
    let each = if own_directory.is_some() {
        5
    } else {
        usize::MAX
    };
    let store = Arc::new(SqliteStore::open(file, SqliteOptions::default()).unwrap());
    store.migrate().unwrap();
    let client = |client: usize| {
        let store = Arc::clone(&store);
        thread::spawn(move || {
            for number in 0..each {
                let name = format!("c{client}-{number}");
                let written = store.write({
                    let name = name.clone();
                    move |tx| insert(tx, &name)
                });
                written.wait().unwrap();
                // One call for the whole line: the parent must never read half a name.
                std::io::stdout()
                    .write_all(format!("\nacknowledged {name}\n").as_bytes())
                    .unwrap();
            }
        })
    };
    let clients: Vec<_> = (0..8).map(client).collect();
    for client in clients {
        client.join().unwrap();
    }
    for name in (0..8).flat_map(|client| (0..each).map(move |number| format!("c{client}-{number}")))
    {
        let found = store.read(move |tx| tx.find_user_by_username(&name)).wait();
        assert!(found.unwrap().is_some());
    }
}

#[test]
fn a_killed_process_has_stored_all_that_it_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let temporary = directory.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let mut process = child(
        "durability::writes_of_eight_clients_are_acknowledged_individually",
        &file,
    )
    .env("TMPDIR", &temporary)
    .stdin(Stdio::null())
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut acknowledged = HashSet::new();
    for line in lines {
        let Ok(line) = line else { break };
        if let Some(name) = line.strip_prefix("acknowledged ") {
            acknowledged.insert(name.to_owned());
        }
        if acknowledged.len() == ENOUGH {
            // Output that is still read after the kill counts too: the loop continues to the end of the pipe.
            process.kill().unwrap();
        }
    }
    assert!(!process.wait().unwrap().success());
    assert!(acknowledged.len() >= ENOUGH, "the child ended on its own");
    let left = fs::read_dir(&temporary).unwrap().count();
    assert_eq!(left, 0, "a killed test cannot remove its files");
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    let wanted = acknowledged.clone();
    let found = store.read(move |tx| {
        let mut found = HashSet::new();
        for name in wanted {
            if tx.find_user_by_username(&name)?.is_some() {
                found.insert(name);
            }
        }
        Ok::<_, StoreError>(found)
    });
    assert_eq!(found.wait().unwrap(), acknowledged);
}

/// Every connection is closed when `close` returns, including those of readers: the last one removes the files of the
/// journal.
#[test]
fn closing_brings_the_journal_back_into_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    // A connection that is still open somewhere would be noticed only occasionally.
    for round in 0..200 {
        let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
        store.migrate().unwrap();
        let name = format!("user-{round}");
        store.write(move |tx| insert(tx, &name)).wait().unwrap();
        store.read(|tx| tx.auth_epoch()).wait().unwrap();
        store.close();
        for journal in ["db.sqlite3-wal", "db.sqlite3-shm"] {
            assert!(
                !directory.path().join(journal).exists(),
                "{round}: {journal}"
            );
        }
    }
}
