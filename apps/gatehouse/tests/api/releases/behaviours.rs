//! Behaviour that differs between releases.

use serde_json::{Value, json};

use super::{HEADER, developer_at, server_as};
use crate::support::pages::column;
use crate::support::relying_party::RelyingParty;
use crate::support::{TestCaller, TestServer, rows};

#[test]
fn alert_intake_answers_with_the_alerts_since_14_5() {
    let server = TestServer::start();
    let alert = |title: &str| json!({"title": title});
    let old = server
        .sender()
        .with(HEADER, "14.4")
        .post(&server.generic(), &alert("Disk full"));
    assert_eq!((old.status, old.text().as_str()), (200, ""));
    let new = server
        .sender()
        .with(HEADER, "14.5")
        .post(&server.generic(), &alert("Load high"));
    assert_eq!(new.list().len(), 1);
    let titles = column(&server.developer(), &server.alerts(), "title");
    for title in ["Disk full", "Load high"] {
        assert!(
            titles.iter().any(|found| found == title),
            "{title} is stored"
        );
    }
}

#[test]
fn lists_give_their_links_under_the_old_name_before_14_0() {
    let server = TestServer::start();
    let list = |release| developer_at(&server, release).get("/api/v4/projects?order_by=name");
    let old = list("13.12");
    assert!(old.link("first").is_some());
    assert_eq!(old.header("links"), old.header("link"));
    assert_eq!(list("14.0").header("links"), None);
    assert_eq!(
        server.developer().get("/api/v4/projects").header("links"),
        None
    );
}

/// DEPR-08. A project's pages that are not public are found only by browsers with a session.
#[test]
fn pages_are_found_without_the_delimiter_before_16_0_alone() {
    let old = server_as("15.11");
    let path = format!("/{}/issues?state=opened", old.text("/project/path"));
    let led = old.signed_in("developer").open(&path);
    let expected = format!("/{}/-/issues?state=opened", old.text("/project/path"));
    assert_eq!(
        (led.status, led.header("location")),
        (302, Some(expected.as_str()))
    );
    assert_eq!(led.header("sunset"), Some("Mon, 22 May 2023 00:00:00 GMT"));
    assert_eq!(led.header("deprecation"), Some("@1677024000"));
    old.signed_in("developer").visit(&path).expect_text(200);
    let unknown = format!("/{}/nothing", old.text("/project/path"));
    assert_eq!(old.signed_in("developer").open(&unknown).status, 404);
    let new = server_as("16.0");
    assert_eq!(new.signed_in("developer").open(&path).status, 404);
    let api = new.below_project("/issues");
    new.developer().get(&api).expect(200);
    new.sender()
        .post(&new.generic(), &json!({"title": "x"}))
        .expect(200);
}

#[test]
fn cors_preflight_of_oauth_endpoints_is_allowed_since_15_1() {
    let ask = |server: &TestServer, path: &str| {
        let preflight = server
            .anonymous()
            .with("Origin", "https://shop.example")
            .with("Access-Control-Request-Method", "POST")
            .send("OPTIONS", path, b"");
        preflight
            .header("access-control-allow-methods")
            .map(str::to_owned)
    };
    let (old, new) = (server_as("15.0"), server_as("15.1"));
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/userinfo"] {
        assert_eq!(ask(&old, path), None, "{path}");
        assert!(ask(&new, path).unwrap().contains("POST"), "{path}");
    }
    assert!(ask(&old, "/api/v4/projects").unwrap().contains("POST"));
    let simple = old.anonymous().with("Origin", "https://shop.example");
    let simple = simple.post_bytes("/oauth/token", b"grant_type=password");
    assert_eq!(simple.header("access-control-allow-origin"), Some("*"));
}

/// AUTH-09. The expiry date is in the database, and no response of the API shows it.
#[test]
fn tokens_without_a_last_day_are_endless_before_16_0() {
    let endless = |server: &TestServer| {
        let token = server.token("root", "api");
        let caller = TestCaller::new(server.base_url(), Some(&token));
        caller.get("/api/v4/user").expect(200);
        rows::number(
            server,
            "(SELECT COUNT(*) FROM access_tokens WHERE expires_on > 2000000)",
        )
    };
    assert_eq!(endless(&server_as("15.11")), 1);
    assert_eq!(endless(&server_as("16.0")), 0);
}

/// AUTH-09. The API creates endless tokens as the command line does, and the release of a request changes nothing.
#[test]
fn the_request_release_does_not_allow_tokens_without_expiry() {
    let path = "/api/v4/users/1/personal_access_tokens";
    let body = json!({ "name": "deploy", "scopes": ["read_api"] });
    let created = server_as("15.11").admin().post(path, &body);
    assert_eq!(created.expect(201)["expires_at"], Value::Null);
    let server = server_as("16.0");
    let admin = server.admin().with(HEADER, "15.11");
    let created = admin.post(path, &body);
    assert!(created.expect(201)["expires_at"].is_string());
}

/// The two old names in the token's information stay until a version of the API removes them.
#[test]
fn the_old_names_of_token_information_go_with_the_next_version() {
    let server = TestServer::start();
    let party: RelyingParty = server.relying_party("shop");
    let mut browser = server.signed_in("developer");
    let tokens = party.tokens(&mut browser);
    let info = |release: Option<&str>| {
        let caller = TestCaller::bearer(server.base_url(), &tokens.access);
        let caller = match release {
            Some(release) => caller.with(HEADER, release),
            None => caller,
        };
        caller.get("/oauth/token/info")
    };
    let now = info(None);
    let named = now.header("gatehouse-deprecated").map(str::to_owned);
    let shown = now.expect(200);
    assert_eq!(named.as_deref(), Some("12-0-token-info-aliases"));
    assert_eq!(shown["scopes"], shown["scope"]);
    assert_eq!(shown["expires_in_seconds"], shown["expires_in"]);
    let next = info(Some("v5")).expect(200);
    for removed in ["scopes", "expires_in_seconds"] {
        assert_eq!(next.get(removed), None, "{removed}");
    }
    assert_eq!(next["scope"], shown["scope"]);
}
