//! Many who start at once on one empty database: each finds its tables, whoever made them.

use std::process::Stdio;
use std::thread;

use accounts::{AccountQueries as _, AccountRepository as _};
use diesel::Connection as _;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use storage::Store;
use storage_diesel::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use test_postgres::TestDatabase;

use crate::durability::{child, file_to_work_on};

const AT_ONCE: usize = 8;

const ON_SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const ON_POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

#[test]
fn threads_may_migrate_one_file_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let start = |_| {
        let file = file.clone();
        thread::spawn(move || {
            let store = SqliteStore::open(file, SqliteOptions::default()).unwrap();
            store.migrate().unwrap();
            assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
            assert_eq!(store.read(|tx| tx.auth_epoch()).wait().unwrap(), 1);
        })
    };
    let all: Vec<_> = (0..AT_ONCE).map(start).collect();
    for one in all {
        one.join().unwrap();
    }
}

/// On a file of its own, or as one of many children on the file of the test of many processes.
#[test]
fn a_process_that_has_migrated_a_file_writes_to_it() {
    let (file, _own_directory) = file_to_work_on();
    let store = SqliteStore::open(file, SqliteOptions::default()).unwrap();
    store.migrate().unwrap();
    assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
    assert!(store.write(|tx| tx.raise_auth_epoch(&[])).wait().unwrap() > 1);
}

#[test]
fn processes_may_migrate_one_file_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let start = |_| {
        let mut command = child(
            "migrations::a_process_that_has_migrated_a_file_writes_to_it",
            &file,
        );
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let all: Vec<_> = (0..AT_ONCE).map(start).collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    let raised = i64::try_from(AT_ONCE).unwrap();
    assert_eq!(store.read(|tx| tx.auth_epoch()).wait().unwrap(), 1 + raised);
}

#[test]
fn threads_may_migrate_one_server_at_once() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let start = |_| {
        let url = database.url().to_owned();
        thread::spawn(move || {
            let store = PostgresStore::open(&url, PostgresOptions::default()).unwrap();
            store.migrate().unwrap();
            assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
            assert_eq!(store.read(|tx| tx.auth_epoch()).wait().unwrap(), 1);
        })
    };
    let all: Vec<_> = (0..AT_ONCE).map(start).collect();
    for one in all {
        one.join().unwrap();
    }
}

#[test]
fn a_fresh_database_tells_which_steps_it_needs() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(
        directory.path().join("db.sqlite3"),
        SqliteOptions::default(),
    )
    .unwrap();
    let on_sqlite = store.pending_migrations().unwrap();
    assert!(
        on_sqlite
            .first()
            .is_some_and(|step| step.contains("accounts")),
        "{on_sqlite:?}"
    );
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let store = PostgresStore::open(database.url(), PostgresOptions::default()).unwrap();
    assert_eq!(store.pending_migrations().unwrap(), on_sqlite);
}

/// Applies all steps, takes all of them back, and applies them again.
fn there_and_back<Db, C>(connection: &mut C, steps: fn() -> EmbeddedMigrations)
where
    Db: diesel::backend::Backend,
    C: MigrationHarness<Db>,
    EmbeddedMigrations: diesel::migration::MigrationSource<Db>,
{
    let applied = connection.run_pending_migrations(steps()).unwrap().len();
    let reverted = connection.revert_all_migrations(steps()).unwrap().len();
    assert_eq!(reverted, applied);
    let again = connection.run_pending_migrations(steps()).unwrap().len();
    assert_eq!(again, applied);
}

#[test]
fn every_step_can_be_taken_back() {
    let mut connection = diesel::SqliteConnection::establish(":memory:").unwrap();
    there_and_back(&mut connection, || ON_SQLITE);
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let mut connection = diesel::PgConnection::establish(database.url()).unwrap();
    there_and_back(&mut connection, || ON_POSTGRES);
}

/// The step that remembers whether a sender named an alert's last start.
const STATED_STARTS: &str = "00000000000007";

/// An open alert as a program of before wrote it: its number, and when it was made, last began and last changed.
fn written_before((number, created, last_start, updated): (i64, i64, i64, i64)) -> String {
    format!(
        "INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, \
         description, severity, status, service, monitoring_tool, hosts, started_at, last_started_at, \
         occurrences, deliveries, payload, created_at, updated_at) VALUES ({number}, 1, {number}, 1, \
         CAST('{number}' AS IDENTITY), {}, 0, '', '', 0, 0, '', '', '[]', {created}, {last_start}, 1, 1, '{{}}', \
         {created}, {updated})",
        i64::MAX
    )
}

#[derive(diesel::QueryableByName)]
struct Stated {
    #[diesel(sql_type = diesel::sql_types::Bool)]
    last_start_stated: bool,
}

/// Applies the steps before the one, writes alerts, and applies the rest. `identity` is the type of an identity.
macro_rules! stated_of_before {
    ($connection:expr, $steps:expr, $database:ty, $identity:literal) => {{
        use diesel::migration::Migration as _;
        use diesel::{RunQueryDsl as _, connection::SimpleConnection as _};
        let connection = $connection;
        let pending =
            MigrationHarness::<$database>::pending_migrations(connection, $steps).unwrap();
        for step in &pending {
            if step.name().to_string().starts_with(STATED_STARTS) {
                for alert in [(1, 10, 10, 90), (2, 10, 50, 50), (3, 10, 20, 90)] {
                    let insert = written_before(alert).replace("IDENTITY", $identity);
                    connection.batch_execute(&insert).unwrap();
                }
            }
            MigrationHarness::<$database>::run_migration(connection, step).unwrap();
        }
        let rows = diesel::sql_query("SELECT last_start_stated FROM alerts ORDER BY id");
        let rows: Vec<Stated> = rows.load(connection).unwrap();
        rows.iter()
            .map(|row| row.last_start_stated)
            .collect::<Vec<bool>>()
    }};
}

/// A start at the moment when the alert was made or last changed was an arrival; any other counts as stated.
#[test]
fn starts_of_before_count_as_stated_unless_they_are_arrivals() {
    let expected = [false, false, true];
    let mut connection = diesel::SqliteConnection::establish(":memory:").unwrap();
    let stated = stated_of_before!(&mut connection, ON_SQLITE, diesel::sqlite::Sqlite, "BLOB");
    assert_eq!(stated, expected);
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let mut connection = diesel::PgConnection::establish(database.url()).unwrap();
    let stated = stated_of_before!(&mut connection, ON_POSTGRES, diesel::pg::Pg, "BYTEA");
    assert_eq!(stated, expected);
}
