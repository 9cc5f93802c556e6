//! `gatehouse deprecations`.

use serde_json::{Value, json};

use crate::shell::TestShell;

#[test]
fn the_schedule_is_printed_by_removal_and_by_release() {
    let shell = TestShell::new();
    let all = shell.run(&["deprecations"]).checked_output();
    let at = |text: &str| all.find(text).unwrap_or_else(|| panic!("{text}: {all}"));
    assert!(at("Removed in v5") < at("Removed in 17.0"));
    assert!(at("Removed in 17.0") < at("Removed in 16.0"));
    assert!(all.contains("! 15-8-deployments-updated-at"), "{all}");
    let release = shell
        .run(&["deprecations", "--release", "16.0"])
        .checked_output();
    assert!(release.starts_with("Release 16.0, 2023-05-22"), "{release}");
    assert!(!release.contains("15-6-merge-status  Merge requests: Removed"));
    let json = shell
        .run(&["deprecations", "--release", "15.10", "--json"])
        .json();
    assert_eq!(
        json["introduced"][0]["id"],
        "15-10-error-tracking-settings-put"
    );
    let refused = shell
        .run(&["deprecations", "--release", "15.12"])
        .error_message();
    assert!(
        refused.contains("is not a known release (13.10 to 18.0"),
        "{refused}"
    );
}

#[test]
fn neither_a_configuration_nor_a_database_is_needed() {
    let shell = TestShell::new();
    shell.run(&["deprecations", "--json"]).json();
    assert!(!shell.path("data").exists());
}

fn recording(url: &str) -> String {
    let entry = json!({
        "request": {"method": "GET", "url": url, "headers": [{"name": "PRIVATE-TOKEN", "value": "secret-token"}]},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": "[]"}},
    });
    json!({"log": {"entries": [entry]}}).to_string()
}

/// The exit status is for continuous integration: 0 nothing breaks, 1 something does, 2 the file cannot be read.
#[test]
fn check_exit_status_reflects_its_findings() {
    let shell = TestShell::new();
    let url = "https://gate.example/api/v4/projects/1/deployments?updated_after=2023-01-01&private_token=glpat-secret";
    let check = |more: &[&str]| {
        shell.run_with_input(
            &[&["deprecations", "check", "-"], more].concat(),
            &recording(url),
        )
    };
    let breaks = check(&["--release", "16.0"]);
    assert_eq!(breaks.code, 1);
    assert!(
        breaks.output.contains("15-8-deployments-updated-at"),
        "{}",
        breaks.output
    );
    assert!(!breaks.output.contains("secret"), "{}", breaks.output);
    assert_eq!(check(&["--release", "15.9"]).code, 0);
    assert_eq!(
        check(&["--release", "15.9", "--deny", "deprecated"]).code,
        1
    );
    let ignored = [
        "--release",
        "16.0",
        "--ignore",
        "15-8-deployments-updated-at",
    ];
    assert_eq!(check(&ignored).code, 0);
    assert_eq!(check(&["--ignore", "none"]).code, 2);
    assert_eq!(check(&["--release", "16"]).code, 2);
    let other = shell.run_with_input(&["deprecations", "check", "-"], "words");
    assert_eq!(other.code, 2);
    assert_eq!(shell.run(&["deprecations", "check", "/nowhere"]).code, 2);
    let report: Value =
        serde_json::from_str(&check(&["--release", "16.0", "--json"]).output).unwrap();
    assert_eq!(report["breaking_uses"], 1);
}

/// The server's own document names only existing operations, so nothing in it breaks.
#[test]
fn the_own_document_passes_the_check() {
    let shell = TestShell::new();
    let document = shell.run(&["openapi"]).checked_output();
    let checked = shell.run_with_input(&["deprecations", "check", "-"], &document);
    assert_eq!(checked.code, 0, "{}", checked.output);
    let old = shell
        .run(&["openapi", "--release", "15.9"])
        .checked_output();
    let checked = shell.run_with_input(&["deprecations", "check", "-", "--release", "15.9"], &old);
    assert_eq!(checked.code, 0, "{}", checked.output);
    let newer = shell.run_with_input(&["deprecations", "check", "-", "--release", "14.2"], &old);
    assert_eq!(newer.code, 1, "{}", newer.output);
}
