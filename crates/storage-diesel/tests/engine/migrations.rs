//! Concurrent starts on one empty database: each process finds its tables, whichever process created them.

use std::process::Stdio;
use std::thread;

use accounts::{AccountQueries as _, AccountRepository as _};
use diesel::Connection as _;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use storage::Store;
use storage_diesel::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use test_databases::TestDatabase;

use crate::durability::{child, file_to_work_on};

const AT_ONCE: usize = 8;

pub(crate) const ON_SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
pub(crate) const ON_POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

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

/// On a new file, or as one of many children on the file of the test with many processes.
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
fn a_new_database_lists_its_pending_migrations() {
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

/// Applies all migrations, reverts all of them, and applies them again.
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
fn every_migration_can_be_rolled_back() {
    let mut connection = diesel::SqliteConnection::establish(":memory:").unwrap();
    there_and_back(&mut connection, || ON_SQLITE);
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let mut connection = diesel::PgConnection::establish(database.url()).unwrap();
    there_and_back(&mut connection, || ON_POSTGRES);
}

/// An older database has the numbers of whole migrations.
/// Nothing is applied to it again, and nothing is missing.
#[test]
fn a_database_with_all_steps_is_current() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let mut connection = diesel::SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    connection.run_pending_migrations(ON_SQLITE).unwrap();
    drop(connection);
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
    store.health_check().wait().unwrap();
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let mut connection = diesel::PgConnection::establish(database.url()).unwrap();
    connection.run_pending_migrations(ON_POSTGRES).unwrap();
    let store = PostgresStore::open(database.url(), PostgresOptions::default()).unwrap();
    assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
    store.health_check().wait().unwrap();
}

/// Migration that adds whether a sender stated the last start of an alert.
const STATED_STARTS: &str = "00000000000007";

/// Returns an open alert as an older program wrote it: its number, and its times of creation, last start and last
/// update.
pub(crate) fn written_before(number: i64, created: i64, last_start: i64, updated: i64) -> String {
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
struct StatedStart {
    #[diesel(sql_type = diesel::sql_types::Bool)]
    last_start_stated: bool,
}

/// Applies the migrations before that one, writes alerts, and applies the rest.
/// `identity` is the type of an identity.
macro_rules! stated_of_before {
    ($connection:expr, $steps:expr, $database:ty, $identity:literal) => {{
        use diesel::migration::Migration as _;
        use diesel::{RunQueryDsl as _, connection::SimpleConnection as _};
        let connection = $connection;
        let pending =
            MigrationHarness::<$database>::pending_migrations(connection, $steps).unwrap();
        for step in &pending {
            if step.name().to_string().starts_with(STATED_STARTS) {
                for (number, created, last_start, updated) in
                    [(1, 10, 10, 90), (2, 10, 50, 50), (3, 10, 20, 90)]
                {
                    let insert = written_before(number, created, last_start, updated);
                    let insert = insert.replace("IDENTITY", $identity);
                    connection.batch_execute(&insert).unwrap();
                }
            }
            MigrationHarness::<$database>::run_migration(connection, step).unwrap();
        }
        let rows = diesel::sql_query("SELECT last_start_stated FROM alerts ORDER BY id");
        let rows: Vec<StatedStart> = rows.load(connection).unwrap();
        rows.iter()
            .map(|row| row.last_start_stated)
            .collect::<Vec<bool>>()
    }};
}

/// A start equal to the time of creation or of the last update was an arrival time; any other counts as stated.
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

/// Migration that makes the blocks of searches smaller, and orders projects by keys.
pub(crate) const FINER_LISTS: &str = "00000000000012";

/// A part that an older program prepared, and a project that it created.
pub(crate) const PREPARED_BEFORE: &str = "INSERT INTO alert_search (project_id, part, slot, blocks) VALUES (1, 0, 7, SLICE(32)); \
    INSERT INTO alert_search_progress (project_id, parts) VALUES (1, 1); \
    INSERT INTO users (username, username_key, name, email, kind, is_admin, created_at) \
        VALUES ('a', 'a', 'a', '', 0, FALSE, 0); \
    INSERT INTO namespaces (kind, name, path, full_path, owner_id, visibility, created_at) \
        VALUES (1, 'g', 'g', 'g', 1, 20, 0); \
    INSERT INTO projects (namespace_id, name, path, full_path, description, visibility, creator_id, created_at, \
        updated_at, last_activity_at) VALUES (1, 'Web Shop', 'Web-Shop', 'g/Web-Shop', '', 20, 1, 0, 0, 0);";

#[derive(Debug, PartialEq, diesel::QueryableByName)]
struct AfterFinerLists {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    slices: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    progress: i64,
    #[diesel(sql_type = diesel::sql_types::Text)]
    name_key: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    path_key: String,
}

/// Applies the migrations before that one, writes the prepared rows, and applies the rest.
/// `slice` creates this many bytes. Returns the rows afterwards, and whether a slice of the old length and one of the
/// new length are accepted.
macro_rules! finer_lists {
    ($connection:expr, $steps:expr, $database:ty, $slice:literal) => {{
        use diesel::migration::Migration as _;
        use diesel::{RunQueryDsl as _, connection::SimpleConnection as _};
        let connection = $connection;
        let pending =
            MigrationHarness::<$database>::pending_migrations(connection, $steps).unwrap();
        for step in &pending {
            if step.name().to_string().starts_with(FINER_LISTS) {
                let before = PREPARED_BEFORE.replace("SLICE", $slice);
                connection.batch_execute(&before).unwrap();
            }
            MigrationHarness::<$database>::run_migration(connection, step).unwrap();
        }
        let after = diesel::sql_query(
            "SELECT (SELECT COUNT(*) FROM alert_search) AS slices, \
             (SELECT COUNT(*) FROM alert_search_progress) AS progress, name_key, path_key FROM projects",
        );
        let after: AfterFinerLists = after.get_result(connection).unwrap();
        let takes = [32, 64].map(|length| {
            let insert = format!("INSERT INTO alert_search VALUES (1, 0, {length}, {}({length}))", $slice);
            connection.batch_execute(&insert).is_ok()
        });
        (after, takes)
    }};
}

/// Slices of larger blocks would be read as those of other blocks, so none of them are kept, and no new ones are
/// accepted.
#[test]
fn a_migration_discards_search_slices_of_larger_blocks() {
    let expected = || {
        let after = AfterFinerLists {
            slices: 0,
            progress: 0,
            name_key: "web shop".to_owned(),
            path_key: "web-shop".to_owned(),
        };
        (after, [false, true])
    };
    let mut connection = diesel::SqliteConnection::establish(":memory:").unwrap();
    let after = finer_lists!(
        &mut connection,
        ON_SQLITE,
        diesel::sqlite::Sqlite,
        "zeroblob"
    );
    assert_eq!(after, expected());
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let mut connection = diesel::PgConnection::establish(database.url()).unwrap();
    diesel::connection::SimpleConnection::batch_execute(
        &mut connection,
        "CREATE FUNCTION pg_temp.zeros(length INT) RETURNS BYTEA \
         RETURN decode(repeat('00', length), 'hex');",
    )
    .unwrap();
    let after = finer_lists!(
        &mut connection,
        ON_POSTGRES,
        diesel::pg::Pg,
        "pg_temp.zeros"
    );
    assert_eq!(after, expected());
}
