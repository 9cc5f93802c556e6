//! `gatehouse user create`.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::shell::{Outcome, Shell};

fn create(shell: &Shell, username: &str, email: &str, more: &[&str], input: &str) -> Outcome {
    let fixed = ["user", "create", "--username", username, "--email", email];
    shell.run_with_input(&[&fixed[..], more].concat(), input)
}

#[test]
fn a_password_is_made_up_and_shown_once() {
    let shell = Shell::new();
    let made = create(&shell, "ann", "ann@example.com", &["--json"], "").json();
    assert_eq!((&made["id"], &made["username"]), (&json!(1), &json!("ann")));
    let password = made["password"].as_str().unwrap();
    assert!(password.len() >= 24, "{password}");
    let printed = create(&shell, "bob", "bob@example.com", &[], "").printed();
    let other = printed.lines().last().unwrap().trim();
    let other = other.strip_prefix("password").unwrap().trim();
    let passwords = HashSet::from([password, other]);
    assert_eq!(passwords.len(), 2);
}

#[test]
fn a_password_from_standard_input_is_not_printed() {
    let shell = Shell::new();
    let flags = ["--password-stdin", "--json"];
    let made = create(&shell, "ann", "ann@example.com", &flags, "correct horse\n").json();
    assert_eq!(made["password"], Value::Null);
    let printed = create(
        &shell,
        "bob",
        "bob@example.com",
        &flags[..1],
        "correct horse",
    )
    .printed();
    assert!(
        !printed.contains("correct horse") && !printed.contains("password"),
        "{printed}"
    );
}

#[test]
fn a_weak_or_endless_password_is_refused_and_no_user_is_made() {
    let shell = Shell::new();
    let long = "x".repeat(1025);
    for (password, told) in [
        ("", "at least 8 characters"),
        ("seven77\n", "at least 8 characters"),
        (long.as_str(), "at most 1024 bytes"),
    ] {
        let flags = ["--password-stdin"];
        let outcome = create(&shell, "ann", "ann@example.com", &flags, password);
        let complaint = outcome.complained();
        assert!(complaint.contains(told), "{complaint}");
    }
    // Characters count, not bytes; and the name is still free.
    let flags = ["--password-stdin"];
    create(&shell, "ann", "ann@example.com", &flags, "üüüüüüüü").printed();
}

#[test]
fn a_name_or_an_address_that_is_taken_in_any_case_is_refused() {
    let shell = Shell::new();
    shell.user("ann", &[]);
    for (username, email, told) in [
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
        let complaint = create(&shell, username, email, &[], "").complained();
        assert!(complaint.contains(told), "{complaint}");
    }
    shell.user("bob", &[]);
}

#[test]
fn the_name_of_a_group_is_taken() {
    let shell = Shell::new();
    shell.user("ann", &[]);
    let path = [
        "project",
        "create",
        "--path",
        "tools/hammer",
        "--creator",
        "ann",
    ];
    shell.run(&path).printed();
    let complaint = create(&shell, "Tools", "t@example.com", &[], "").complained();
    assert!(complaint.contains("has already been taken"), "{complaint}");
}

#[test]
fn a_username_is_one_segment_of_a_path() {
    let shell = Shell::new();
    for name in [
        "", "a b", "a/b", "-ann", ".ann", "ann.", "ann.git", "ännchen",
    ] {
        let argument = format!("--username={name}");
        let command = ["user", "create", &argument, "--email", "a@example.com"];
        let complaint = shell.run(&command).complained();
        assert!(
            complaint.contains("a username has 1 to 255"),
            "{name}: {complaint}"
        );
    }
}

#[test]
fn an_administrator_is_one_by_flag_only() {
    let shell = Shell::new();
    shell.user("ann", &[]);
    shell.user("root", &["--admin"]);
    let sudo = |user: &str| {
        let command = ["token", "create", "--user", user, "--scopes", "sudo"];
        shell.run(&command).code
    };
    assert_eq!((sudo("ann"), sudo("root")), (1, 0));
}
