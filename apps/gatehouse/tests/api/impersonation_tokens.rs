//! `/api/v4/users/:id/impersonation_tokens` (`AUTH-04`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

const USER: &str = "/api/v4/user";

/// The path of the impersonation tokens of the demo's developer.
fn tokens(server: &TestServer) -> String {
    let developer = server.developer().get(USER).expect(200);
    format!("/api/v4/users/{}/impersonation_tokens", developer["id"])
}

fn created(server: &TestServer, name: &str) -> Value {
    let fields = json!({ "name": name, "scopes": ["api"] });
    server.admin().post(&tokens(server), &fields).expect(201)
}

fn names(listed: &Value) -> Vec<&str> {
    let tokens = listed.as_array().unwrap().iter();
    tokens
        .map(|token| token["name"].as_str().unwrap())
        .collect()
}

/// AUTH-04.
#[test]
fn administrators_act_as_a_user_until_the_token_is_revoked() {
    let server = TestServer::start();
    let token = created(&server, "support");
    assert_eq!(token["impersonation"], json!(true));
    let caller = TestCaller::new(server.base_url(), token["token"].as_str());
    assert_eq!(caller.get(USER).expect(200)["id"], token["user_id"]);
    let path = format!("{}/{}", tokens(&server), token["id"]);
    let mut shown = server.admin().get(&path).expect(200);
    let mut expected = token.clone();
    expected.as_object_mut().unwrap().remove("token");
    // The use is saved a little later.
    shown["last_used_at"] = Value::Null;
    assert_eq!(shown, expected);
    assert_eq!(server.admin().delete(&path).status, 204);
    assert_eq!(caller.get(USER).status, 401);
    let listed = server.admin().get(&path).expect(200);
    assert_eq!(listed["revoked"], json!(true));
}

#[test]
fn impersonation_tokens_are_for_administrators_alone() {
    let server = TestServer::start();
    let token = created(&server, "support");
    let (developer, path) = (server.developer(), tokens(&server));
    let one = format!("{path}/{}", token["id"]);
    let fields = json!({ "name": "x", "scopes": ["api"] });
    for status in [
        developer.get(&path).status,
        developer.post(&path, &fields).status,
        developer.get(&one).status,
        developer.delete(&one).status,
    ] {
        assert_eq!(status, 403);
    }
    // The user for whom they act neither sees them among the own tokens nor replaces them.
    let own = developer.get("/api/v4/personal_access_tokens").expect(200);
    assert!(!names(&own).contains(&"support"));
    let rotation = format!("/api/v4/personal_access_tokens/{}/rotate", token["id"]);
    assert_eq!(developer.post(&rotation, &json!({})).status, 401);
    let rotated = server.admin().post(&rotation, &json!({})).expect(200);
    let successor = format!("{path}/{}", rotated["id"]);
    server.admin().get(&successor).assert_ok();
}

#[test]
fn lists_of_impersonation_tokens_are_filtered_by_state() {
    let server = TestServer::start();
    let (first, path) = (created(&server, "first"), tokens(&server));
    created(&server, "second");
    let admin = server.admin();
    assert_eq!(admin.delete(&format!("{path}/{}", first["id"])).status, 204);
    let list = |query: &str| {
        let listed = admin.get(&format!("{path}{query}")).expect(200);
        names(&listed).join(" ")
    };
    assert_eq!(list(""), "first second");
    assert_eq!(list("?state=all"), "first second");
    assert_eq!(list("?state=active"), "second");
    assert_eq!(list("?state=inactive"), "first");
    assert_eq!(list("?per_page=1&page=2"), "second");
    assert_eq!(admin.get(&format!("{path}?state=asleep")).status, 400);
}

#[test]
fn invalid_impersonation_tokens_are_refused() {
    let server = TestServer::start();
    let (admin, path) = (server.admin(), tokens(&server));
    for fields in [
        json!({ "scopes": ["api"] }),
        json!({ "name": "x" }),
        json!({ "name": "x", "scopes": [] }),
        json!({ "name": "x", "scopes": ["sudo"] }),
        json!({ "name": "x", "scopes": ["api"], "expires_at": "2001-01-01" }),
    ] {
        assert_eq!(admin.post(&path, &fields).status, 400, "{fields}");
    }
    let fields = json!({ "name": "x", "scopes": ["api"] });
    let unknown = "/api/v4/users/999999/impersonation_tokens";
    assert_eq!(admin.post(unknown, &fields).status, 404);
    assert_eq!(admin.get(unknown).status, 404);
    // A personal access token of the user is no impersonation token.
    let personal = server
        .developer()
        .get("/api/v4/personal_access_tokens/self");
    let other = format!("{path}/{}", personal.expect(200)["id"]);
    assert_eq!(admin.get(&other).status, 404);
    assert_eq!(admin.delete(&other).status, 404);
    server.developer().get(USER).assert_ok();
}

/// AUTH-04.
#[test]
fn a_server_without_impersonation_refuses_such_tokens() {
    let server = TestServer::start_configured("[tokens]\nimpersonation_enabled = false\n");
    let token = created(&server, "support");
    let caller = TestCaller::new(server.base_url(), token["token"].as_str());
    let refused = caller.get(USER);
    refused.assert_is(
        401,
        &json!({
            "error": "invalid_token",
            "error_description": "Token is an impersonation token but impersonation was disabled."
        }),
    );
    assert!(
        refused
            .header("www-authenticate")
            .is_some_and(|challenge| challenge.contains("impersonation was disabled"))
    );
    server.developer().get(USER).assert_ok();
}
