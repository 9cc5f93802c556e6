//! Bodies of refusals.

use serde_json::{Value, json};

use crate::support::{TestResponse, TestServer};

fn body_as_sent(answer: &TestResponse) -> Value {
    serde_json::from_slice(&answer.body).unwrap()
}

/// API-09, API-10, API-11. Some clients read `error` and some `message`, so refusals of the framework have the same
/// text in both; the bodies that the specification gives are exact.
#[test]
fn framework_errors_repeat_their_text_in_error_and_message() {
    let server = TestServer::start();
    let developer = server.developer();
    let twice = |text: &str| json!({ "error": text, "message": text });
    for (answer, status, body) in [
        (
            developer.get("/api/v4/projects?page=abc"),
            400,
            twice("page is invalid"),
        ),
        (
            developer.send("DELETE", "/api/v4/user", b""),
            405,
            twice("405 Not Allowed"),
        ),
        (
            developer.clone().with("Content-Type", "text/plain").send(
                "POST",
                &server.below_project("/labels"),
                b"a",
            ),
            415,
            twice("The provided content-type 'text/plain' is not supported."),
        ),
        (
            developer.get("/api/v4/nothing"),
            404,
            json!({ "error": "404 Not Found" }),
        ),
        (
            server.anonymous().get("/api/v4/user"),
            401,
            json!({ "message": "401 Unauthorized" }),
        ),
        (
            developer.post(&server.below_project("/issues"), &json!({})),
            400,
            json!({ "message": "400 (Bad request) \"title\" not given" }),
        ),
        (
            developer.get("/api/v4/user?sudo=root"),
            403,
            json!({ "message": "403 Forbidden - Must be admin to use sudo" }),
        ),
    ] {
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(body_as_sent(&answer), body);
    }
}

/// API-08. A name of a project, a label or an environment may end in `.json`, so the suffix is part of the name and not
/// a format.
#[test]
fn a_suffix_of_json_is_part_of_a_name_and_no_format() {
    let server = TestServer::start();
    let developer = server.developer();
    for path in [
        "/api/v4/projects.json",
        "/api/v4/user.json",
        "/api/v4/issues.json",
    ] {
        assert_eq!(
            body_as_sent(&developer.get(path)),
            json!({ "error": "404 Not Found" }),
            "{path}"
        );
    }
    let project = format!("/api/v4/projects/{}.json", server.project());
    developer
        .get(&project)
        .assert_is(404, &json!({ "message": "404 Project Not Found" }));
    server.create_project("acme/shop.json", "private", "dev");
    let named = developer
        .get("/api/v4/projects/acme%2Fshop.json")
        .expect(200);
    assert_eq!(named["path"], "shop.json");
    let labels = server.below_project("/labels");
    developer
        .post(&labels, &json!({ "name": "a.json", "color": "#000000" }))
        .expect(201);
    assert_eq!(
        developer.get(&format!("{labels}/a.json")).expect(200)["name"],
        "a.json"
    );
}

/// Paths that only receive forms have no page. The list of projects has another path.
#[test]
fn an_address_of_forms_alone_is_not_found_by_a_browser() {
    let server = TestServer::start();
    for path in ["/projects", "/groups/acme/-/group_members/1"] {
        assert_eq!(server.developer().get(path).status, 404, "{path}");
        let page = server.signed_in("developer").open(path);
        assert_eq!(page.status, 404, "{path}: {}", page.text());
    }
}
