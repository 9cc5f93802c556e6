//! `gatehouse token create` and `gatehouse token revoke`.

use api_conventions::time::{CalendarDate, Clock as _};
use gatehouse_core::clock::SystemClock;
use serde_json::json;

use crate::shell::{CommandResult, TestShell};
use crate::support::{TestCaller, TestServer};

fn shell_with_ann() -> TestShell {
    let shell = TestShell::new();
    shell.user("ann", &[]);
    shell
}

fn create(shell: &TestShell, more: &[&str]) -> CommandResult {
    shell.run(&[&["token", "create", "--user", "ann"], more].concat())
}

#[test]
fn a_token_is_prefixed_and_shown_with_its_scopes() {
    let shell = shell_with_ann();
    let created = create(&shell, &["--scopes", "read_user,read_api", "--json"]).json();
    assert_eq!(
        (&created["id"], &created["user"]),
        (&json!(1), &json!("ann"))
    );
    let mut scopes: Vec<&str> = created["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|scope| scope.as_str())
        .collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["read_api", "read_user"]);
    let token = created["token"].as_str().unwrap();
    assert!(token.starts_with("ghat_") && token.len() >= 37, "{token}");
    let default = create(&shell, &["--json"]).json();
    assert_eq!(default["scopes"], json!(["api"]));
    assert_ne!(default["token"], created["token"]);
    let printed = create(&shell, &[]).checked_output();
    assert!(printed.contains("ghat_"), "{printed}");
}

#[test]
fn a_token_has_the_configured_prefix() {
    let shell = shell_with_ann().with("GATEHOUSE_SECURITY_TOKEN_PREFIX", "acme-");
    let created = create(&shell, &["--json"]).json();
    let token = created["token"].as_str().unwrap();
    assert!(
        token.starts_with("acme-") && token.len() == "acme-".len() + 32 + 6,
        "{token}"
    );
}

/// AUTH-08. Invalid scopes are reported by name, one by one.
#[test]
fn a_scope_that_is_none_is_refused() {
    let shell = shell_with_ann();
    for scopes in ["", ",", "everything", "api,everything", "API"] {
        let error_output = create(&shell, &["--scopes", scopes]).error_message();
        assert!(error_output.contains("scope"), "{scopes}: {error_output}");
    }
    let error_output = create(&shell, &["--scopes", "apii"]).error_message();
    let response = "\"apii\" is not a known scope; available scopes: api, read_api, read_user, ";
    assert!(error_output.contains(response), "{error_output}");
    let help = shell.run(&["token", "create", "--help"]).checked_output();
    assert!(
        help.contains("separated by commas: api, read_api, read_user, "),
        "{help}"
    );
    let error_output = create(&shell, &["--scopes", "api,sudo"]).error_message();
    assert!(
        error_output.contains("only tokens of administrators"),
        "{error_output}"
    );
}

/// AUTH-09.
#[test]
fn a_token_expires_after_today_and_within_a_year() {
    let shell = shell_with_ann();
    let today = SystemClock.now().date();
    let year = |day: CalendarDate| day.plus_one_year().unwrap();
    for day in [today, year(year(today))] {
        let error_output = create(&shell, &["--expires-on", &day.to_string()]).error_message();
        assert!(
            error_output.contains("within a year"),
            "{day}: {error_output}"
        );
    }
    let last = year(today).to_string();
    let printed = create(&shell, &["--expires-on", &last]).checked_output();
    assert!(
        printed.contains(&format!("expires on  {last}")),
        "{printed}"
    );
    let default = create(&shell, &["--json"]).json();
    assert_eq!(default["expires_at"], json!(last));
    for text in ["soon", "2030-02-30", "30.1.2030", ""] {
        let error_output = create(&shell, &["--expires-on", text]).error_message();
        assert!(
            error_output.contains("is not a date"),
            "{text}: {error_output}"
        );
    }
}

#[test]
fn a_token_needs_a_user_and_a_name() {
    let shell = shell_with_ann();
    let command = ["token", "create", "--user", "nobody"];
    let error_output = shell.run(&command).error_message();
    assert!(
        error_output.contains("there is no user \"nobody\""),
        "{error_output}"
    );
    let error_output = create(&shell, &["--name", " "]).error_message();
    assert!(
        error_output.contains("a token needs a name"),
        "{error_output}"
    );
    let in_any_case = ["token", "create", "--user", "ANN"];
    shell.run(&in_any_case).checked_output();
}

#[test]
fn a_token_ends_once() {
    let shell = shell_with_ann();
    let created = create(&shell, &["--json"]).json();
    let token = created["token"].as_str().unwrap();
    let revoke = |input: &str| shell.run_with_input(&["token", "revoke", "--token-stdin"], input);
    assert_eq!(revoke(&format!("{token}\n")).checked_output(), "revoked\n");
    for input in [token, "wrong", ""] {
        let error_output = revoke(input).error_message();
        assert!(
            error_output.contains("the token does not exist or is already revoked"),
            "{error_output}"
        );
        assert!(!error_output.contains("ghat_"), "{error_output}");
    }
}

/// A token created on the command line is valid for a server on the same database.
#[test]
fn a_token_of_the_command_line_opens_the_api() {
    let server = TestServer::start();
    let created = server.command_json(&["token", "create", "--user", "rita", "--json"]);
    let caller = TestCaller::new(server.base_url(), created["token"].as_str());
    assert_eq!(caller.get("/api/v4/user").expect(200)["username"], "rita");
}
