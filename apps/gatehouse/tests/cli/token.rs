//! `gatehouse token create` and `gatehouse token revoke`.

use api_conventions::time::{CalendarDate, Clock as _};
use gatehouse_core::clock::SystemClock;
use serde_json::json;

use crate::shell::{Outcome, Shell};
use crate::support::{Caller, Server};

fn shell_with_ann() -> Shell {
    let shell = Shell::new();
    shell.user("ann", &[]);
    shell
}

fn create(shell: &Shell, more: &[&str]) -> Outcome {
    shell.run(&[&["token", "create", "--user", "ann"], more].concat())
}

#[test]
fn a_token_is_prefixed_and_shown_with_its_scopes() {
    let shell = shell_with_ann();
    let made = create(&shell, &["--scopes", "read_user,read_api", "--json"]).json();
    assert_eq!((&made["id"], &made["user"]), (&json!(1), &json!("ann")));
    let mut scopes: Vec<&str> = made["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|scope| scope.as_str())
        .collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["read_api", "read_user"]);
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("ghat_") && token.len() >= 37, "{token}");
    let default = create(&shell, &["--json"]).json();
    assert_eq!(default["scopes"], json!(["api"]));
    assert_ne!(default["token"], made["token"]);
    let printed = create(&shell, &[]).printed();
    assert!(printed.contains("ghat_"), "{printed}");
}

/// AUTH-08. Invalid scopes are reported by name, one by one.
#[test]
fn a_scope_that_is_none_is_refused() {
    let shell = shell_with_ann();
    for scopes in ["", ",", "everything", "api,everything", "API"] {
        let complaint = create(&shell, &["--scopes", scopes]).complained();
        assert!(complaint.contains("scope"), "{scopes}: {complaint}");
    }
    let complaint = create(&shell, &["--scopes", "apii"]).complained();
    let response = "\"apii\" is not a scope; the scopes are api, read_api, read_user, ";
    assert!(complaint.contains(response), "{complaint}");
    let help = shell.run(&["token", "create", "--help"]).printed();
    assert!(
        help.contains("separated by commas: api, read_api, read_user, "),
        "{help}"
    );
    let complaint = create(&shell, &["--scopes", "api,sudo"]).complained();
    assert!(complaint.contains("only an administrator"), "{complaint}");
}

/// AUTH-09.
#[test]
fn a_token_expires_after_today_and_within_a_year() {
    let shell = shell_with_ann();
    let today = SystemClock.now().date();
    let year = |day: CalendarDate| day.plus_one_year().unwrap();
    for day in [today, year(year(today))] {
        let complaint = create(&shell, &["--expires-on", &day.to_string()]).complained();
        assert!(complaint.contains("within a year"), "{day}: {complaint}");
    }
    let last = year(today).to_string();
    let printed = create(&shell, &["--expires-on", &last]).printed();
    assert!(
        printed.contains(&format!("expires on  {last}")),
        "{printed}"
    );
    let default = create(&shell, &["--json"]).json();
    assert_eq!(default["expires_at"], json!(last));
    for text in ["soon", "2030-02-30", "30.1.2030", ""] {
        let complaint = create(&shell, &["--expires-on", text]).complained();
        assert!(complaint.contains("is not a day"), "{text}: {complaint}");
    }
}

#[test]
fn a_token_needs_a_user_and_a_name() {
    let shell = shell_with_ann();
    let command = ["token", "create", "--user", "nobody"];
    let complaint = shell.run(&command).complained();
    assert!(
        complaint.contains("there is no user \"nobody\""),
        "{complaint}"
    );
    let complaint = create(&shell, &["--name", " "]).complained();
    assert!(complaint.contains("a token needs a name"), "{complaint}");
    let in_any_case = ["token", "create", "--user", "ANN"];
    shell.run(&in_any_case).printed();
}

#[test]
fn a_token_ends_once() {
    let shell = shell_with_ann();
    let made = create(&shell, &["--json"]).json();
    let token = made["token"].as_str().unwrap();
    let revoke = |input: &str| shell.run_with_input(&["token", "revoke", "--token-stdin"], input);
    assert_eq!(revoke(&format!("{token}\n")).printed(), "revoked\n");
    for input in [token, "wrong", ""] {
        let complaint = revoke(input).complained();
        assert!(complaint.contains("there is no such token"), "{complaint}");
        assert!(!complaint.contains("ghat_"), "{complaint}");
    }
}

/// A token created on the command line is valid for a server on the same database.
#[test]
fn a_token_of_the_command_line_opens_the_api() {
    let server = Server::start();
    let made = server.command_json(&["token", "create", "--user", "rita", "--json"]);
    let caller = Caller::new(server.base_url(), made["token"].as_str());
    assert_eq!(caller.get("/api/v4/user").expect(200)["username"], "rita");
}
