//! Paths and methods.

use serde_json::json;

use crate::support::TestServer;

/// API-01, API-09.
#[test]
fn unknown_paths_return_404() {
    let server = TestServer::start();
    let not_found = json!({ "error": "404 Not Found" });
    for path in [
        "/api/v4",
        "/api/v4/nothing",
        "/v4/user",
        "/api/user",
        "/api/v5/user",
        "/api/v4/users/../user/x",
        "/API/V4/user",
        "/api/v4/user/more",
        "/api/v4//user",
        "/-/nothing",
        "/acme/web-shop",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let answer = server.developer().send(method, path, b"");
            answer.assert_is(404, &not_found);
        }
    }
    // At the address of a user's page, a GET shows that page and any other method is not found.
    for path in ["/api", "/user"] {
        let developer = server.developer();
        developer.send("GET", path, b"").assert_is(404, &not_found);
        for method in ["POST", "DELETE"] {
            assert_eq!(developer.send(method, path, b"").status, 405, "{path}");
        }
    }
}
