//! Paths and methods.

use serde_json::json;

use crate::support::Server;

/// Every path of the API with the methods that it has.
fn paths(server: &Server) -> Vec<(String, &'static [&'static str])> {
    let alert = format!("{}/1", server.alerts());
    vec![
        ("/api/v4/version".to_owned(), &["GET", "HEAD"]),
        ("/api/v4/metadata".to_owned(), &["GET", "HEAD"]),
        ("/api/v4/user".to_owned(), &["GET", "HEAD"]),
        ("/api/v4/projects".to_owned(), &["GET", "HEAD"]),
        (server.below_project(""), &["GET", "HEAD"]),
        (server.below_project("/events"), &["GET", "HEAD"]),
        (server.alerts(), &["GET", "HEAD"]),
        (alert, &["GET", "HEAD", "PUT"]),
        (server.below_project("/alert_receipts"), &["GET", "HEAD"]),
        (
            "/api/v4/personal_access_tokens/self".to_owned(),
            &["DELETE"],
        ),
        ("/-/health".to_owned(), &["GET", "HEAD"]),
        ("/-/liveness".to_owned(), &["GET", "HEAD"]),
        ("/-/readiness".to_owned(), &["GET", "HEAD"]),
        (server.generic(), &["POST"]),
        (server.metrics(), &["POST"]),
    ]
}

/// API-09.
#[test]
fn a_method_that_a_path_lacks_is_refused_with_those_that_it_has() {
    let server = Server::start();
    for (path, methods) in paths(&server) {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
            if methods.contains(&method) {
                continue;
            }
            let answer = server.developer().send(method, &path, b"");
            assert_eq!(answer.status, 405, "{method} {path}");
            let allowed = format!("OPTIONS, {}", methods.join(", "));
            assert_eq!(
                answer.header("allow"),
                Some(allowed.as_str()),
                "{method} {path}"
            );
            if method != "HEAD" {
                assert_eq!(
                    answer.json(),
                    json!({ "error": "405 Not Allowed" }),
                    "{method} {path}"
                );
            }
        }
    }
}

#[test]
fn options_tells_the_methods_to_everybody() {
    let server = Server::start();
    for (path, methods) in paths(&server) {
        let answer = server.anonymous().send("OPTIONS", &path, b"");
        assert_eq!((answer.status, answer.body.len()), (204, 0), "{path}");
        let allowed = format!("OPTIONS, {}", methods.join(", "));
        assert_eq!(answer.header("allow"), Some(allowed.as_str()), "{path}");
    }
}

#[test]
fn head_is_get_without_the_body() {
    let server = Server::start();
    for (path, methods) in paths(&server) {
        if !methods.contains(&"HEAD") {
            continue;
        }
        let head = server.developer().send("HEAD", &path, b"");
        let get = server.developer().get(&path);
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
        for name in ["content-type", "content-length", "etag", "link", "x-total"] {
            assert_eq!(head.header(name), get.header(name), "{name} of {path}");
        }
    }
}

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

/// A redirect would make a GET of a POST.
#[test]
fn a_slash_at_the_end_makes_no_difference() {
    let server = Server::start();
    for (path, methods) in paths(&server) {
        if methods.contains(&"GET") {
            let answer = server.developer().get(&format!("{path}/"));
            assert_eq!(answer.status, 200, "{path}/");
        }
    }
}
