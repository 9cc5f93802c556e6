//! `gatehouse migrate`.

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use test_databases::TestDatabase;

use crate::shell::{TestShell, ending};

#[test]
fn a_fresh_database_lacks_its_tables_until_it_is_migrated() {
    let shell = TestShell::new().with_file("empty.db", "");
    let before = shell.run(&["check", "--database", "sqlite:empty.db"]);
    assert_eq!(before.code, 1);
    for word in [
        "migrations are pending: ",
        "accounts",
        "run `gatehouse migrate`",
    ] {
        assert!(before.error_output.contains(word), "{before:?}");
    }
    for _ in 0..2 {
        let printed = shell.run(&["migrate"]).checked_output();
        assert_eq!(printed, "sqlite:./data/gatehouse.sqlite3 is up to date\n");
        shell.run(&["check"]).checked_output();
    }
}

#[test]
fn the_same_holds_on_postgresql() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let shell = TestShell::new().with("GATEHOUSE_DATABASE_URL", database.url());
    assert_eq!(shell.run(&["check"]).code, 1);
    for _ in 0..2 {
        shell.run(&["migrate"]).checked_output();
        let printed = shell.run(&["check"]).checked_output();
        let response =
            "is reachable and up to date; all rows are readable and all indexes are valid\n";
        assert!(printed.ends_with(response), "{printed}");
    }
}

/// Migrating keeps existing data.
#[test]
fn migrate_keeps_existing_data() {
    let shell = TestShell::new();
    shell.user("ann", &[]);
    shell.run(&["migrate"]).checked_output();
    let again = [
        "user",
        "create",
        "--username",
        "ann",
        "--email",
        "b@example.com",
    ];
    let error_output = shell.run(&again).error_message();
    assert!(
        error_output.contains("has already been taken"),
        "{error_output}"
    );
}

#[test]
fn migrations_of_an_existing_database_are_logged() {
    let shell = TestShell::new();
    let logged = || {
        let run = shell.run(&["migrate"]);
        assert_eq!(run.code, 0, "{run:?}");
        run.error_output
    };
    assert_eq!(logged(), "", "a new database");
    let all = fs::read_dir("../../migrations/sqlite").unwrap();
    let all = all.map(|migration| migration.unwrap().path());
    let newest: PathBuf = all.max().unwrap();
    let name = newest.file_name().unwrap().to_str().unwrap();
    let (number, _) = name.split_once('_').unwrap();
    let down = fs::read_to_string(newest.join("down.sql")).unwrap();
    let file = shell.path("data/gatehouse.sqlite3");
    let mut connection = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
    let number = number.trim_end_matches('+');
    let forget = format!("DELETE FROM __diesel_schema_migrations WHERE version LIKE '{number}%'");
    connection
        .batch_execute(&format!("{down}; {forget}"))
        .unwrap();
    let lines = logged();
    for part in ["migration begins", "migration applied", number] {
        assert!(lines.contains(part), "{part}: {lines}");
    }
    assert_eq!(logged(), "", "a database that is up to date");
}

/// Starts eight processes before it waits for any.
fn at_once(shell: &TestShell) {
    let processes: Vec<Child> = (0..8).map(|_| shell.spawn(&["migrate"])).collect();
    for process in processes {
        ending(process).checked_output();
    }
    shell.run(&["check"]).checked_output();
}

#[test]
fn eight_processes_may_migrate_a_fresh_file_at_once() {
    at_once(&TestShell::new());
}

#[test]
fn eight_processes_may_migrate_a_fresh_database_of_postgresql_at_once() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    at_once(&TestShell::new().with("GATEHOUSE_DATABASE_URL", database.url()));
}
