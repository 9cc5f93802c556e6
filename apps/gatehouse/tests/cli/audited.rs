//! The audit log: every command that changes power is recorded in it, or listed here with a reason.

use std::collections::BTreeSet;

use accounts::AuditEventName as Event;
use clap::{Command, CommandFactory as _};
use gatehouse::cli::CommandLine;

use crate::support::TestServer;
use crate::support::rows::{DatabaseReader, change};

/// Commands that run a server, or that read.
const READING: [&str; 16] = [
    "serve",
    "demo",
    "user list",
    "invitation list",
    "token list",
    "application list",
    "project list",
    "check",
    "config",
    "healthcheck",
    "openapi",
    "registry-certificate",
    "deprecations check",
    "completions",
    "man",
    "version",
];

/// Commands about a database as a whole, with the log in it. People who run them have its files or its password.
const WHOLE_DATABASE: [&str; 4] = ["migrate", "backup", "restore", "copy"];

/// The names of all commands without subcommands.
fn commands() -> Vec<String> {
    fn add(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands() {
            let path = format!("{path} {}", sub.get_name());
            if sub.has_subcommands() {
                add(sub, &path, found);
            } else {
                found.push(path.trim().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    add(&CommandLine::command(), "", &mut found);
    found
}

/// Arguments with which a command changes something, and its event.
fn sample(server: &TestServer, command: &str) -> Option<(Vec<String>, Event)> {
    let created = |command: &[&str]| {
        let created = server.command_json(&[command, &["--json"]].concat());
        created["id"].to_string()
    };
    let (arguments, event): (Vec<String>, Event) = match command {
        "user create" => {
            let flags = ["--username", "ann", "--email", "ann@example.com"];
            (flags.map(str::to_owned).into(), Event::UserCreated)
        }
        "user block" => (vec!["rita".to_owned()], Event::UserBlocked),
        "user unblock" => {
            server.block("rita");
            (vec!["rita".to_owned()], Event::UserUnblocked)
        }
        "user password" => (vec!["dev".to_owned()], Event::UserUpdated),
        "user two-factor-off" => {
            let enable = "UPDATE users SET second_factor_enabled_at = 1, second_factor_sealed = x'00', \
                 second_factor_last_step = 0 WHERE username = 'dev'";
            change(server, enable);
            (vec!["dev".to_owned()], Event::UserUpdated)
        }
        "invitation create" => (Vec::new(), Event::InvitationCreated),
        "invitation revoke" => {
            let id = created(&["invitation", "create"]);
            (vec![id], Event::InvitationRevoked)
        }
        "token create" => {
            let flags = ["--user", "dev", "--scopes", "api"];
            (flags.map(str::to_owned).into(), Event::TokenCreated)
        }
        "token revoke" => {
            let id = created(&["token", "create", "--user", "dev", "--scopes", "api"]);
            (vec!["--id".to_owned(), id], Event::TokenRevoked)
        }
        "application create" => {
            let uri = "https://shop.example/cb";
            let flags = [
                "--name",
                "Shop",
                "--redirect-uri",
                uri,
                "--scopes",
                "openid",
            ];
            (flags.map(str::to_owned).into(), Event::ApplicationCreated)
        }
        "project create" => {
            let flags = ["--creator", "dev", "--path", "tools/hammer"];
            (flags.map(str::to_owned).into(), Event::ProjectCreated)
        }
        _ => return None,
    };
    let words = command.split(' ').map(str::to_owned);
    Some((words.chain(arguments).collect(), event))
}

/// Number of entries of an event without an author.
fn count(rows: &mut DatabaseReader, event: Event) -> i64 {
    let number = event.number();
    rows.number(&format!(
        "SELECT count(*) FROM audit_entries WHERE event_name = {number} AND author_id IS NULL"
    ))
}

/// A new command that changes power is recorded, or somebody decides here that it need not be.
#[test]
fn every_command_is_in_the_audit_log_or_listed_with_a_reason() {
    let server = TestServer::start();
    let mut rows = DatabaseReader::of(&server);
    let mut unrecorded = BTreeSet::new();
    for command in commands() {
        let Some((arguments, event)) = sample(&server, &command) else {
            unrecorded.insert(command);
            continue;
        };
        let before = count(&mut rows, event);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = server.command(&arguments);
        assert!(output.status.success(), "{command}: {output:?}");
        assert_eq!(count(&mut rows, event), before + 1, "{command}");
    }
    let listed = READING.iter().chain(&WHOLE_DATABASE);
    let listed: BTreeSet<String> = listed.map(|command| (*command).to_owned()).collect();
    assert_eq!(unrecorded, listed);
}

/// The target of the entries is the user for whom the command creates something.
#[test]
fn created_projects_and_groups_name_their_creator() {
    let server = TestServer::start();
    let mut rows = DatabaseReader::of(&server);
    server.create_project("tools/deep/hammer", "private", "dev");
    let entries = "SELECT event_name || ' ' || target_name AS text FROM audit_entries ORDER BY id DESC LIMIT 3";
    let (project, group) = (Event::ProjectCreated.number(), Event::GroupCreated.number());
    assert_eq!(
        rows.texts(entries),
        [
            format!("{project} dev"),
            format!("{group} dev"),
            format!("{group} dev"),
        ]
    );
}
