//! python-gitlab, unmodified, works against the server.

use std::process::Command;

use crate::support::{TestServer, outside};

/// Runs a script with the client's interpreter; the script makes the assertions, and its last line is returned.
fn run(script: &str, server: &TestServer) -> Option<String> {
    let python = outside::find("GATEHOUSE_TEST_PYTHON", &[])?;
    let output = Command::new(python)
        .args(["-W", "error::UserWarning"])
        .arg(outside::script(script))
        .args([
            server.base_url(),
            server.text("/developer/token"),
            server.text("/project/path"),
            server.text("/alerts/key"),
            server.text("/admin/token"),
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(text.trim().to_owned())
}

#[test]
fn python_gitlab_authenticates_paginates_and_reads_the_feed() {
    let server = TestServer::start();
    for number in 0..45 {
        let path = format!("acme/extra-{number:02}");
        server.command_json(&[
            "project",
            "create",
            "--path",
            &path,
            "--creator",
            "root",
            "--json",
        ]);
    }
    if let Some(last_line) = run("python_gitlab.py", &server) {
        assert_eq!(last_line, "user dev, 46 projects, acme/web-shop, its feed");
    }
}

#[test]
fn python_gitlab_reports_pipelines_and_deployments() {
    let server = TestServer::start();
    if let Some(last_line) = run("python_gitlab_ci.py", &server) {
        assert_eq!(last_line, "pipeline 1 success, review-one- success");
    }
}
