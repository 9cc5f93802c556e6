//! The reader of a command's output may stop at any time.

use std::process::{Command, Stdio};

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::support::server::program;
use crate::support::{TestCaller, eventually};

/// Runs the program with outputs that have no reader, and returns its exit status.
fn unread(shell: &TestShell, arguments: &[&str]) -> std::process::ExitStatus {
    let (reader, output) = std::io::pipe().unwrap();
    let (complaint_reader, error_output) = std::io::pipe().unwrap();
    drop((reader, complaint_reader));
    Command::new(program())
        .args(arguments)
        .current_dir(shell.directory())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(error_output)
        .status()
        .unwrap()
}

#[test]
fn commands_do_not_panic_on_a_closed_output_pipe() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    for (command, code) in [
        (&["migrate"][..], 0),
        (&["check"], 0),
        (&["openapi"], 0),
        (&["deprecations"], 0),
        (
            &[
                "user",
                "create",
                "--username",
                "bob",
                "--email",
                "bob@example.com",
            ],
            0,
        ),
        (&["user", "block", "bob"], 0),
        (&["token", "create", "--user", "ann", "--json"], 0),
        (
            &["project", "create", "--path", "a/b", "--creator", "ann"],
            0,
        ),
        (
            &[
                "application",
                "create",
                "--name",
                "App",
                "--redirect-uri",
                "https://app.example/cb",
            ],
            0,
        ),
        (&["backup", "backup.tar"], 0),
        (&["restore", "backup.tar", "--data", "other"], 0),
        (&["token", "create", "--user", "nobody"], 1),
        (&["--help"], 0),
        (&["fly"], 2),
    ] {
        assert_eq!(unread(&shell, command).code(), Some(code), "{command:?}");
    }
}

/// A full disk is different: a token that was not written is lost.
#[test]
fn an_output_error_other_than_a_closed_pipe_fails_the_command() {
    let shell = TestShell::migrated();
    shell.user("ann", &[]);
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let outcome = Command::new(program())
        .args(["token", "create", "--user", "ann"])
        .current_dir(shell.directory())
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let error_output = String::from_utf8_lossy(&outcome.stderr).into_owned();
    assert_eq!(outcome.status.code(), Some(1), "{error_output}");
    let part = "gatehouse: cannot write to standard output: No space left on device";
    assert!(error_output.starts_with(part), "{error_output}");
}

/// `gatehouse serve 2>&1 | head`: the log no longer has a reader, and the server continues.
#[test]
fn a_server_whose_log_is_read_no_longer_goes_on() {
    let shell = TestShell::new()
        .with("GATEHOUSE_LOG_FORMAT", "json")
        .with("GATEHOUSE_LOG_LEVEL", "debug");
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let url = url_of(&mut process);
    drop(process.stderr.take());
    let caller = TestCaller::new(&url, None);
    for _ in 0..20 {
        caller.get("/nowhere").expect(404);
        assert_eq!(caller.get("/-/health").text(), "Gatehouse OK");
    }
    crate::support::terminate(process.id());
    let status = eventually("it ends", || process.try_wait().unwrap());
    assert!(status.success(), "{status}");
    ending(process);
}
