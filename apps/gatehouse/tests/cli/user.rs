//! `gatehouse user`: creating users, resetting passwords, blocking and unblocking.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::shell::{CommandResult, TestShell};
use crate::support::TestServer;

fn create(
    shell: &TestShell,
    username: &str,
    email: &str,
    more: &[&str],
    input: &str,
) -> CommandResult {
    let fixed = ["user", "create", "--username", username, "--email", email];
    shell.run_with_input(&[&fixed[..], more].concat(), input)
}

#[test]
fn a_generated_password_is_printed_at_user_creation() {
    let shell = TestShell::migrated();
    let created = create(&shell, "ann", "ann@example.com", &["--json"], "").json();
    assert_eq!(
        (&created["id"], &created["username"]),
        (&json!(1), &json!("ann"))
    );
    let password = created["password"].as_str().unwrap();
    assert!(password.len() >= 24, "{password}");
    let printed = create(&shell, "bob", "bob@example.com", &[], "").checked_output();
    let other = printed.lines().last().unwrap().trim();
    let other = other.strip_prefix("password").unwrap().trim();
    let passwords = HashSet::from([password, other]);
    assert_eq!(passwords.len(), 2);
}

#[test]
fn a_password_from_standard_input_is_not_printed() {
    let shell = TestShell::migrated();
    let flags = ["--password-stdin", "--json"];
    let created = create(&shell, "ann", "ann@example.com", &flags, "correct horse\n").json();
    assert_eq!(created["password"], Value::Null);
    let printed = create(
        &shell,
        "bob",
        "bob@example.com",
        &flags[..1],
        "correct horse",
    )
    .checked_output();
    assert!(
        !printed.contains("correct horse") && !printed.contains("password"),
        "{printed}"
    );
}

#[test]
fn weak_or_overlong_passwords_are_rejected_and_create_no_user() {
    let shell = TestShell::migrated();
    let long = "x".repeat(1025);
    for (password, response) in [
        ("", "at least 8 characters"),
        ("seven77\n", "at least 8 characters"),
        (long.as_str(), "at most 1024 bytes"),
    ] {
        let flags = ["--password-stdin"];
        let outcome = create(&shell, "ann", "ann@example.com", &flags, password);
        let error_output = outcome.error_message();
        assert!(error_output.contains(response), "{error_output}");
    }
    // Characters count, not bytes; and the name is still free.
    let flags = ["--password-stdin"];
    create(&shell, "ann", "ann@example.com", &flags, "üüüüüüüü").checked_output();
}

#[test]
fn invalid_display_names_are_rejected_and_create_no_user() {
    let shell = TestShell::migrated();
    let too_long = "x".repeat(256);
    for (name, error_output) in [
        (" ", "name can't be blank"),
        ("Ann\nB", "name can't contain control characters"),
        (&*too_long, "name is too long (maximum is 255 characters)"),
    ] {
        let outcome = create(&shell, "ann", "ann@example.com", &["--name", name], "");
        let text = outcome.error_message();
        assert!(text.contains(error_output), "{name:?}: {text}");
    }
    create(&shell, "ann", "ann@example.com", &["--name", " Ann B "], "").checked_output();
}

#[test]
fn a_username_or_email_in_use_is_rejected_in_any_case() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    for (username, email, response) in [
        (
            "ann",
            "other@example.com",
            "the username has already been taken",
        ),
        (
            "ANN",
            "other@example.com",
            "the username has already been taken",
        ),
        ("bob", "ann@example.com", "the email has already been taken"),
        ("bob", "Ann@Example.com", "the email has already been taken"),
    ] {
        let error_output = create(&shell, username, email, &[], "").error_message();
        assert!(error_output.contains(response), "{error_output}");
    }
    shell.user("bob", &[]);
}

#[test]
fn malformed_emails_are_rejected_and_create_no_user() {
    let shell = TestShell::migrated();
    for email in [
        "",
        "nomail",
        "@example.com",
        "ann@",
        "ann@example.com bob@example.com",
    ] {
        let error_output = create(&shell, "ann", email, &[], "").error_message();
        let response = "an email address must be name@host";
        assert!(error_output.contains(response), "{email}: {error_output}");
    }
    assert_eq!(shell.user("ann", &[])["id"], 1);
}

#[test]
fn a_group_name_is_rejected_as_username() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    let path = [
        "project",
        "create",
        "--path",
        "tools/hammer",
        "--creator",
        "ann",
    ];
    shell.run(&path).checked_output();
    let error_output = create(&shell, "Tools", "t@example.com", &[], "").error_message();
    assert!(
        error_output.contains("has already been taken"),
        "{error_output}"
    );
}

#[test]
fn a_username_is_one_segment_of_a_path() {
    let shell = TestShell::migrated();
    for name in [
        "", "a b", "a/b", "-ann", ".ann", "ann.", "ann.git", "ännchen",
    ] {
        let argument = format!("--username={name}");
        let command = ["user", "create", &argument, "--email", "a@example.com"];
        let error_output = shell.run(&command).error_message();
        assert!(
            error_output.contains("a username must have 1 to 255"),
            "{name}: {error_output}"
        );
    }
}

#[test]
fn an_administrator_is_one_by_flag_only() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    shell.user("root", &["--admin"]);
    let sudo = |user: &str| {
        let command = ["token", "create", "--user", user, "--scopes", "sudo"];
        shell.run(&command).code
    };
    assert_eq!((sudo("ann"), sudo("root")), (1, 0));
}

fn password(shell: &TestShell, username: &str, more: &[&str], input: &str) -> CommandResult {
    let fixed = ["user", "password", username];
    shell.run_with_input(&[&fixed[..], more].concat(), input)
}

#[test]
fn a_generated_password_is_printed_at_a_password_change() {
    let shell = TestShell::migrated();
    let first = shell.user("ann", &[])["password"].clone();
    let changed = password(&shell, "ann", &["--json"], "").json();
    assert_eq!(
        (&changed["id"], &changed["username"]),
        (&json!(1), &json!("ann"))
    );
    let second = changed["password"].as_str().unwrap();
    assert!(second.len() >= 24, "{second}");
    assert_ne!(first, second);
    let printed = password(&shell, "ann", &[], "").checked_output();
    let third = printed.trim().strip_prefix("password").unwrap().trim();
    assert!(third.len() >= 24 && third != second, "{printed}");
}

#[test]
fn another_password_from_standard_input_is_not_printed() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    let flags = ["--password-stdin"];
    let printed = password(&shell, "ANN", &flags, "correct horse\n").checked_output();
    assert_eq!(printed, "changed\n");
    let response = password(
        &shell,
        "ann",
        &["--password-stdin", "--json"],
        "correct horse",
    );
    assert_eq!(response.json()["password"], Value::Null);
}

#[test]
fn a_password_change_validates_the_password_and_the_user() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    let flags = ["--password-stdin"];
    let error_output = password(&shell, "ann", &flags, "seven77").error_message();
    assert!(
        error_output.contains("at least 8 characters"),
        "{error_output}"
    );
    let error_output = password(&shell, "bob", &flags, "correct horse").error_message();
    assert!(
        error_output.contains("there is no user \"bob\""),
        "{error_output}"
    );
}

/// The account for automatic changes of alert intake cannot sign in and cannot be blocked.
#[test]
fn a_bot_is_neither_blocked_nor_given_a_password() {
    let server = TestServer::start();
    for (command, response) in [
        (
            &["user", "block", "alert-bot"][..],
            "bots cannot be blocked or unblocked",
        ),
        (
            &["user", "unblock", "alert-bot"],
            "bots cannot be blocked or unblocked",
        ),
        (&["user", "password", "alert-bot"], "bots have no password"),
    ] {
        let output = server.command(command);
        let error_output = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(error_output.contains(response), "{error_output}");
    }
}

#[test]
fn a_user_is_blocked_and_unblocked_as_often_as_one_likes() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    for (command, response) in [
        ("block", "blocked\n"),
        ("block", "blocked\n"),
        ("unblock", "unblocked\n"),
        ("unblock", "unblocked\n"),
    ] {
        assert_eq!(
            shell.run(&["user", command, "ann"]).checked_output(),
            response
        );
    }
    let error_output = shell.run(&["user", "block", "bob"]).error_message();
    assert!(
        error_output.contains("there is no user \"bob\""),
        "{error_output}"
    );
}

/// A user who is locked out by failed attempts can sign in with a new password at once.
#[test]
fn a_new_password_ends_the_lockout() {
    let server = TestServer::start_configured("[sign_in]\nmax_failures = 2");
    let mut browser = server.browser();
    for login in ["dev", "dev@example.com"] {
        for _ in 0..2 {
            browser.try_sign_in(login, "a wrong guess");
        }
        assert_eq!(browser.try_sign_in(login, "a wrong guess").status, 429);
    }
    let changed = server.command_json(&["user", "password", "dev", "--json"]);
    let new = changed["password"].as_str().unwrap();
    server.browser().sign_in("dev", new);
    server.browser().sign_in("dev@example.com", new);
}
