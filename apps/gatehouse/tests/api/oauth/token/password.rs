//! Exchange of a username and a password for a token (`OAUTH-05`).

use insta::assert_snapshot;

use crate::oauth::support::{Client, Request, Stage, assert_refused, assert_unstored, post};
use crate::support::browser::form;
use crate::support::{Caller, Server};

/// The form of a user of the demo, without an application.
fn asks(server: &Server, person: &str) -> Request {
    let request = Client::web(server).form("password");
    let request = request.without("client_id").without("client_secret");
    let (name, password) = (server.name_of(person), server.password_of(person));
    request.with("username", &name).with("password", &password)
}

/// OAUTH-05, OAUTH-06, D25. Neither a refresh token nor `created_at`, as in the specification.
#[test]
fn a_password_gives_an_access_token_alone() {
    let server = Server::start();
    let answer = asks(&server, "developer").ask(&server);
    assert_unstored(&answer);
    let body = answer.expect(200);
    let access = body["access_token"].as_str().unwrap();
    assert_snapshot!(answer.text().replace(access, "ACCESS"), @r#"{"access_token":"ACCESS","token_type":"bearer","expires_in":7200,"scope":"api"}"#);
    let user = Caller::bearer(server.base_url(), access).get("/api/v4/user");
    assert_eq!(user.expect(200)["username"], "dev");
}

/// OAUTH-05. Also by email address; with client credentials, and limited to the application's scopes.
#[test]
fn an_application_may_ask_within_its_scopes() {
    let server = Server::start();
    let web = Client::web(&server);
    let small = Client::register(&server, "https://a.example/cb", &["--scopes", "read_user"]);
    let asks = asks(&server, "developer").with("username", "dev@example.com");
    let with = |client: &Client, request: &Request| {
        let request = request.clone().with("client_id", &client.id);
        request.with("client_secret", client.secret.as_ref().unwrap())
    };
    let token = with(&web, &asks).ask(&server).expect(200)["access_token"].clone();
    let info = Caller::bearer(server.base_url(), token.as_str().unwrap()).get("/oauth/token/info");
    assert_eq!(info.expect(200)["application"]["uid"], web.id.as_str());
    assert_refused(&with(&small, &asks).ask(&server), 400, "invalid_scope");
    let fits = with(&small, &asks.clone().with("scope", "read_user"));
    fits.ask(&server).assert_ok();
    let wrong = with(&web, &asks).with("client_secret", "wrong");
    assert_refused(&wrong.ask(&server), 401, "invalid_client");
}

/// OAUTH-05. A scope narrows the token; unknown words are ignored, and a password alone never gives `sudo`.
#[test]
fn a_scope_narrows_what_a_password_gives() {
    let server = Server::start();
    let asks = asks(&server, "developer");
    let answer = asks
        .clone()
        .with("scope", "read_user")
        .ask(&server)
        .expect(200);
    let caller = Caller::bearer(server.base_url(), answer["access_token"].as_str().unwrap());
    caller.get("/api/v4/user").assert_ok();
    assert_eq!(caller.get("/api/v4/projects").status, 403);
    let beside = asks.clone().with("scope", "mystery read_user");
    assert_eq!(beside.ask(&server).expect(200)["scope"], "read_user");
    for scope in ["mystery", "api,read_user", "sudo", "api sudo"] {
        let refused = asks.clone().with("scope", scope).ask(&server);
        assert_refused(&refused, 400, "invalid_scope");
    }
}

/// OAUTH-05, D37. A wrong password, an unknown user, and one who may not sign in get the same response.
#[test]
fn who_exists_is_not_reported() {
    let server = Server::start();
    server.block("rita");
    let asks = asks(&server, "developer");
    let refused = [
        asks.clone().with("password", "wrong"),
        asks.clone().with("username", "nobody"),
        asks.clone().with("username", "nobody@example.com"),
        asks.clone().with("username", "alert-bot"),
        asks.clone().with("username", &"x".repeat(4000)),
        self::asks(&server, "reporter"),
    ];
    let mut texts: Vec<String> = Vec::new();
    for request in refused {
        let answer = request.ask(&server);
        assert_refused(&answer, 400, "invalid_grant");
        texts.push(answer.text());
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

/// D38. After too many wrong passwords further ones are refused, with the remaining time; signed-in users are not
/// affected.
#[test]
fn too_many_wrong_passwords_shut_the_door_for_a_while() {
    let server = Server::start_configured("[sign_in]\nmax_failures = 3");
    let mut browser = server.signed_in("developer");
    let token = asks(&server, "developer").ask(&server).expect(200)["access_token"].clone();
    let wrong = asks(&server, "developer").with("password", "wrong");
    for _ in 0..3 {
        assert_refused(&wrong.ask(&server), 400, "invalid_grant");
    }
    for request in [&wrong, &asks(&server, "developer")] {
        let lockout = request.ask(&server);
        assert_refused(&lockout, 429, "temporarily_unavailable");
        let seconds: u32 = lockout.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=600).contains(&seconds), "{seconds}");
    }
    assert!(browser.is_signed_in());
    let caller = Caller::bearer(server.base_url(), token.as_str().unwrap());
    caller.get("/api/v4/user").assert_ok();
    asks(&server, "reporter").ask(&server).assert_ok();
}

/// D38. The sign-in form and the token endpoint share one count: a guesser cannot switch to the other.
#[test]
fn failures_count_at_both_doors() {
    let server = Server::start_configured("[sign_in]\nmax_failures = 3");
    let wrong = asks(&server, "developer").with("password", "wrong");
    assert_refused(&wrong.ask(&server), 400, "invalid_grant");
    for _ in 0..2 {
        assert_eq!(server.browser().try_sign_in("dev", "wrong").status, 422);
    }
    assert_eq!(asks(&server, "developer").ask(&server).status, 429);
}

/// D32. If disabled, the grant type is unsupported, and missing from the metadata.
#[test]
fn where_it_is_switched_off_it_is_unsupported() {
    let server = Server::start_configured("[oauth]\npassword_grant = false");
    let refused = asks(&server, "developer").ask(&server);
    assert_refused(&refused, 400, "unsupported_grant_type");
    let metadata = server
        .anonymous()
        .get("/.well-known/openid-configuration")
        .expect(200);
    let grants = metadata["grant_types_supported"].to_string();
    assert!(!grants.contains("password"), "{grants}");
}

/// OAUTH-05. A password in the URL is ignored, because it would end up in logs.
#[test]
fn a_password_in_the_address_is_not_looked_at() {
    let server = Server::start();
    let query = asks(&server, "developer").encoded();
    let answer = post(
        &server,
        &format!("/oauth/token?{query}"),
        &form(&[("grant_type", "password")]),
    );
    assert_refused(&answer, 400, "invalid_request");
}

/// OAUTH-05. A public application authenticates by its client id alone: it needs no secret.
#[test]
fn a_public_application_may_ask_with_its_name_alone() {
    let stage = Stage::tool();
    let request = asks(&stage.server, "developer").with("client_id", &stage.client.id);
    let answer = request.ask(&stage.server).expect(200);
    assert_eq!(answer.get("refresh_token"), None);
    let access = answer["access_token"].as_str().unwrap();
    assert_eq!(stage.use_token(access).expect(200)["username"], "dev");
}

/// AUTH-05. Not even to an administrator, who must consent to it on a page or create a token for it.
#[test]
fn a_password_gives_no_administrator_the_scope_sudo() {
    let server = Server::start();
    let all = Client::register(&server, "https://a.example/cb", &["--scopes", "api,sudo"]);
    let by_application = all
        .form("password")
        .with("username", &server.name_of("admin"))
        .with("password", &server.password_of("admin"));
    for asks in [asks(&server, "admin"), by_application] {
        let refused = asks.clone().with("scope", "api sudo").ask(&server);
        assert_refused(&refused, 400, "invalid_scope");
        assert_eq!(asks.ask(&server).expect(200)["scope"], "api");
    }
}
