//! Detection of damage in a database, and the permissions of its files.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection};
use storage::Store as _;
use storage_diesel::{SqliteOptions, SqliteStore};

use crate::databases::{TestSettings, postgres, sqlite};
use crate::support::insert;

/// Size of a page, in bytes.
const PAGE: u64 = 4096;

#[test]
fn a_page_that_was_overwritten_is_found() {
    let (store, directory) = sqlite(TestSettings::default());
    for number in 0..200 {
        let name = format!("user-{number}");
        store.write(move |tx| insert(tx, &name)).wait().unwrap();
    }
    assert_eq!(store.integrity_errors().unwrap(), Vec::<String>::new());
    store.close();
    let path = directory.path().join("db.sqlite3");
    let pages = fs::metadata(&path).unwrap().len() / PAGE;
    assert!(pages > 20, "{pages} pages");
    let sound = fs::read(&path).unwrap();
    // The first page identifies the file; without it nothing can be queried at all.
    for page in 1..pages {
        fs::write(&path, &sound).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&[0xa5; 4096], page * PAGE).unwrap();
        let store = SqliteStore::open(&path, SqliteOptions::default());
        let found = store.and_then(|store| store.integrity_errors());
        assert!(found.map_or(true, |found| !found.is_empty()), "page {page}");
    }
}

#[test]
fn files_are_for_their_owner_alone() {
    let (store, directory) = sqlite(TestSettings::default());
    store.write(|tx| insert(tx, "ann")).wait().unwrap();
    let mut seen = Vec::new();
    for entry in fs::read_dir(directory.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{entry:?}");
        seen.push(entry.file_name().into_string().unwrap());
    }
    seen.sort();
    let names = [
        "db.sqlite3",
        "db.sqlite3-lock",
        "db.sqlite3-shm",
        "db.sqlite3-wal",
    ];
    assert_eq!(seen, names);
}

/// An administrator may have given a group read permission for backups; opening the file keeps it.
#[test]
fn the_rights_of_a_file_that_is_there_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("db.sqlite3");
    File::create(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn rows_that_cannot_be_read_and_indexes_that_are_not_used_are_found_on_postgres() {
    let Some((store, database)) = postgres(TestSettings::default()) else {
        return;
    };
    store.write(|tx| insert(tx, "ann")).wait().unwrap();
    assert_eq!(store.integrity_errors().unwrap(), Vec::<String>::new());
    let mut connection = PgConnection::establish(database.url()).unwrap();
    // A row whose enum label is missing from the catalogue can be counted but not read.
    connection
        .batch_execute(
            "CREATE TYPE colour AS ENUM ('red');
             CREATE TABLE colours (colour colour);
             INSERT INTO colours VALUES ('red');
             DELETE FROM pg_enum WHERE enumtypid = 'colour'::regtype;
             UPDATE pg_index SET indisvalid = false WHERE indrelid = 'users'::regclass
                 AND NOT indisprimary;",
        )
        .unwrap();
    let found = store.integrity_errors().unwrap().join("\n");
    assert!(
        found.contains("table public.colours cannot be read: "),
        "{found}"
    );
    assert!(
        found.contains(" is invalid; rebuild it with REINDEX"),
        "{found}"
    );
}
