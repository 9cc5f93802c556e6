//! Rights of an application's access token, and of a browser session, on the API (`AUTH-01`, `AUTH-03`, `AUTH-08`).

use serde_json::json;

use crate::oauth::support::{IssuedTokens, OauthFixture};
use crate::support::rows::change;
use crate::support::{TestCaller, TestResponse, TestServer};

const USER: &str = "/api/v4/user";

#[track_caller]
fn assert_insufficient(answer: &TestResponse, needed: &str) {
    let text = "The request requires higher privileges than provided by the access token.";
    let body = json!({ "error": "insufficient_scope", "error_description": text, "scope": needed });
    answer.assert_is(403, &body);
}

#[track_caller]
fn assert_invalid(answer: &TestResponse, text: &str) {
    let body = json!({ "error": "invalid_token", "error_description": text });
    answer.assert_is(401, &body);
    let challenge = answer.header("www-authenticate").unwrap();
    assert!(challenge.starts_with("Bearer "), "{challenge}");
    assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
}

/// AUTH-01, D29. By header or by parameter, on every method.
#[test]
fn a_token_is_sent_in_the_header_or_as_a_parameter() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let anonymous = fixture.server.anonymous();
    let user = fixture.use_token(&tokens.access).expect(200);
    assert_eq!(user["username"], "dev");
    anonymous
        .get(&format!("{USER}?access_token={}", tokens.access))
        .assert_is(200, &user);
    let lower = format!("bearer {}", tokens.access);
    anonymous
        .clone()
        .with("Authorization", &lower)
        .get(USER)
        .assert_is(200, &user);
    let path = format!("{}/1", fixture.server.alerts());
    let body = json!({ "status": "acknowledged" });
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    caller.put(&path, &body).assert_ok();
    anonymous
        .put(&format!("{path}?access_token={}", tokens.access), &body)
        .assert_ok();
}

/// D29. Two readers might use different ones of two tokens.
#[test]
fn a_token_in_both_places_is_refused() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    let text = "Both Authorization header and payload includes access token.";
    let body = json!({ "error": "invalid_request", "error_description": text });
    for other in [tokens.access.as_str(), "x"] {
        caller
            .get(&format!("{USER}?access_token={other}"))
            .assert_is(400, &body);
    }
}

/// D29, lesson 19. The same holds for two parameters, even with the same token.
#[test]
fn a_token_that_comes_twice_is_refused() {
    let mut fixture = OauthFixture::web();
    let token = fixture.tokens("api").access;
    let anonymous = fixture.server.anonymous();
    for first in [token.as_str(), "x", ""] {
        let query = format!("access_token={first}&access_token={token}");
        let answer = anonymous.get(&format!("{USER}?{query}"));
        assert_eq!(answer.expect(400)["error"], "invalid_request", "{query}");
    }
    for garbled in ["%00", "%ff"] {
        let answer = anonymous.get(&format!("{USER}?access_token={token}{garbled}"));
        assert_eq!(answer.status, 400, "{garbled}");
    }
}

/// AUTH-08, OAUTH-12, D30. The scopes that the user consented to bound the token on every route.
#[test]
fn the_scopes_bound_the_api() {
    let mut fixture = OauthFixture::web();
    let alert = format!("{}/1", fixture.server.alerts());
    let change = json!({ "status": "acknowledged" });
    let mut statuses = |scope: &str| {
        let tokens = fixture.tokens(scope);
        let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
        let (user, projects) = (caller.get(USER), caller.get("/api/v4/projects"));
        let write = caller.put(&alert, &change);
        for (answer, needed) in [
            (&user, "api read_api read_user"),
            (&projects, "api read_api"),
            (&write, "api"),
        ] {
            if answer.status == 403 {
                assert_insufficient(answer, needed);
            }
        }
        [user, projects, write].map(|answer| answer.status)
    };
    assert_eq!(statuses("api"), [200, 200, 200]);
    assert_eq!(statuses("read_api"), [200, 200, 403]);
    assert_eq!(statuses("read_user"), [200, 403, 403]);
    assert_eq!(statuses("openid profile email"), [403, 403, 403]);
    assert_eq!(statuses("openid read_api"), [200, 200, 403]);
}

/// D30, lesson 33. An expired token is reported as expired, and is never a server error.
#[test]
fn an_expired_token_is_reported_as_expired() {
    let mut fixture = OauthFixture::configured("[oauth]\naccess_token_seconds = 60");
    let tokens = fixture.tokens("api");
    assert_eq!(tokens.body["expires_in"], 60);
    change(
        &fixture.server,
        "UPDATE oauth_token_pairs SET expires_at = created_at - 1",
    );
    let text = "Token is expired. You can either do re-authorization or token refresh.";
    assert_invalid(&fixture.use_token(&tokens.access), text);
    let by_query = format!("/api/v4/projects?access_token={}", tokens.access);
    assert_invalid(&fixture.server.anonymous().get(&by_query), text);
    let next = IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    fixture.use_token(&next.access).assert_ok();
}

/// OAUTH-04, OAUTH-08. A rotated or revoked token is reported as such at once, even if it was valid a moment ago.
#[test]
fn rotated_and_revoked_tokens_are_reported_as_revoked() {
    let mut fixture = OauthFixture::web();
    let first = fixture.tokens("api");
    fixture.use_token(&first.access).assert_ok();
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    let text = "Token was revoked. You have to re-authorize from the user.";
    assert_invalid(&fixture.use_token(&first.access), text);
    fixture.use_token(&next.access).assert_ok();
    let form = fixture.client.form("x").with("token", &next.refresh);
    form.post(&fixture.server, "/oauth/revoke").assert_ok();
    assert_invalid(&fixture.use_token(&next.access), text);
}

/// D30, lesson 26. Only an access token gives access: not a code, not a refresh token, not an id token.
#[test]
fn only_access_tokens_give_access_to_the_api() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let tokens = fixture.tokens("openid api");
    let id_token = tokens.body["id_token"].as_str().unwrap();
    let secret = fixture.client.secret.clone().unwrap();
    for other in [code.as_str(), &tokens.refresh, id_token, &secret, "ghoa_x"] {
        fixture
            .use_token(other)
            .assert_is(401, &json!({ "message": "401 Unauthorized" }));
    }
    for name in ["PRIVATE-TOKEN", "Authorization"] {
        let value = fixture.browser.session().to_owned();
        let value = if name == "Authorization" {
            format!("Bearer {value}")
        } else {
            value
        };
        let answer = fixture.server.anonymous().with(name, &value).get(USER);
        assert_eq!(answer.status, 401, "{name}");
    }
}

/// RFC 6749, section 4.4. This server issues no tokens by client credentials. One that another program put into its
/// database gives no access, and no refresh token leads to one.
#[test]
fn a_token_of_an_application_itself_is_refused() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid api");
    for table in ["oauth_grants", "oauth_token_pairs"] {
        change(
            &fixture.server,
            &format!("UPDATE {table} SET user_id = NULL"),
        );
    }
    let unauthorized = json!({ "message": "401 Unauthorized" });
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    for path in [USER, "/api/v4/projects", "/api/v4/events", "/api/v4/issues"] {
        caller.get(path).assert_is(401, &unauthorized);
    }
    for path in ["/oauth/userinfo", "/oauth/token/info"] {
        assert_eq!(caller.get(path).status, 401, "{path}");
    }
    for token in [&tokens.access, &tokens.refresh] {
        let form = fixture.client.form("x").with("token", token);
        let answer = form.post(&fixture.server, "/oauth/introspect");
        answer.assert_is(200, &json!({ "active": false }));
    }
    assert_eq!(fixture.refresh(&tokens.refresh).status, 400);
}

/// AUTH-01. An invalid token is also refused where none is needed: the request does not fall back to anonymous access.
#[test]
fn a_bad_token_is_refused_on_public_paths_too() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    change(
        &fixture.server,
        "UPDATE oauth_token_pairs SET expires_at = created_at - 1",
    );
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    assert_eq!(caller.get("/api/v4/projects").status, 401);
    fixture
        .server
        .anonymous()
        .get("/api/v4/projects")
        .assert_ok();
}

/// AUTH-08. A token has at most the rights of its user: the scope `sudo` makes nobody an administrator.
#[test]
fn a_token_never_does_more_than_its_user_may() {
    let server = TestServer::start();
    let mut fixture = OauthFixture::of(server, |server| {
        let flags = ["--scopes", "api,sudo"];
        crate::oauth::support::OauthClient::register(server, "https://a.example/cb", &flags)
    });
    let tokens = fixture.tokens("api sudo");
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    assert_eq!(caller.get("/api/v4/applications").status, 403);
}

/// AUTH-03. The session of a browser can read, and can write only with the token of the browser's forms in a header.
#[test]
fn a_session_reads_and_writes_with_the_token_of_its_forms() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let page = browser.open("/profile");
    let token = crate::support::browser::hidden(&page, "authenticity_token");
    let cookie = format!("_service_session={}", browser.session());
    let caller = server.anonymous().with("Cookie", &cookie);
    assert_eq!(caller.get(USER).expect(200)["username"], "dev");
    caller.get("/api/v4/projects").assert_ok();
    let path = format!("{}/1", server.alerts());
    let change = json!({ "status": "acknowledged" });
    let unauthorized = json!({ "message": "401 Unauthorized" });
    caller.put(&path, &change).assert_is(401, &unauthorized);
    let wrong = caller.clone().with("X-CSRF-Token", "x");
    wrong.put(&path, &change).assert_is(401, &unauthorized);
    let in_body = json!({ "status": "acknowledged", "authenticity_token": token });
    caller.put(&path, &in_body).assert_is(401, &unauthorized);
    let right = caller.with("X-CSRF-Token", &token);
    let cross_origin = right.clone().with("Origin", "https://evil.example");
    cross_origin
        .put(&path, &change)
        .assert_is(401, &unauthorized);
    let cross_site = right.clone().with("Sec-Fetch-Site", "cross-site");
    cross_site.put(&path, &change).assert_is(401, &unauthorized);
    right.put(&path, &change).assert_ok();
}

/// AUTH-03. The API creates no sessions, and an invalid cookie belongs to no user.
#[test]
fn the_api_creates_no_sessions() {
    let server = TestServer::start();
    let password = server.password_of("developer");
    let body = json!({ "login": "dev", "password": password });
    assert_eq!(
        server.anonymous().post("/api/v4/session", &body).status,
        404
    );
    let answer = server.developer().get(USER);
    assert_eq!(answer.header("set-cookie"), None);
    let bad = server.anonymous().with("Cookie", "_service_session=ghse_x");
    assert_eq!(bad.get(USER).status, 401);
    bad.get("/api/v4/projects").assert_ok();
}

/// AUTH-01, AUTH-02. An application's token takes precedence over a personal one, wherever either is sent, and both
/// must be valid.
#[test]
fn an_applications_token_counts_before_a_personal_one() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("read_user");
    let personal = fixture.server.text("/reporter/token").to_owned();
    let by_bearer = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    let by_query = format!("{USER}?access_token={}", tokens.access);
    let reporter = fixture.server.reporter();
    for answer in [
        by_bearer.clone().with("PRIVATE-TOKEN", &personal).get(USER),
        by_bearer.get(&format!("{USER}?private_token={personal}")),
        reporter.get(&by_query),
    ] {
        assert_eq!(answer.expect(200)["username"], "dev");
    }
    let wrong = by_bearer.with("PRIVATE-TOKEN", "wrong");
    assert_eq!(wrong.get(USER).status, 401);
    change(
        &fixture.server,
        "UPDATE oauth_token_pairs SET expires_at = created_at - 1",
    );
    fixture.server.kill_and_restart();
    let text = "Token is expired. You can either do re-authorization or token refresh.";
    let by_query = fixture.server.reporter().get(&by_query);
    assert_invalid(&by_query, text);
}

/// AUTH-03. If both are sent, the token takes precedence: a page cannot give a script more than it was granted.
#[test]
fn a_token_has_precedence_over_a_session() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("read_user");
    let cookie = format!("_service_session={}", fixture.browser.session());
    let caller =
        TestCaller::bearer(fixture.server.base_url(), &tokens.access).with("Cookie", &cookie);
    caller.get(USER).assert_ok();
    assert_insufficient(&caller.get("/api/v4/projects"), "api read_api");
}
