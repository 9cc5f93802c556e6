//! Scheduled jobs that check in with the official clients: failures open alerts, and successes resolve them.

use std::process::Command;

use serde_json::{Value, json};

use super::command_line::program;
use super::{TestedSdk, get_tracker};
use crate::support::TestServer;
use crate::support::polling::eventually_ok;

/// Waits until the only alert about a monitor has this status, and returns its title.
fn wait_for_alert(server: &TestServer, status: &str) -> String {
    let alert = eventually_ok("the alert follows the job", || {
        let all = server.developer().get(&server.alerts()).list().into_iter();
        let all = all.filter(|alert| alert["monitoring_tool"] == "Monitors");
        let all: Vec<Value> = all.collect();
        match &all[..] {
            [alert] if alert["status"] == status => Ok(alert.clone()),
            _ => Err(format!("{all:?}")),
        }
    });
    assert_eq!(alert["severity"], "high");
    alert["title"].as_str().unwrap().to_owned()
}

/// The only monitor: its name, its environment and its status.
fn monitor(server: &TestServer) -> Value {
    let all = get_tracker(server, "/monitors");
    let [monitor] = &all.as_array().unwrap()[..] else {
        panic!("{all}");
    };
    monitor.clone()
}

#[test]
fn a_job_in_python_checks_in() {
    let server = TestServer::start();
    let dsn = server.text("/tracker/dsn");
    let Some(played) = TestedSdk::Python.play("failing_job", dsn) else {
        return;
    };
    assert_eq!(played, "the job failed");
    let title = "Check-in failed: nightly-export";
    assert_eq!(wait_for_alert(&server, "triggered"), title);
    let known = monitor(&server);
    assert_eq!(
        [&known["slug"], &known["environment"], &known["status"]],
        ["nightly-export", "staging", "error"]
    );
    let config = json!({
        "schedule": {"type": "crontab", "value": "0 3 * * *"}, "timezone": "Europe/Berlin", "checkin_margin": 5,
        "max_runtime": 60, "failure_issue_threshold": 1, "recovery_threshold": 1,
    });
    assert_eq!(known["config"], config);
    TestedSdk::Python.play("working_job", dsn);
    assert_eq!(wait_for_alert(&server, "resolved"), title);
    let known = monitor(&server);
    assert_eq!(known["in_progress"], false);
    assert!(known["next_check_in_at"].is_string(), "{known}");
}

#[test]
fn a_command_checks_in() {
    let Some(program) = program() else {
        return;
    };
    let server = TestServer::start();
    let run = |command: &str| {
        let home = tempfile::tempdir().unwrap();
        let status = Command::new(&program)
            .env_clear()
            .env("HOME", home.path())
            .env("SENTRY_DSN", server.text("/tracker/dsn"))
            .args(["monitors", "run", "--environment", "staging"])
            .args(["--schedule", "*/30 * * * *", "--timezone", "Asia/Tokyo"])
            .args(["nightly-cleanup", "--", command])
            .status();
        status.unwrap().success()
    };
    assert!(!run("/bin/false"));
    let title = "Check-in failed: nightly-cleanup";
    assert_eq!(wait_for_alert(&server, "triggered"), title);
    assert_eq!(monitor(&server)["config"]["timezone"], "Asia/Tokyo");
    assert!(run("/bin/true"));
    assert_eq!(wait_for_alert(&server, "resolved"), title);
    let known = monitor(&server);
    assert_eq!([&known["environment"], &known["status"]], ["staging", "ok"]);
}
