//! Kills of a process that migrates a database: afterwards it has whole steps, and the next process applies the rest.

use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;

use diesel::connection::SimpleConnection;
use diesel::migration::Migration as _;
use diesel::prelude::*;
use diesel_migrations::MigrationHarness;
use storage_diesel::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use test_databases::TestDatabase;

use crate::durability::{child, file_to_work_on};
use crate::migrations::{FINER_LISTS, ON_POSTGRES, ON_SQLITE, PREPARED_BEFORE, written_before};

/// Alerts of the older database, so that its migrations take a while.
const ALERTS: i64 = 3_000;
/// Migrations between two kills.
const BETWEEN: i64 = 9;

#[derive(QueryableByName)]
struct AppliedCount {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    number: i64,
}

#[derive(QueryableByName)]
struct TableName {
    #[diesel(sql_type = diesel::sql_types::Text)]
    name: String,
}

/// On a new file, or as the child that is killed.
#[test]
fn a_process_migrates_a_file() {
    let (file, _own_directory) = file_to_work_on();
    let store = SqliteStore::open(file, SqliteOptions::default()).unwrap();
    store.migrate().unwrap();
    assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
}

/// On a new database, or as the child that is killed. The parent gives it the address in place of a file.
#[test]
fn a_process_migrates_a_server() {
    let (address, own_directory) = file_to_work_on();
    let own = own_directory.map(|_| TestDatabase::empty());
    let address = match &own {
        None => address.to_str().unwrap().to_owned(),
        Some(Some(database)) => database.url().to_owned(),
        Some(None) => return,
    };
    let store = PostgresStore::open(&address, PostgresOptions::default()).unwrap();
    store.migrate().unwrap();
    assert_eq!(store.pending_migrations().unwrap(), Vec::<String>::new());
}

/// Creates the tables of an older program with alerts in them.
/// `identity` is the type of an identity, and `slice` creates bytes.
macro_rules! create_older {
    ($connection:expr, $steps:expr, $database:ty, $identity:literal, $slice:literal) => {{
        let connection = $connection;
        let pending =
            MigrationHarness::<$database>::pending_migrations(connection, $steps).unwrap();
        let older = pending
            .iter()
            .take_while(|step| !step.name().to_string().starts_with(FINER_LISTS));
        for step in older {
            MigrationHarness::<$database>::run_migration(connection, step).unwrap();
        }
        let alerts = (1..=ALERTS).map(|number| written_before(number, 10, 20, 90));
        let alerts: Vec<String> = alerts.collect();
        let rows = format!("{};", alerts.join(";")).replace("IDENTITY", $identity);
        let before = PREPARED_BEFORE.replace("SLICE", $slice);
        connection
            .batch_execute(&format!("BEGIN; {before} {rows} COMMIT"))
            .unwrap();
    }};
}

/// Returns the number of applied migrations.
macro_rules! applied {
    ($connection:expr) => {
        diesel::sql_query("SELECT COUNT(*) AS number FROM __diesel_schema_migrations")
            .get_result::<AppliedCount>($connection)
            .unwrap()
            .number
    };
}

/// Kills processes that migrate, each after some more migrations, until one ends by itself. Returns the number of kills.
fn kill_repeatedly(start: impl Fn() -> Child, mut applied: impl FnMut() -> i64) -> usize {
    let mut kills = 0;
    loop {
        let enough = applied() + BETWEEN;
        let mut process = start();
        loop {
            if let Some(status) = process.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return kills;
            }
            if applied() >= enough {
                process.kill().unwrap();
                kills += usize::from(!process.wait().unwrap().success());
                break;
            }
            thread::yield_now();
        }
    }
}

fn start(test: &str, target: &Path) -> Child {
    let mut command = child(&format!("killed_migration::{test}"), target);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    command.spawn().unwrap()
}

fn connect(file: &Path) -> SqliteConnection {
    let mut connection = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    connection
        .batch_execute("PRAGMA busy_timeout = 10000")
        .unwrap();
    connection
}

/// Returns the number of rows that only one of two databases has, of a query that has `SCHEMA` in place of their names.
fn differences(connection: &mut SqliteConnection, query: &str) -> i64 {
    let [here, there] = ["main", "other"].map(|schema| query.replace("SCHEMA", schema));
    let counted = format!(
        "SELECT (SELECT COUNT(*) FROM ({here} EXCEPT {there})) + (SELECT COUNT(*) FROM ({there} EXCEPT {here})) AS number"
    );
    diesel::sql_query(counted)
        .get_result::<AppliedCount>(connection)
        .unwrap()
        .number
}

#[test]
fn a_file_is_the_same_after_a_migration_with_kills() {
    let directory = tempfile::tempdir().unwrap();
    let [undisturbed, killed] = ["undisturbed", "killed"].map(|name| directory.path().join(name));
    create_older!(
        &mut connect(&killed),
        ON_SQLITE,
        diesel::sqlite::Sqlite,
        "BLOB",
        "zeroblob"
    );
    std::fs::copy(&killed, &undisturbed).unwrap();
    let whole = start("a_process_migrates_a_file", &undisturbed).wait();
    assert!(whole.unwrap().success());
    let mut reader = connect(&killed);
    let kills = kill_repeatedly(
        || start("a_process_migrates_a_file", &killed),
        || applied!(&mut reader),
    );
    assert!(kills >= 2, "killed {kills} times");
    drop(reader);

    let mut both = connect(&undisturbed);
    both.batch_execute(&format!("ATTACH '{}' AS other", killed.display()))
        .unwrap();
    let schema = "SELECT type, name, tbl_name, sql FROM SCHEMA.sqlite_schema";
    assert_eq!(differences(&mut both, schema), 0);
    // The times of the migrations differ.
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> '__diesel_schema_migrations'";
    let tables: Vec<TableName> = diesel::sql_query(tables).load(&mut both).unwrap();
    assert!(tables.len() > 50, "{}", tables.len());
    for TableName { name } in tables {
        let rows = format!("SELECT * FROM SCHEMA.{name}");
        assert_eq!(differences(&mut both, &rows), 0, "{name}");
    }
}

#[test]
fn a_server_has_everything_after_a_migration_with_kills() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let mut connection = PgConnection::establish(database.url()).unwrap();
    connection
        .batch_execute(
            "CREATE FUNCTION pg_temp.zeros(length INT) RETURNS BYTEA \
             RETURN decode(repeat('00', length), 'hex');",
        )
        .unwrap();
    create_older!(
        &mut connection,
        ON_POSTGRES,
        diesel::pg::Pg,
        "BYTEA",
        "pg_temp.zeros"
    );
    let kills = kill_repeatedly(
        || start("a_process_migrates_a_server", Path::new(database.url())),
        || applied!(&mut connection),
    );
    assert!(kills >= 2, "killed {kills} times");
    let alerts: AppliedCount = diesel::sql_query("SELECT COUNT(*) AS number FROM alerts")
        .get_result(&mut connection)
        .unwrap();
    assert_eq!(alerts.number, ALERTS);
}
