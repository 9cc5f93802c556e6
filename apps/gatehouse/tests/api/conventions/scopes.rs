//! What a token permits.

use serde_json::{Value, json};

use crate::support::{Answer, Caller, Server};

/// The demo's developer with a token of these scopes, separated by blanks. Tokens of other releases may have scopes that
/// nothing implements.
fn caller(server: &Server, scopes: &str) -> Caller {
    let token = server.token_of_another_release("dev", scopes);
    Caller::new(server.base_url(), Some(&token))
}

#[track_caller]
fn assert_insufficient(answer: &Answer, needed: &str) {
    let text = "The request requires higher privileges than provided by the access token.";
    let body = json!({
        "error": "insufficient_scope", "error_description": text, "scope": needed,
    });
    answer.assert_is(403, &body);
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"");
    assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
}

/// Every path that reads, and the scopes that it accepts.
fn reading(server: &Server) -> Vec<(String, &'static str)> {
    vec![
        ("/api/v4/user".to_owned(), "api read_api read_user"),
        ("/api/v4/version".to_owned(), "api read_api read_user"),
        ("/api/v4/metadata".to_owned(), "api read_api read_user"),
        ("/api/v4/projects".to_owned(), "api read_api"),
        (server.below_project(""), "api read_api"),
        (server.below_project("/events"), "api read_api"),
        (server.alerts(), "api read_api"),
        (format!("{}/1", server.alerts()), "api read_api"),
        (server.below_project("/alert_receipts"), "api read_api"),
    ]
}

/// AUTH-08.
#[test]
fn every_path_that_reads_takes_its_scopes_and_no_others() {
    let server = Server::start();
    for scope in [
        "api",
        "read_api",
        "read_user",
        "read_repository",
        "write_repository",
    ] {
        let caller = caller(&server, scope);
        for (path, accepted) in reading(&server) {
            let answer = caller.get(&path);
            if accepted.split(' ').any(|word| word == scope) {
                assert_eq!(answer.status, 200, "{scope} at {path}");
            } else {
                assert_insufficient(&answer, accepted);
            }
        }
    }
}

/// AUTH-08.
#[test]
fn writing_takes_the_whole_api() {
    let server = Server::start();
    let path = format!("{}/1", server.alerts());
    let body = json!({ "status": "acknowledged" });
    for scope in [
        "read_api",
        "read_user",
        "read_repository",
        "write_repository",
    ] {
        assert_insufficient(&caller(&server, scope).put(&path, &body), "api");
    }
    caller(&server, "api").put(&path, &body).assert_ok();
}

/// AUTH-08.
#[test]
fn several_scopes_permit_what_any_of_them_permits() {
    let server = Server::start();
    let caller = caller(&server, "read_repository read_user");
    caller.get("/api/v4/user").assert_ok();
    assert_insufficient(&caller.get(&server.alerts()), "api read_api");
}

/// AUTH-08. Git over HTTP is not built, so no token is made that promises it.
#[test]
fn no_token_is_given_a_scope_that_nothing_implements() {
    let server = Server::start();
    for scope in ["read_repository", "api,write_repository"] {
        let output = server.command(&["token", "create", "--user", "dev", "--scopes", scope]);
        assert!(!output.status.success(), "{scope}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("_repository\" is not a scope"), "{told}");
    }
}

/// AUTH-08, API-16. A token that may not look is not told whether there is something.
#[test]
fn the_scope_is_asked_for_before_the_project() {
    let server = Server::start();
    let caller = caller(&server, "read_user");
    for path in ["/api/v4/projects/987654", "/api/v4/projects/987654/events"] {
        assert_insufficient(&caller.get(path), "api read_api");
    }
}

/// AUTH-08. `sudo` alone permits no reading, and on its own it is not `api`.
#[test]
fn sudo_alone_reads_nothing() {
    let server = Server::start();
    let token = server.token("root", "sudo");
    let caller = Caller::new(server.base_url(), Some(&token));
    let answer = caller.get("/api/v4/projects");
    assert_insufficient(&answer, "api read_api");
    assert_ne!(answer.json(), Value::Null);
}
