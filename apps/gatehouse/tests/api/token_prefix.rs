//! The setting `security.token_prefix`.

use std::fs;

use serde_json::{Value, json};

use crate::pages::tokens::secret_of;
use crate::support::{TestCaller, TestServer};

const CONFIGURATION: &str = "[security]\ntoken_prefix = \"acme-\"\n";
const USER: &str = "/api/v4/user";

/// Asserts that a token has the configured prefix and works.
#[track_caller]
fn assert_is_of_prefix(server: &TestServer, secret: &str) {
    assert!(secret.starts_with("acme-"), "{secret}");
    let caller = TestCaller::new(server.base_url(), Some(secret));
    caller.get(USER).assert_ok();
    TestCaller::bearer(server.base_url(), secret)
        .get(USER)
        .assert_ok();
}

fn secret_in(created: &Value) -> &str {
    created["token"].as_str().unwrap()
}

/// Every way to create a token uses the prefix.
#[test]
fn all_new_tokens_have_the_configured_prefix() {
    let server = TestServer::start_configured(CONFIGURATION);
    let admin = server.admin();
    let user = server.developer().get(USER).expect(200)["id"].clone();
    let fields = json!({ "name": "deploy", "scopes": ["read_user"] });
    for kind in ["personal_access_tokens", "impersonation_tokens"] {
        let path = format!("/api/v4/users/{user}/{kind}");
        let created = admin.post(&path, &fields).expect(201);
        assert_is_of_prefix(&server, secret_in(&created));
        let rotation = format!("/api/v4/personal_access_tokens/{}/rotate", created["id"]);
        let rotated = admin.post(&rotation, &json!({})).expect(200);
        assert_is_of_prefix(&server, secret_in(&rotated));
    }
    let tokens = server.below_project("/access_tokens");
    let created = admin.post(&tokens, &fields).expect(201);
    assert_is_of_prefix(&server, secret_in(&created));
    let rotation = format!("{tokens}/{}/rotate", created["id"]);
    let rotated = admin.post(&rotation, &json!({})).expect(200);
    assert_is_of_prefix(&server, secret_in(&rotated));
}

#[test]
fn tokens_from_pages_have_the_configured_prefix() {
    let server = TestServer::start_configured(CONFIGURATION);
    let mut admin = server.signed_in("admin");
    let form = [
        ("token[name]", "deploy"),
        ("token[scopes][]", "read_user"),
        ("token[access_level]", "20"),
    ];
    for page in [
        "/profile/personal_access_tokens",
        "/acme/web-shop/-/settings/access_tokens",
        "/admin/users/dev/tokens",
    ] {
        let answer = admin.submit(page, page, &form);
        assert_eq!(answer.status, 303, "{page}: {}", answer.text());
        let shown = admin.open(answer.header("location").unwrap());
        assert_is_of_prefix(&server, &secret_of(&shown).unwrap());
    }
}

/// A token is found by its digest, so a change of the prefix revokes nothing.
#[test]
fn issued_tokens_stay_valid_under_another_prefix() {
    let mut server = TestServer::start_configured(CONFIGURATION);
    let issued = server.token("dev", "api");
    assert_is_of_prefix(&server, &issued);
    server.kill();
    let changed = CONFIGURATION.replace("acme-", "shop_");
    fs::write(server.data().join("gatehouse.toml"), changed).unwrap();
    server.restart();
    assert_is_of_prefix(&server, &issued);
    server.developer().get(USER).assert_ok();
    let next = server.token("dev", "api");
    assert!(next.starts_with("shop_"), "{next}");
    TestCaller::new(server.base_url(), Some(&next))
        .get(USER)
        .assert_ok();
}
