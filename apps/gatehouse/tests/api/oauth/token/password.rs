//! Exchange of a username and a password for a token (`OAUTH-05`).

use insta::assert_snapshot;

use crate::oauth::support::{
    OauthClient, OauthFixture, OauthRequest, assert_refused, assert_unstored, post,
};
use crate::support::browser::form;
use crate::support::{TestCaller, TestServer};

/// The form of a user of the demo, without an application.
fn password_request(server: &TestServer, person: &str) -> OauthRequest {
    let request = OauthClient::web(server).form("password");
    let request = request.without("client_id").without("client_secret");
    let (name, password) = (server.name_of(person), server.password_of(person));
    request.with("username", &name).with("password", &password)
}

/// OAUTH-05, OAUTH-06, D25. Neither a refresh token nor `created_at`, as in the specification.
#[test]
fn a_password_gives_an_access_token_alone() {
    let server = TestServer::start();
    let answer = password_request(&server, "developer").send(&server);
    assert_unstored(&answer);
    let body = answer.expect(200);
    let access = body["access_token"].as_str().unwrap();
    assert_snapshot!(answer.text().replace(access, "ACCESS"), @r#"{"access_token":"ACCESS","token_type":"bearer","expires_in":7200,"scope":"api"}"#);
    let user = TestCaller::bearer(server.base_url(), access).get("/api/v4/user");
    assert_eq!(user.expect(200)["username"], "dev");
}

/// OAUTH-05. Also by email address; with client credentials, and limited to the application's scopes.
#[test]
fn an_application_is_limited_to_its_scopes() {
    let server = TestServer::start();
    let web = OauthClient::web(&server);
    let small = OauthClient::register(&server, "https://a.example/cb", &["--scopes", "read_user"]);
    let password_request =
        password_request(&server, "developer").with("username", "dev@example.com");
    let with = |client: &OauthClient, request: &OauthRequest| {
        let request = request.clone().with("client_id", &client.id);
        request.with("client_secret", client.secret.as_ref().unwrap())
    };
    let token = with(&web, &password_request).send(&server).expect(200)["access_token"].clone();
    let info =
        TestCaller::bearer(server.base_url(), token.as_str().unwrap()).get("/oauth/token/info");
    assert_eq!(info.expect(200)["application"]["uid"], web.id.as_str());
    assert_refused(
        &with(&small, &password_request).send(&server),
        400,
        "invalid_scope",
    );
    let fits = with(&small, &password_request.clone().with("scope", "read_user"));
    fits.send(&server).assert_ok();
    let wrong = with(&web, &password_request).with("client_secret", "wrong");
    assert_refused(&wrong.send(&server), 401, "invalid_client");
}

/// OAUTH-05. A scope narrows the token; unknown words are ignored, and a password alone never gives `sudo`.
#[test]
fn the_scope_parameter_narrows_the_token() {
    let server = TestServer::start();
    let password_request = password_request(&server, "developer");
    let answer = password_request
        .clone()
        .with("scope", "read_user")
        .send(&server)
        .expect(200);
    let caller = TestCaller::bearer(server.base_url(), answer["access_token"].as_str().unwrap());
    caller.get("/api/v4/user").assert_ok();
    assert_eq!(caller.get("/api/v4/projects").status, 403);
    let beside = password_request.clone().with("scope", "mystery read_user");
    assert_eq!(beside.send(&server).expect(200)["scope"], "read_user");
    for scope in ["mystery", "api,read_user", "sudo", "api sudo"] {
        let refused = password_request.clone().with("scope", scope).send(&server);
        assert_refused(&refused, 400, "invalid_scope");
    }
}

/// OAUTH-05, D37. A wrong password, an unknown user, and one who may not sign in get the same response.
#[test]
fn errors_do_not_reveal_existing_users() {
    let server = TestServer::start();
    server.block("rita");
    let password_request = password_request(&server, "developer");
    let refused = [
        password_request.clone().with("password", "wrong"),
        password_request.clone().with("username", "nobody"),
        password_request
            .clone()
            .with("username", "nobody@example.com"),
        password_request.clone().with("username", "alert-bot"),
        password_request.clone().with("username", &"x".repeat(4000)),
        self::password_request(&server, "reporter"),
    ];
    let mut texts: Vec<String> = Vec::new();
    for request in refused {
        let answer = request.send(&server);
        assert_refused(&answer, 400, "invalid_grant");
        texts.push(answer.text());
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
}

/// D38. After too many wrong passwords further ones are refused, with the remaining time; signed-in users are not
/// affected.
#[test]
fn too_many_wrong_passwords_return_429_with_retry_after() {
    let server = TestServer::start_configured("[sign_in]\nmax_failures = 3");
    let mut browser = server.signed_in("developer");
    let token = password_request(&server, "developer")
        .send(&server)
        .expect(200)["access_token"]
        .clone();
    let wrong = password_request(&server, "developer").with("password", "wrong");
    for _ in 0..3 {
        assert_refused(&wrong.send(&server), 400, "invalid_grant");
    }
    for request in [&wrong, &password_request(&server, "developer")] {
        let lockout = request.send(&server);
        assert_refused(&lockout, 429, "temporarily_unavailable");
        let seconds: u32 = lockout.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=600).contains(&seconds), "{seconds}");
    }
    assert!(browser.is_signed_in());
    let caller = TestCaller::bearer(server.base_url(), token.as_str().unwrap());
    caller.get("/api/v4/user").assert_ok();
    password_request(&server, "reporter")
        .send(&server)
        .assert_ok();
}

/// D38. The sign-in form and the token endpoint share one count: a guesser cannot switch to the other.
#[test]
fn failures_count_at_both_doors() {
    let server = TestServer::start_configured("[sign_in]\nmax_failures = 3");
    let wrong = password_request(&server, "developer").with("password", "wrong");
    assert_refused(&wrong.send(&server), 400, "invalid_grant");
    for _ in 0..2 {
        assert_eq!(server.browser().try_sign_in("dev", "wrong").status, 422);
    }
    assert_eq!(
        password_request(&server, "developer").send(&server).status,
        429
    );
}

/// D32. If disabled, the grant type is unsupported, and missing from the metadata.
#[test]
fn a_disabled_password_grant_is_unsupported() {
    let server = TestServer::start_configured("[oauth]\npassword_grant = false");
    let refused = password_request(&server, "developer").send(&server);
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
    let server = TestServer::start();
    let query = password_request(&server, "developer").encoded();
    let answer = post(
        &server,
        &format!("/oauth/token?{query}"),
        &form(&[("grant_type", "password")]),
    );
    assert_refused(&answer, 400, "invalid_request");
}

/// OAUTH-05. A public application authenticates by its client id alone: it needs no secret.
#[test]
fn a_public_application_authenticates_by_client_id_alone() {
    let fixture = OauthFixture::tool();
    let request =
        password_request(&fixture.server, "developer").with("client_id", &fixture.client.id);
    let answer = request.send(&fixture.server).expect(200);
    assert_eq!(answer.get("refresh_token"), None);
    let access = answer["access_token"].as_str().unwrap();
    assert_eq!(fixture.use_token(access).expect(200)["username"], "dev");
}

/// AUTH-05. Not even to an administrator, who must consent to it on a page or create a token for it.
#[test]
fn a_password_gives_no_administrator_the_scope_sudo() {
    let server = TestServer::start();
    let all = OauthClient::register(&server, "https://a.example/cb", &["--scopes", "api,sudo"]);
    let by_application = all
        .form("password")
        .with("username", &server.name_of("admin"))
        .with("password", &server.password_of("admin"));
    for password_request in [password_request(&server, "admin"), by_application] {
        let refused = password_request
            .clone()
            .with("scope", "api sudo")
            .send(&server);
        assert_refused(&refused, 400, "invalid_scope");
        assert_eq!(password_request.send(&server).expect(200)["scope"], "api");
    }
}
