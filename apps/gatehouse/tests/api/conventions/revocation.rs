//! Revocation while the server runs.

use serde_json::json;

use crate::support::{TestCaller, TestServer, eventually};

/// AUTH-09. The server has cached the token as valid; another process revokes it.
#[test]
fn a_token_that_another_process_ends_is_refused_soon() {
    let server = TestServer::start();
    let token = server.token("dev", "api");
    let caller = TestCaller::new(server.base_url(), Some(&token));
    caller.get("/api/v4/user").assert_ok();
    server.revoke_from_outside(&token);
    let refused = eventually("the token is refused", || {
        let answer = caller.get("/api/v4/user");
        (answer.status != 200).then_some(answer)
    });
    refused.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    server.developer().get("/api/v4/user").assert_ok();
}

/// AUTH-09. A refused token stays refused, even after a restart.
#[test]
fn a_token_that_ended_stays_ended_after_a_restart() {
    let mut server = TestServer::start();
    let token = server.token("dev", "api");
    server.revoke_from_outside(&token);
    server.kill_and_restart();
    let caller = TestCaller::new(server.base_url(), Some(&token));
    assert_eq!(caller.get("/api/v4/user").status, 401);
    server.developer().get("/api/v4/user").assert_ok();
}

/// AUTH-02. A token that another process creates works at once.
#[test]
fn a_token_created_by_another_process_works_at_once() {
    let server = TestServer::start();
    for _ in 0..3 {
        let token = server.token("rita", "read_user");
        let caller = TestCaller::new(server.base_url(), Some(&token));
        assert_eq!(caller.get("/api/v4/user").expect(200)["username"], "rita");
    }
}
