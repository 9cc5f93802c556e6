//! A command reports all its mistakes at once.

use crate::shell::TestShell;

#[test]
fn all_errors_of_a_command_are_reported_at_once() {
    let shell = TestShell::migrated();
    let missing = "the database sqlite:mistyped/gatehouse.sqlite3 does not exist";
    let there: &[&str] = &[];
    let nowhere: &[&str] = &["--data", "mistyped"];
    for (command, place, parts) in [
        (
            &["user", "create", "--username", "a b", "--email", "nothing"][..],
            there,
            &["a username must have 1 to 255", "email"][..],
        ),
        (
            &["user", "create", "--username", "a b", "--email", "nothing"],
            nowhere,
            &["a username must have 1 to 255", "email", missing],
        ),
        (
            &[
                "token",
                "create",
                "--user",
                "nobody",
                "--scopes",
                "fly",
                "--expires-on",
                "soon",
            ],
            there,
            &[
                "there is no user \"nobody\"",
                "fly",
                "\"soon\" is not a date",
            ],
        ),
        (
            &[
                "project",
                "create",
                "--path",
                "alone",
                "--creator",
                "nobody",
                "--visibility",
                "secret",
            ],
            there,
            &[
                "the path must be GROUP/PROJECT",
                "private, internal or public",
                "there is no user \"nobody\"",
            ],
        ),
        (
            &[
                "project",
                "create",
                "--path",
                "a//b",
                "--creator",
                "ann",
                "--visibility",
                "secret",
            ],
            nowhere,
            &[
                "the path has an empty segment",
                "private, internal or public",
                missing,
            ],
        ),
        (
            &[
                "application",
                "create",
                "--name",
                "App",
                "--redirect-uri",
                "ftp://app.example/cb",
                "--scopes",
                "fly",
                "--owner",
                "nobody",
            ],
            there,
            &[
                "is forbidden by the server",
                "fly",
                "there is no user \"nobody\"",
            ],
        ),
    ] {
        let error_output = shell.run(&[command, place].concat()).error_message();
        for part in parts {
            assert!(
                error_output.contains(part),
                "{command:?}: {part} is not in: {error_output}"
            );
        }
    }
    assert_eq!(shell.user("ann", &[])["id"], 1, "nothing was made");
}
