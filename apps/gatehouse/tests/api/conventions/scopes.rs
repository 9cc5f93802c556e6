//! Scopes of tokens.

use serde_json::json;

use crate::support::{TestCaller, TestResponse, TestServer};

/// The demo's developer with a token of these scopes, separated by blanks. Tokens of other releases may have scopes
/// that nothing implements.
fn caller(server: &TestServer, scopes: &str) -> TestCaller {
    let token = server.token_of_another_release("dev", scopes);
    TestCaller::new(server.base_url(), Some(&token))
}

#[track_caller]
fn assert_insufficient(answer: &TestResponse, needed: &str) {
    let text = "The request requires higher privileges than provided by the access token.";
    let body = json!({
        "error": "insufficient_scope", "error_description": text, "scope": needed,
    });
    answer.assert_is(403, &body);
    let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"");
    assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
}

/// AUTH-08.
#[test]
fn several_scopes_grant_the_union_of_their_permissions() {
    let server = TestServer::start();
    let caller = caller(&server, "read_repository read_user");
    caller.get("/api/v4/user").assert_ok();
    assert_insufficient(&caller.get(&server.alerts()), "api read_api");
}

/// AUTH-08. Git over HTTP is not implemented, so no token can be created with its scopes.
#[test]
fn no_token_is_given_a_scope_that_nothing_implements() {
    let server = TestServer::start();
    for scope in ["create_runner", "api,manage_runner"] {
        let output = server.command(&["token", "create", "--user", "dev", "--scopes", scope]);
        assert!(!output.status.success(), "{scope}");
        let response = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            response.contains("_runner\" is not a known scope"),
            "{response}"
        );
    }
}

/// AUTH-08, API-16. A token that may not read a resource does not learn whether it exists.
#[test]
fn the_scope_is_checked_before_the_project() {
    let server = TestServer::start();
    let caller = caller(&server, "read_user");
    for path in ["/api/v4/projects/987654", "/api/v4/projects/987654/events"] {
        assert_insufficient(&caller.get(path), "api read_api");
    }
}
