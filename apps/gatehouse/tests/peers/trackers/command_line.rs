//! Scripts that report with the tracker's own command-line program, unmodified.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;

use super::limits::{events, limited_key};
use super::{RELEASE, error, latest_report, packages, tag};
use crate::support::TestServer;

/// The program for this kind of machine, from its Node package.
#[expect(clippy::print_stdout, reason = "what is skipped is told")]
pub(super) fn program() -> Option<PathBuf> {
    let machine = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "x64",
        ("linux", "aarch64") => "arm64",
        _ => {
            // The list has no package for this machine, so no installation provides it.
            println!("skipped: no program for the command line of this machine");
            return None;
        }
    };
    let package = format!("node_modules/@sentry/cli-linux-{machine}/bin/sentry-cli");
    Some(packages()?.join(package))
}

/// Reports a message, with only the given environment.
fn send(program: &Path, dsn: &str, arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    Command::new(program)
        .env_clear()
        .env("HOME", home.path())
        .env("SENTRY_DSN", dsn)
        .env("SHOP_PASSWORD", "rosebud")
        .env("SHOP_COLOUR", "blue")
        .args(["send-event", "--release", RELEASE, "--env", "staging"])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_script_reports_messages() {
    let Some(program) = program() else {
        return;
    };
    let server = TestServer::start();
    let dsn = server.text("/tracker/dsn");
    for number in ["1", "2"] {
        let text = [
            "--message",
            "order %s was not paid",
            "--message-arg",
            number,
        ];
        let facts = [
            "--level",
            "warning",
            "--platform",
            "python",
            "--extra",
            "books:3",
        ];
        let who = [
            "--tag",
            "area:checkout",
            "--user",
            "id:7",
            "--user",
            "email:ann@example.com",
        ];
        let output = send(&program, dsn, &[&text[..], &facts, &who].concat());
        let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && output_text.contains("Event id"),
            "{output:?}"
        );
    }
    let reported = error(&server, "order 2 was not paid");
    let facts = ["count", "user_count", "level", "platform"].map(|name| reported[name].clone());
    assert_eq!(
        facts,
        [json!(2), json!(1), json!("warning"), json!("python")]
    );
    assert_eq!(tag(&reported, "area"), [("checkout".to_owned(), 2)]);
    let report = latest_report(&server, &reported);
    assert_eq!(report["sdk"]["name"], "sentry-cli");
    assert_eq!(report["message"]["template"], "order %s was not paid");
    assert_eq!(report["user"]["id"], "7");
    assert_eq!(report["user"]["email"], "ann@example.com");
    assert_eq!(report["extra"]["books"], "3");
    // The program also sends the whole environment of the script.
    let environment = &report["extra"]["environ"];
    assert_eq!(environment["SHOP_COLOUR"], "blue");
    assert_eq!(environment["SHOP_PASSWORD"], "[Filtered]");
    assert_eq!(environment["SENTRY_DSN"], "[Filtered]");
}

#[test]
fn a_script_hears_that_it_sent_too_much() {
    let Some(program) = program() else {
        return;
    };
    let server = TestServer::start();
    let (key, dsn) = limited_key(&server);
    let message = ["--message", "stock is low"];
    assert!(send(&program, &dsn, &message).status.success());
    let refused = send(&program, &dsn, &message);
    let output_text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && output_text.contains("429"),
        "{output_text}"
    );
    let came = ["stored", "limited"].map(|outcome| events(&server, &key, outcome));
    assert_eq!(came, [1, 1]);
}
