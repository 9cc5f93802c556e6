//! A command reports all its mistakes at once.

use crate::shell::Shell;

#[test]
fn all_mistakes_of_a_command_are_told_at_once() {
    let shell = Shell::migrated();
    let missing = "the database sqlite:mistyped/gatehouse.sqlite3 does not exist";
    let there: &[&str] = &[];
    let nowhere: &[&str] = &["--data", "mistyped"];
    for (command, place, parts) in [
        (
            &["user", "create", "--username", "a b", "--email", "nothing"][..],
            there,
            &["a username has 1 to 255", "email"][..],
        ),
        (
            &["user", "create", "--username", "a b", "--email", "nothing"],
            nowhere,
            &["a username has 1 to 255", "email", missing],
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
                "\"soon\" is not a day",
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
                "a project's path is GROUP/PROJECT",
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
        let complaint = shell.run(&[command, place].concat()).complained();
        for part in parts {
            assert!(
                complaint.contains(part),
                "{command:?}: {part} is not in: {complaint}"
            );
        }
    }
    assert_eq!(shell.user("ann", &[])["id"], 1, "nothing was made");
}
