//! `gatehouse migrate`.

use std::process::Child;

use test_databases::TestDatabase;

use crate::shell::{Shell, ending};

#[test]
fn a_fresh_database_lacks_its_tables_until_it_is_migrated() {
    let shell = Shell::new().with_file("empty.db", "");
    let before = shell.run(&["check", "--database", "sqlite:empty.db"]);
    assert_eq!(before.code, 1);
    for word in ["lacks", "accounts", "run `gatehouse migrate`"] {
        assert!(before.complaint.contains(word), "{before:?}");
    }
    for _ in 0..2 {
        let printed = shell.run(&["migrate"]).printed();
        assert_eq!(printed, "sqlite:./data/gatehouse.sqlite3 is up to date\n");
        shell.run(&["check"]).printed();
    }
}

#[test]
fn the_same_holds_on_postgresql() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let shell = Shell::new().with("GATEHOUSE_DATABASE_URL", database.url());
    assert_eq!(shell.run(&["check"]).code, 1);
    for _ in 0..2 {
        shell.run(&["migrate"]).printed();
        let printed = shell.run(&["check"]).printed();
        let response =
            "is reachable and up to date; every row can be read and every index is in use\n";
        assert!(printed.ends_with(response), "{printed}");
    }
}

/// Migrating keeps existing data.
#[test]
fn what_is_stored_stays() {
    let shell = Shell::new();
    shell.user("ann", &[]);
    shell.run(&["migrate"]).printed();
    let again = [
        "user",
        "create",
        "--username",
        "ann",
        "--email",
        "b@example.com",
    ];
    let complaint = shell.run(&again).complained();
    assert!(complaint.contains("has already been taken"), "{complaint}");
}

/// Starts eight processes before it waits for any.
fn at_once(shell: &Shell) {
    let processes: Vec<Child> = (0..8).map(|_| shell.spawn(&["migrate"])).collect();
    for process in processes {
        ending(process).printed();
    }
    shell.run(&["check"]).printed();
}

#[test]
fn eight_processes_may_migrate_a_fresh_file_at_once() {
    at_once(&Shell::new());
}

#[test]
fn eight_processes_may_migrate_a_fresh_database_of_postgresql_at_once() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    at_once(&Shell::new().with("GATEHOUSE_DATABASE_URL", database.url()));
}
