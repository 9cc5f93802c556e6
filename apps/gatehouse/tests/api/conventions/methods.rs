//! Paths and methods.

use serde_json::json;

use crate::support::Server;

/// API-01, API-09.
#[test]
fn what_is_no_path_of_the_api_is_not_found() {
    let server = Server::start();
    let not_found = json!({ "error": "404 Not Found" });
    for path in [
        "/api",
        "/api/v4",
        "/api/v4/nothing",
        "/v4/user",
        "/user",
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
}
