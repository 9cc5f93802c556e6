//! Signals to a running server.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command};
use std::time::Duration;

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::support::TestCaller;

/// Sends a signal by the command of the shell, because a bare machine has no program for it.
pub(crate) fn send(process: &Child, signal: &str) {
    let id = process.id().to_string();
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -\"$1\" \"$2\"", "sh", signal, &id]);
    assert!(kill.status().unwrap().success());
}

/// Closing a terminal and rotating logs send these signals, and each ends a process by default.
#[test]
fn signals_that_mean_nothing_to_a_server_do_not_end_it() {
    for command in ["serve", "demo"] {
        let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
        let mut process = shell.spawn(&[command, "--listen", "127.0.0.1:0"]);
        let url = url_of(&mut process);
        for signal in ["HUP", "USR1", "USR2"] {
            send(&process, signal);
            let health = TestCaller::new(&url, None).get("/-/health");
            assert_eq!(health.text(), "Gatehouse OK", "{signal}");
        }
        crate::support::terminate(process.id());
        let outcome = ending(process);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let hangup = match command {
            "serve" => "configuration reloaded",
            _ => "SIGHUP",
        };
        for expected in [hangup, "SIGUSR1", "SIGUSR2"] {
            assert!(outcome.error_output.contains(expected), "{outcome:?}");
        }
        assert!(
            !outcome.error_output.contains("actix"),
            "lines of libraries: {outcome:?}"
        );
    }
}

/// Socket of a service manager.
struct ServiceManager(UnixDatagram);

impl ServiceManager {
    /// Receives the next message that is not about the watchdog.
    fn next(&self) -> String {
        loop {
            let message = self.receive();
            if message != "WATCHDOG=1" {
                return message;
            }
        }
    }

    fn receive(&self) -> String {
        let mut message = [0; 1024];
        let length = self.0.recv(&mut message).unwrap();
        let text = String::from_utf8_lossy(&message[..length]);
        text.trim_end().to_owned()
    }
}

/// `Type=notify-reload` and `WatchdogSec=` of systemd work.
#[test]
fn the_service_manager_is_notified_of_start_reload_end_and_life() {
    let shell = TestShell::new().with_file("gatehouse.toml", "[log]\nlevel = \"warn\"\n");
    let path = shell.path("notify");
    let manager = ServiceManager(UnixDatagram::bind(&path).unwrap());
    let limit = Some(Duration::from_mins(1));
    manager.0.set_read_timeout(limit).unwrap();
    let shell = shell
        .with("NOTIFY_SOCKET", path.to_str().unwrap())
        .with("WATCHDOG_USEC", "200000")
        .with("GATEHOUSE_LOG_FORMAT", "json");
    let flags = ["--config", "gatehouse.toml", "--listen", "127.0.0.1:0"];
    let process = shell.spawn(&[&["serve"][..], &flags].concat());
    assert_eq!(manager.next(), "READY=1");
    while manager.receive() != "WATCHDOG=1" {}
    std::fs::write(shell.path("gatehouse.toml"), "[log]\nlevel = \"info\"\n").unwrap();
    send(&process, "HUP");
    let reloading = manager.next();
    let time = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=");
    assert!(time.unwrap().parse::<u64>().unwrap() > 0, "{reloading}");
    assert_eq!(manager.next(), "READY=1");
    // A configuration with a fault changes nothing.
    std::fs::write(shell.path("gatehouse.toml"), "[log]\nlevl = \"error\"\n").unwrap();
    send(&process, "HUP");
    assert!(manager.next().starts_with("RELOADING=1"));
    assert_eq!(manager.next(), "READY=1");
    crate::support::terminate(process.id());
    assert_eq!(manager.next(), "STOPPING=1");
    let outcome = ending(process);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let log = outcome.error_output;
    for expected in [
        "configuration reloaded",
        "keeping the previous one",
        "stopped",
    ] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
    assert!(!log.contains("\"ready\""), "below the first level: {log}");
}

/// A server that is started by its socket serves the requests that woke it.
#[test]
fn a_socket_of_the_service_manager_is_used() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn_with_socket(OwnedFd::from(socket), &["serve"]);
    assert_eq!(url_of(&mut process), format!("http://{address}"));
    let health = TestCaller::new(&format!("http://{address}"), None).get("/-/health");
    assert_eq!(health.text(), "Gatehouse OK");
    crate::support::terminate(process.id());
    assert_eq!(ending(process).code, 0);
}

#[test]
fn a_server_listens_at_several_addresses() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let second = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let listen = format!("localhost:0, {second}");
    let mut process = shell.spawn(&["serve", "--listen", &listen]);
    let first = url_of(&mut process);
    assert!(first.starts_with("http://127.0.0.1:"), "{first}");
    for url in [first, format!("http://{second}")] {
        let health = TestCaller::new(&url, None).get("/-/health");
        assert_eq!(health.text(), "Gatehouse OK");
    }
    crate::support::terminate(process.id());
    assert_eq!(ending(process).code, 0);
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
