//! `/api/v4/projects/:id/environments`.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::pages::column;
use crate::support::script::play;

/// Responses that v4 clients read, from creation to deletion.
#[test]
fn an_environment_is_created_read_updated_stopped_and_deleted() {
    let server = TestServer::start();
    let environment = |name: &str, url: Option<&str>, tier: &str, state: &str| {
        json!({
            "id": 1, "name": name, "slug": "review-a-b-*", "external_url": url, "tier": tier, "state": state,
            "auto_stop_at": null, "created_at": "*", "updated_at": "*",
        })
    };
    let shown = |name, url, tier, state| {
        let mut shown = environment(name, url, tier, state);
        shown["slug"] = json!("*");
        shown
    };
    let created = shown("review/a b", None, "development", "available");
    let mut single = created.clone();
    single["last_deployment"] = Value::Null;
    let changed = shown(
        "review/c",
        Some("https://c.example"),
        "production",
        "available",
    );
    let stopped = shown(
        "review/c",
        Some("https://c.example"),
        "production",
        "stopped",
    );
    let script = format!(
        r#"
        POST . {{"name": "review/a b"}}
        201 {created}
        GET /1
        200 {single}
        GET .
        200 [{created}]
        PUT /1 {{"name": "review/c", "external_url": "https://c.example", "tier": "production"}}
        200 {changed}
        PUT /1 {{}}
        400 {{"error": "name, external_url, tier are missing, at least one parameter must be provided"}}
        DELETE /1
        403 {{"message": "403 Forbidden - the environment is available; stop it first"}}
        POST /1/stop
        200 {stopped}
        POST /1/stop
        200 {stopped}
        DELETE /1
        204
        GET /1
        404 {{"message": "404 Environment Not Found"}}
        "#
    );
    play(
        &server.admin(),
        &server.below_project("/environments"),
        &script,
    );
}

#[test]
fn slugs_are_names_for_hosts() {
    let server = TestServer::start();
    let (developer, path) = (server.developer(), server.below_project("/environments"));
    for (name, slug) in [
        ("production", "production"),
        ("Production", "production-"),
        ("review/a-very-long-feature-branch", "review-a-very-lon-"),
    ] {
        let created = developer.post(&path, &json!({ "name": name })).expect(201);
        let found = created["slug"].as_str().unwrap();
        assert!(found.starts_with(slug) && found.len() <= 24, "{found}");
        if name == slug {
            assert_eq!(found, slug);
        }
    }
}

#[test]
fn environments_are_filtered_by_name_text_and_state() {
    let server = TestServer::start();
    let (developer, path) = (server.developer(), server.below_project("/environments"));
    for name in ["production", "review/Apple", "review/pear"] {
        developer.post(&path, &json!({ "name": name })).expect(201);
    }
    developer
        .post(&format!("{path}/3/stop"), &json!({}))
        .expect(200);
    for (query, expected) in [
        ("", &["production", "review/Apple", "review/pear"][..]),
        ("name=review/pear", &["review/pear"]),
        ("name=review", &[]),
        ("search=review", &["review/Apple", "review/pear"]),
        ("search=APP", &["review/Apple"]),
        ("search=_", &[]),
        ("states=stopped", &["review/pear"]),
        ("states=available&search=review", &["review/Apple"]),
    ] {
        // From 16.0 on, a search needs at least three characters.
        let before = server.developer().with("Gatehouse-Release", "15.11");
        let found = column(&before, &format!("{path}?{query}"), "name");
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn invalid_environment_requests_are_rejected() {
    let server = TestServer::start();
    let long = "x".repeat(256);
    let script = format!(
        r#"
        POST . {{"name": "taken"}}
        201
        POST . {{"name": "other"}}
        201
        POST . {{}}
        400 {{"message": "400 (Bad request) \"name\" not given"}}
        POST . {{"name": "taken"}}
        400 {{"message": {{"name": ["has already been taken"]}}}}
        PUT /2 {{"name": "taken"}}
        400 {{"message": {{"name": ["has already been taken"]}}}}
        POST . {{"name": "{long}"}}
        400 {{"message": {{"name": ["is too long (maximum is 255 characters)"]}}}}
        POST . {{"name": "/a"}}
        400 {{"message": {{"name": "*"}}}}
        POST . {{"name": "a", "external_url": "javascript:alert(1)"}}
        400 {{"message": {{"external_url": ["is blocked: Only allowed schemes are http, https"]}}}}
        POST . {{"name": "a", "tier": "best"}}
        400 {{"error": "tier does not have a valid value"}}
        GET ?name=a&search=abc
        400 {{"error": "name, search are mutually exclusive"}}
        GET ?states=stopping
        400 {{"error": "states does not have a valid value"}}
        POST /9/stop
        404 {{"message": "404 Environment Not Found"}}
        PUT /9 {{"tier": "other"}}
        404 {{"message": "404 Environment Not Found"}}
        "#
    );
    play(
        &server.developer(),
        &server.below_project("/environments"),
        &script,
    );
}

/// API-15.
#[test]
fn a_delete_with_a_stale_if_unmodified_since_returns_412() {
    let server = TestServer::start();
    let (admin, path) = (server.admin(), server.below_project("/environments"));
    admin.post(&path, &json!({ "name": "a" })).expect(201);
    admin
        .post(&format!("{path}/1/stop"), &json!({}))
        .expect(200);
    let stale = admin.with("If-Unmodified-Since", "Wed, 01 Jan 2020 00:00:00 GMT");
    assert_eq!(stale.delete(&format!("{path}/1")).status, 412);
    let fresh = server.admin();
    assert_eq!(fresh.delete(&format!("{path}/1")).status, 204);
}
