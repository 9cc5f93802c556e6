//! `gatehouse copy`, and restores into the other kind of database.

use std::fs;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use test_databases::TestDatabase;

use crate::backup::{MANY_LABELS, backup_of, is_inserting, killed_at, stopped, tables};
use crate::shell::TestShell;
use crate::support::eventually;

#[test]
fn a_copy_to_postgresql_and_back_is_complete_or_not_there_at_all() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let (server, shell) = (stopped(MANY_LABELS), TestShell::new());
    let data = server.data().display().to_string();
    let to_server = ["copy", "--to", database.url(), "--data", &data, "--json"];
    let mut process = shell.spawn(&to_server);
    eventually("rows are inserted", || {
        assert!(process.try_wait().unwrap().is_none(), "it is not that fast");
        is_inserting(&database).then_some(())
    });
    process.kill().unwrap();
    process.wait().unwrap();
    eventually("PostgreSQL noticed the kill", || {
        (!is_inserting(&database)).then_some(())
    });
    assert_eq!(tables(&database), 0);
    let there = shell.run(&to_server).json();
    assert!(there["rows"].as_u64() > Some(40_000), "{there}");
    let error_output = shell.run(&to_server).error_message();
    assert!(
        error_output.contains("the database is not empty"),
        "{error_output}"
    );

    let file = shell.path("back/gatehouse.sqlite3");
    let unfinished = shell.path("back/gatehouse.sqlite3-restoring");
    let target = format!("sqlite:{}", file.display());
    let to_file = ["copy", "--to", &target, "--database", database.url()];
    let to_file = [&to_file[..], &["--data", &data]].concat();
    assert!(killed_at(shell.spawn(&to_file), &unfinished, 1 << 20));
    assert!(!file.exists());
    let error_output = shell.run(&["check", "--data", "back"]).error_output;
    let part = "a restore or copy into sqlite:back/gatehouse.sqlite3 is running or was interrupted";
    assert!(error_output.contains(part), "{error_output}");
    let back = shell.run(&[&to_file[..], &["--json"]].concat()).json();
    assert_eq!(back["tables"], there["tables"]);
    let key_id = there["secret_key_id"].as_str().unwrap();
    assert_eq!(back["secret_key_id"], key_id);
    // The key is not copied.
    let error_output = shell.run(&["check", "--data", "back"]).error_output;
    assert!(
        error_output.contains("the secret key is missing"),
        "{error_output}"
    );
    let key = server.data().join("secret.key");
    fs::copy(key, shell.path("back/secret.key")).unwrap();
    shell.run(&["check", "--data", "back"]).checked_output();
}

#[test]
fn text_that_postgresql_cannot_store_is_named_before_anything_is_written() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let server = stopped(
        "INSERT INTO labels (id, project_id, title, description, color, created_at, updated_at) \
         VALUES (77, 1, 'nul', 'a' || char(0), '#000000', 1, 1)",
    );
    let (shell, data) = (TestShell::new(), server.data().display().to_string());
    let copy = ["copy", "--to", database.url(), "--data", &data];
    let restore = ["restore", "backup.tar", "--database", database.url()];
    backup_of(&server, &shell.path("backup.tar"));
    for command in [&copy[..], &restore] {
        let error_output = shell.run(command).error_message();
        let part =
            "table labels, row id = 77: a text contains U+0000, which PostgreSQL cannot store";
        assert!(error_output.contains(part), "{error_output}");
        assert_eq!(tables(&database), 0);
    }
    // SQLite stores it.
    shell
        .run(&["restore", "backup.tar", "--data", "same"])
        .checked_output();
    let file = server.data().join("gatehouse.sqlite3");
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    connection.batch_execute("DELETE FROM labels").unwrap();
    backup_of(&server, &shell.path("backup.tar"));
    let restored = shell.run(&[&restore[..], &["--json"]].concat()).json();
    assert_eq!(restored["database"], "SQLite");
    shell
        .run(&["check", "--database", database.url()])
        .checked_output();
}

#[test]
fn a_target_that_is_no_database_is_refused() {
    let shell = TestShell::migrated();
    let error_output = shell
        .run(&["copy", "--to", "mysql://there"])
        .error_message();
    let part = "--to is not a database: use sqlite:PATH or postgres://…";
    assert!(error_output.contains(part), "{error_output}");
    let source = format!("sqlite:{}", shell.path("data/gatehouse.sqlite3").display());
    let error_output = shell.run(&["copy", "--to", &source]).error_message();
    assert!(error_output.contains("gatehouse.sqlite3"), "{error_output}");
}
