//! Settings of a project's external tracker.

use serde_json::{Value, json};

use super::{ConnectedServers, LOOPBACK, connect};
use crate::error_tracking::below;
use crate::support::{TestResponse, TestServer};

fn put(server: &TestServer, body: &Value) -> TestResponse {
    server
        .admin()
        .put(&below(server, "/external_tracker"), body)
}

#[test]
fn a_tracker_is_named_by_its_address_and_a_token_that_nobody_sees_again() {
    let server = TestServer::start();
    let api_url = "https://tracker.example.com/api/0/projects/acme/web-shop";
    let saved = connect(&server, api_url, "very-secret");
    let expected = json!({
        "active": true, "project_name": "Web Shop", "api_url": api_url, "integrated": false,
        "tracker_external_url": "https://tracker.example.com/acme/web-shop",
    });
    assert_eq!(saved, expected);
    let settings = below(&server, "/settings");
    assert_eq!(server.admin().get(&settings).expect(200), expected);
    let file = std::fs::read(server.data().join("gatehouse.sqlite3")).unwrap();
    let log = std::fs::read(server.data().join("gatehouse.sqlite3-wal")).unwrap_or_default();
    for stored in [file, log] {
        assert!(!stored.windows(11).any(|bytes| bytes == b"very-secret"));
    }
    // The same URL keeps the token, another one needs a new token.
    put(
        &server,
        &json!({ "api_url": api_url, "project_name": "Shop" }),
    )
    .expect(200);
    let other = api_url.replace("web-shop", "api");
    let refused = put(&server, &json!({ "api_url": other })).expect(400);
    assert_eq!(
        refused,
        json!({ "message": { "token": ["is a required field"] } })
    );
    assert_eq!(
        server.admin().get(&settings).expect(200)["project_name"],
        "Shop"
    );
    // The tracker stays configured when error tracking is switched off and on again.
    for (active, integrated) in [(false, false), (true, true), (true, false)] {
        let body = json!({ "active": active, "integrated": integrated });
        let json = server.admin().with("Content-Type", "application/json");
        json.send("PATCH", &settings, body.to_string().as_bytes())
            .assert_ok();
    }
    assert_eq!(
        server.admin().get(&settings).expect(200)["api_url"],
        api_url
    );
}

#[test]
fn an_address_that_is_none_or_not_public_is_refused() {
    let server = TestServer::start();
    for (api_url, field, text) in [
        ("tracker.example.com", "api_url", "is invalid"),
        ("https://tracker.example.com/acme", "api_url", "is invalid"),
        (
            "https://tracker.example.com/api/0/projects/",
            "project",
            "is a required field",
        ),
        (
            "http://127.0.0.1:9000/api/0/projects/a/b",
            "api_url",
            "is blocked: private and local addresses are not allowed",
        ),
        (
            "http://localhost/api/0/projects/a/b",
            "api_url",
            "is blocked: private and local addresses are not allowed",
        ),
        (
            "http://[::ffff:169.254.169.254]/api/0/projects/a/b",
            "api_url",
            "is blocked: private and local addresses are not allowed",
        ),
    ] {
        let refused = put(&server, &json!({ "api_url": api_url, "token": "x" })).expect(400);
        assert_eq!(
            refused,
            json!({ "message": { field: [text] } }),
            "{api_url}"
        );
    }
    put(&server, &json!({ "token": "x" })).expect(400);
    let settings = server.admin().get(&below(&server, "/settings"));
    assert_eq!(settings.expect(200)["api_url"], Value::Null);
    let path = below(&server, "/external_tracker");
    let body = json!({ "api_url": "https://t.example.com/api/0/projects/a/b", "token": "x" });
    server.developer().put(&path, &body).expect(403);
    server.anonymous().put(&path, &body).expect(401);
}

#[test]
fn the_projects_of_a_tracker_are_listed_to_be_chosen() {
    let servers = ConnectedServers::start();
    let path = below(&servers.near, "/external_tracker/projects");
    let list = |body: &Value| servers.near.admin().post(&path, body);
    let token = servers.far.text("/developer/token");
    let named = json!({ "api_url": servers.far.base_url(), "token": token });
    for body in [
        json!({}),
        json!({ "api_url": servers.far.base_url() }),
        named,
    ] {
        let found = list(&body).expect(200);
        let shop = found
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["slug"] == "web-shop");
        let shop = shop.unwrap();
        assert_eq!(shop["organization_slug"], "acme");
        let api_url = format!("{}/api/0/projects/acme/web-shop/", servers.far.base_url());
        assert_eq!(shop["api_url"], api_url);
    }
    // The stored token is sent only to its own tracker.
    let other = TestServer::start();
    let refused = list(&json!({ "api_url": other.base_url() })).expect(400);
    assert_eq!(
        refused,
        json!({ "message": { "token": ["is a required field"] } })
    );
    let wrong = list(&json!({ "api_url": other.base_url(), "token": "wrong" })).expect(502);
    assert!(
        wrong["message"]
            .as_str()
            .unwrap()
            .contains("rejected the token"),
        "{wrong}"
    );
    let stranger = json!({ "api_url": "http://10.0.0.1", "token": "x" });
    list(&stranger).expect(400);
    let fresh = TestServer::start_configured(LOOPBACK);
    let path = below(&fresh, "/external_tracker/projects");
    fresh.admin().post(&path, &json!({})).expect(400);
    fresh.developer().post(&path, &json!({})).expect(403);
}
