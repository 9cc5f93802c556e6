//! Commands without a database.

use test_databases::TestDatabase;

use crate::shell::TestShell;

/// Administration commands.
const COMMANDS: [&[&str]; 11] = [
    &[
        "user",
        "create",
        "--username",
        "ann",
        "--email",
        "ann@example.com",
        "--admin",
    ],
    &["user", "password", "ann"],
    &["user", "block", "ann"],
    &["user", "unblock", "ann"],
    &["user", "two-factor-off", "ann"],
    &["token", "create", "--user", "ann"],
    &["token", "revoke", "--token-stdin"],
    &["project", "create", "--path", "a/b", "--creator", "ann"],
    &[
        "application",
        "create",
        "--name",
        "App",
        "--redirect-uri",
        "https://app.example/cb",
    ],
    &["check"],
    &["backup", "backup.tar"],
];

/// Such a database would be empty, and its creation would go unnoticed.
#[test]
fn no_command_of_administration_creates_a_database() {
    let shell = TestShell::new();
    for command in COMMANDS {
        let outcome = shell.run(&[command, &["--data", "mistyped"]].concat());
        let part = "the database sqlite:mistyped/gatehouse.sqlite3 does not exist; run `gatehouse migrate` to create it";
        assert!(
            outcome.error_output.contains(part),
            "{command:?}: {outcome:?}"
        );
        assert_eq!(outcome.code, 1, "{command:?}");
        let created: Vec<_> = std::fs::read_dir(shell.directory()).unwrap().collect();
        assert!(created.is_empty(), "{command:?}: {created:?}");
    }
}

#[test]
fn no_command_of_administration_creates_tables() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let shell = TestShell::new().with("GATEHOUSE_DATABASE_URL", database.url());
    for command in COMMANDS {
        let outcome = shell.run(command);
        assert_eq!(outcome.code, 1, "{command:?}: {outcome:?}");
        assert!(
            !outcome.error_output.contains("there is no user"),
            "{command:?}: {outcome:?}"
        );
    }
    let error_output = shell.run(COMMANDS[0]).error_message();
    assert!(
        error_output.contains("run `gatehouse migrate`"),
        "{error_output}"
    );
}
