//! python-gitlab, unmodified, against each release: only announced calls fail (`DEPR-04`). The check of its recorded
//! session names the calls that break.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::support::{TestServer, outside};

type Outcomes = BTreeMap<String, Value>;

/// Runs the session as a release, and records it in a file beside the data of the server.
fn session(server: &TestServer, release: &str) -> Option<(Outcomes, String)> {
    let python = outside::find("GATEHOUSE_TEST_PYTHON", &[])?;
    let recording = server.data().join(format!("session-{release}.har"));
    let recording = recording.display().to_string();
    let output = Command::new(python)
        .arg(outside::script("python_gitlab_releases.py"))
        .args([
            server.base_url(),
            server.text("/admin/token"),
            server.text("/project/path"),
            release,
            &recording,
        ])
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{release}: {complaint}");
    let outcomes = serde_json::from_slice(&output.stdout).unwrap();
    Some((outcomes, recording))
}

/// The calls that fail, with their status.
fn failures(outcomes: &Outcomes) -> Vec<String> {
    let failed = outcomes
        .iter()
        .filter(|(_, status)| status.as_u64().is_some_and(|it| it != 200));
    failed
        .map(|(name, status)| format!("{name}: {status}"))
        .collect()
}

#[test]
fn calls_fail_only_as_announced_by_the_release() {
    let server = TestServer::start();
    for (release, expected) in [
        ("14.2", vec!["client keys: 404", "jobs by key: 405"]),
        ("15.8", vec!["jobs by key: 405"]),
        ("15.9", vec![]),
        (
            "16.0",
            vec![
                "deployments since: 400",
                "long description: 400",
                "null profile: 400",
                "short search: 400",
            ],
        ),
        (
            "17.0",
            vec![
                "deployments since: 400",
                "long description: 400",
                "null profile: 400",
                "short search: 400",
            ],
        ),
        (
            "v5",
            vec![
                "deployments since: 400",
                "long description: 400",
                "null profile: 400",
                "short search: 400",
            ],
        ),
    ] {
        let Some((outcomes, _)) = session(&server, release) else {
            return;
        };
        assert_eq!(failures(&outcomes), expected, "{release}");
        assert_eq!(
            outcomes["operations_access_level"],
            release != "v5",
            "{release}"
        );
    }
}

#[test]
fn a_check_of_a_recorded_session_names_breaking_changes() {
    let server = TestServer::start();
    let Some((_, recording)) = session(&server, "15.9") else {
        return;
    };
    let check = |release: &str| {
        let arguments = [
            "deprecations",
            "check",
            &recording,
            "--release",
            release,
            "--json",
        ];
        let output = Command::new(crate::support::server::program())
            .args(arguments)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), report)
    };
    let (code, report) = check("16.0");
    assert_eq!(code, Some(1));
    let findings = report["findings"].as_array().unwrap().iter();
    let breaking =
        findings.filter(|found| found["certainty"] == "certain" && found["status"] == "removed");
    let named: Vec<&str> = breaking
        .map(|found| found["record"].as_str().unwrap())
        .collect();
    for expected in [
        "15-8-deployments-updated-at",
        "15-8-private-profile-null",
        "15-9-ci-text-lengths",
        "15-10-environment-search",
    ] {
        assert!(named.contains(&expected), "{expected}: {report}");
    }
    assert_eq!(report["unknown_calls"], 0, "{report}");
    let token = server.text("/admin/token");
    assert!(!report.to_string().contains(token));
    let (code, report) = check("15.9");
    assert_eq!(code, Some(0), "{report}");
}
