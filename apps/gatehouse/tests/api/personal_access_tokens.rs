//! `/api/v4/personal_access_tokens/self`.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{redacted, snapshot_of};
use crate::support::{TestCaller, TestServer};

const SELF: &str = "/api/v4/personal_access_tokens/self";

/// API-06, AUTH-09. The token was just used, so the server has cached it as valid; the very next request must be
/// refused.
#[test]
fn a_token_that_ends_itself_is_refused_at_once() {
    let server = TestServer::start();
    let token = server.token("dev", "api");
    let caller = TestCaller::new(server.base_url(), Some(&token));
    caller.get("/api/v4/user").assert_ok();
    let answer = caller.delete(SELF);
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": null,
      "headers": {
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 204
    }
    "#);
    for path in ["/api/v4/user", &server.alerts()] {
        let refused = caller.get(path);
        refused.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    }
    assert_eq!(caller.delete(SELF).status, 401);
}

#[test]
fn other_tokens_of_the_same_user_live_on() {
    let server = TestServer::start();
    let token = server.token("dev", "api");
    let ended = TestCaller::new(server.base_url(), Some(&token));
    assert_eq!(ended.delete(SELF).status, 204);
    server.developer().get("/api/v4/user").assert_ok();
}

/// AUTH-08. A token with any scope can revoke itself.
#[test]
fn any_scope_may_end_its_own_token() {
    let server = TestServer::start();
    for scope in [
        "read_api",
        "read_user",
        "read_repository",
        "write_repository",
    ] {
        let token = server.token_of_another_release("dev", scope);
        let caller = TestCaller::new(server.base_url(), Some(&token));
        assert_eq!(caller.delete(SELF).status, 204, "{scope}");
        assert_eq!(caller.get("/api/v4/user").status, 401, "{scope}");
    }
}
