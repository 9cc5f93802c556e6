//! Commands without a database.

use test_databases::TestDatabase;

use crate::shell::Shell;

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
    let shell = Shell::new();
    for command in COMMANDS {
        let outcome = shell.run(&[command, &["--data", "mistyped"]].concat());
        let part = "the database sqlite:mistyped/gatehouse.sqlite3 does not exist; `gatehouse migrate` makes it";
        assert!(outcome.complaint.contains(part), "{command:?}: {outcome:?}");
        assert_eq!(outcome.code, 1, "{command:?}");
        let made: Vec<_> = std::fs::read_dir(shell.directory()).unwrap().collect();
        assert!(made.is_empty(), "{command:?}: {made:?}");
    }
}

#[test]
fn no_command_of_administration_creates_tables() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let shell = Shell::new().with("GATEHOUSE_DATABASE_URL", database.url());
    for command in COMMANDS {
        let outcome = shell.run(command);
        assert_eq!(outcome.code, 1, "{command:?}: {outcome:?}");
        assert!(
            !outcome.complaint.contains("there is no user"),
            "{command:?}: {outcome:?}"
        );
    }
    let complaint = shell.run(COMMANDS[0]).complained();
    assert!(complaint.contains("run `gatehouse migrate`"), "{complaint}");
}
