//! Signals to a running server.

use std::io::{BufRead as _, BufReader};
use std::process::Command;

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::support::TestCaller;

/// Closing a terminal and rotating logs send these signals, and each ends a process by default.
#[test]
fn signals_that_mean_nothing_to_a_server_do_not_end_it() {
    for command in ["serve", "demo"] {
        let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
        let mut process = shell.spawn(&[command, "--listen", "127.0.0.1:0"]);
        let url = url_of(&mut process);
        for signal in ["HUP", "USR1", "USR2"] {
            let id = process.id().to_string();
            let mut kill = Command::new("sh");
            kill.args(["-c", "kill -\"$1\" \"$2\"", "sh", signal, &id]);
            assert!(kill.status().unwrap().success());
            let health = TestCaller::new(&url, None).get("/-/health");
            assert_eq!(health.text(), "Gatehouse OK", "{signal}");
        }
        crate::support::terminate(process.id());
        let outcome = ending(process);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        for signal in ["SIGHUP", "SIGUSR1", "SIGUSR2"] {
            assert!(outcome.error_output.contains(signal), "{outcome:?}");
        }
        assert!(
            !outcome.error_output.contains("actix"),
            "lines of libraries: {outcome:?}"
        );
    }
}

/// Limits the size of files that a process may write, in bytes, as `ulimit -f` does.
#[track_caller]
fn limit_files(process: u32, bytes: &str) {
    let mut limit = Command::new("prlimit");
    limit.args(["--pid", &process.to_string(), &format!("--fsize={bytes}")]);
    assert!(limit.status().unwrap().success());
}

/// A write beyond the limit is refused like one on a full disk, and the process continues.
#[test]
#[cfg(target_os = "linux")]
fn the_limit_of_the_size_of_files_is_a_full_disk() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn(&["demo", "--print-json", "--listen", "127.0.0.1:0"]);
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let demo: serde_json::Value = serde_json::from_str(&line).unwrap();
    let text = |pointer: &str| demo.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let url = url_of(&mut process);
    let developer = TestCaller::new(&url, Some(&text("/developer/token")));
    let create = || {
        let label = serde_json::json!({ "name": "full", "color": "#ffaabb" });
        developer.post("/api/v4/projects/1/labels", &label)
    };
    limit_files(process.id(), "1:unlimited");
    let refused = create();
    assert_eq!(refused.status, 503, "{refused:?}");
    let seconds = refused.header("retry-after").unwrap();
    assert!(seconds.parse::<u32>().unwrap() > 0, "{seconds}");
    limit_files(process.id(), "unlimited");
    assert_eq!(
        TestCaller::new(&url, None).get("/-/health").text(),
        "Gatehouse OK"
    );
    create().expect(201);
    crate::support::terminate(process.id());
    let outcome = ending(process);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.error_output.contains("RLIMIT_FSIZE"), "{outcome:?}");
}

/// At every level, unless they are enabled by name.
#[test]
fn lines_of_libraries_are_not_in_the_log() {
    for (level, are_there) in [
        ("info", false),
        ("trace", false),
        ("info,actix_server=info", true),
    ] {
        let shell = TestShell::new()
            .with("GATEHOUSE_LOG_FORMAT", "json")
            .with("GATEHOUSE_LOG_LEVEL", level);
        let mut process = shell.spawn(&["demo", "--print-json", "--listen", "127.0.0.1:0"]);
        let mut output = BufReader::new(process.stdout.take().unwrap());
        output.read_line(&mut String::new()).unwrap();
        crate::support::terminate(process.id());
        let outcome = ending(process);
        let found = outcome.error_output.lines().find(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let target = line["target"].as_str().unwrap();
            ["actix", "mio", "rustls", "tokio"]
                .iter()
                .any(|library| target.starts_with(library))
        });
        assert_eq!(found.is_some(), are_there, "{level}: {found:?}");
    }
}
