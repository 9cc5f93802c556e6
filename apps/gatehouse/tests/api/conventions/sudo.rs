//! Acting as another user (`AUTH-05`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestResponse, TestServer, eventually};

const USER: &str = "/api/v4/user";

/// An administrator with a token of these scopes, separated by commas.
fn root(server: &TestServer, scopes: &str) -> TestCaller {
    TestCaller::new(server.base_url(), Some(&server.token("root", scopes)))
}

fn as_user(target: &str) -> String {
    format!("{USER}?sudo={target}")
}

#[track_caller]
fn assert_is(answer: &TestResponse, username: &str) {
    assert_eq!(answer.expect(200)["username"], username);
}

/// The path of a new alert.
fn alert(server: &TestServer, title: &str) -> String {
    let iid = server.raise(&json!({ "title": title }))["iid"].clone();
    format!("{}/{iid}", server.alerts())
}

/// The author of the latest event in the feed.
fn author_of_the_last_event(server: &TestServer) -> Value {
    let events = server.admin().get(&server.below_project("/events"));
    events.list()[0]["author_username"].clone()
}

/// AUTH-05. By id and by username in any case, as a parameter and in the header, whose name may also have any case.
#[test]
fn a_user_is_named_by_id_or_username_in_a_parameter_or_the_header() {
    let server = TestServer::start();
    let id = server.demo["developer"]["id"].to_string();
    for target in [&*id, "dev", "DEV", "%64ev"] {
        assert_is(&server.admin().get(&as_user(target)), "dev");
    }
    for (name, target) in [("Sudo", &*id), ("sudo", "Dev"), ("SUDO", " dev ")] {
        assert_is(&server.admin().with(name, target).get(USER), "dev");
    }
    let escaped = format!("{USER}?s%75do=dev");
    assert_is(&server.admin().get(&escaped), "dev");
    assert_is(&server.admin().get(USER), "root");
}

/// AUTH-05. Two names of the same user count as one; two different ones are refused, in any places, and the request has
/// no effect.
#[test]
fn two_different_names_are_refused() {
    let server = TestServer::start();
    let header = server.admin().with("Sudo", "dev");
    assert_is(&header.get(&as_user("dev")), "dev");
    let twice = format!("{USER}?sudo=dev&sudo=dev");
    assert_is(&server.admin().get(&twice), "dev");
    let refused = [
        server.admin().with("Sudo", "rita").get(&as_user("dev")),
        server.admin().get(&format!("{USER}?sudo=rita&sudo=dev")),
        server.admin().get(&format!("{USER}?sudo=rita&s%75do=dev")),
        server.admin().with("Sudo", "").get(&as_user("dev")),
    ];
    for answer in refused {
        assert_eq!(answer.status, 400, "{}", answer.text());
    }
    let path = alert(&server, "Fire");
    let body = json!({ "status": "resolved", "sudo": "dev" });
    let in_query = format!("{path}?sudo=rita");
    for answer in [
        server.admin().put(&in_query, &body),
        server.admin().with("Sudo", "rita").put(&path, &body),
        server
            .admin()
            .put_form(&in_query, "status=resolved&sudo=dev"),
        server
            .admin()
            .put_form(&path, "status=resolved&sudo=dev&sudo=rita"),
    ] {
        assert_eq!(answer.status, 400, "{}", answer.text());
    }
    let same = format!("{path}?sudo=dev");
    server.admin().put(&same, &body).assert_ok();
    assert_eq!(author_of_the_last_event(&server), "dev");
}

/// AUTH-05. In JSON, as text or number, and in a form.
#[test]
fn a_body_may_name_the_user() {
    let server = TestServer::start();
    let id = server.demo["developer"]["id"].clone();
    for (title, target) in [("By name", json!("dev")), ("By id", id)] {
        let body = json!({ "status": "resolved", "sudo": target });
        server
            .admin()
            .put(&alert(&server, title), &body)
            .assert_ok();
        assert_eq!(author_of_the_last_event(&server), "dev", "{title}");
    }
    let form = "status=resolved&sudo=dev";
    let path = alert(&server, "By form");
    server.admin().put_form(&path, form).assert_ok();
    assert_eq!(author_of_the_last_event(&server), "dev");
}

/// AUTH-05. An administrator who acts as another user has exactly that user's rights.
#[test]
fn the_request_runs_with_the_rights_of_the_user() {
    let server = TestServer::start();
    server.stranger("eve");
    let admin = server.admin();
    let alert = format!("{}/1", server.alerts());
    let body = json!({ "status": "resolved" });
    let as_reporter = admin.clone().with("Sudo", "rita");
    assert_eq!(as_reporter.put(&alert, &body).status, 403);
    assert_eq!(as_reporter.get("/api/v4/applications").status, 403);
    let as_stranger = admin.clone().with("Sudo", "eve");
    assert_eq!(as_stranger.get(&server.below_project("")).status, 404);
    assert!(as_stranger.get("/api/v4/projects").list().is_empty());
    let as_developer = admin.clone().with("Sudo", "dev");
    as_developer.put(&alert, &body).assert_ok();
    admin.get("/api/v4/applications").assert_ok();
}

/// AUTH-05. The scope `sudo` is enough to act as another user; for the administrator's own rights the token needs the
/// usual scopes.
#[test]
fn the_scope_alone_acts_as_another_and_not_as_oneself() {
    let server = TestServer::start();
    let root = root(&server, "sudo");
    assert_is(&root.get(&as_user("dev")), "dev");
    let oneself = root.get(&as_user("root"));
    assert_eq!(oneself.expect(403)["scope"], "api read_api read_user");
    assert_is(&server.admin().get(&as_user("root")), "root");
}

/// AUTH-05. The three bodies are those of the specification.
#[test]
fn a_user_who_may_not_is_refused_in_the_words_of_the_specification() {
    let server = TestServer::start();
    let not_admin = json!({ "message": "403 Forbidden - Must be admin to use sudo" });
    let developer = TestCaller::new(
        server.base_url(),
        Some(&server.token_of_another_release("dev", "api sudo")),
    );
    developer.get(&as_user("rita")).assert_is(403, &not_admin);
    developer.get(&as_user("987654")).assert_is(403, &not_admin);
    let text = "The request requires higher privileges than provided by the access token.";
    let lacking =
        json!({ "error": "insufficient_scope", "error_description": text, "scope": "sudo" });
    let root = root(&server, "api");
    root.get(&as_user("dev")).assert_is(403, &lacking);
    root.get(&as_user("root")).assert_is(403, &lacking);
    for value in ["nobody", "987654", "99999999999999999999", ""] {
        let text = format!("404 User with ID or username '{value}' Not Found");
        let unknown = json!({ "message": text });
        server.admin().get(&as_user(value)).assert_is(404, &unknown);
        let by_header = server.admin().with("Sudo", value);
        by_header.get(USER).assert_is(404, &unknown);
    }
}

/// AUTH-05, API-10.
#[test]
fn sudo_requires_a_valid_token() {
    let server = TestServer::start();
    let unauthorized = json!({ "message": "401 Unauthorized" });
    let anonymous = server.anonymous();
    for answer in [
        anonymous.get(&as_user("dev")),
        anonymous.get("/api/v4/projects?sudo=dev"),
        anonymous.clone().with("Sudo", "1").get("/api/v4/projects"),
        TestCaller::new(server.base_url(), Some("wrong")).get(&as_user("dev")),
    ] {
        answer.assert_is(401, &unauthorized);
    }
    let browser = server.signed_in("admin");
    let cookie = format!("_service_session={}", browser.session());
    let by_session = anonymous.with("Cookie", &cookie);
    let reason = "Must be authenticated using an OAuth or personal access token to use sudo";
    let refused = json!({ "message": format!("403 Forbidden - {reason}") });
    by_session.get(&as_user("dev")).assert_is(403, &refused);
    by_session.get(USER).assert_ok();
}

/// AUTH-05. A blocked user may do nothing, so acting as that user is refused.
#[test]
fn blocked_users_cannot_be_impersonated() {
    let server = TestServer::start();
    server.block("dev");
    let refused = json!({ "message": "403 Forbidden - The user 'dev' is blocked" });
    server.admin().get(&as_user("dev")).assert_is(403, &refused);
}

#[test]
fn a_name_that_is_none_is_refused() {
    let server = TestServer::start();
    for query in ["sudo[]=dev", "sudo[id]=2"] {
        let answer = server.admin().get(&format!("{USER}?{query}"));
        answer.assert_is(400, &json!({ "error": "sudo is invalid" }));
    }
    let alert = format!("{}/1", server.alerts());
    for value in [json!(null), json!(true), json!(["dev"])] {
        let body = json!({ "status": "resolved", "sudo": value });
        assert_eq!(server.admin().put(&alert, &body).status, 400, "{value}");
    }
    let twice = server.admin().with("Sudo", "dev").with("Sudo", "rita");
    assert_eq!(twice.get(USER).status, 400);
}

/// AUTH-05. The parameter is ignored on no path: a caller who may not use it is refused on every path with callers,
/// even with methods that take no parameters.
#[test]
fn sudo_by_non_administrators_is_refused_on_every_path() {
    let server = TestServer::start();
    let alert = format!("{}/1", server.alerts());
    let project = server.below_project("");
    let events = server.below_project("/events");
    let receipts = server.below_project("/alert_receipts");
    let alerts = server.alerts();
    let paths = [
        ("GET", USER),
        ("GET", "/api/v4/version"),
        ("GET", "/api/v4/metadata"),
        ("GET", "/api/v4/projects"),
        ("GET", "/api/v4/applications"),
        ("POST", "/api/v4/applications"),
        ("DELETE", "/api/v4/applications/1"),
        ("POST", "/api/v4/applications/1/renew-secret"),
        ("DELETE", "/api/v4/personal_access_tokens/self"),
        ("GET", &project),
        ("GET", &events),
        ("GET", &receipts),
        ("GET", &alerts),
        ("GET", &alert),
        ("PUT", &alert),
    ];
    let refused = json!({ "message": "403 Forbidden - Must be admin to use sudo" });
    let json = || server.developer().with("Content-Type", "application/json");
    for (method, path) in paths {
        let by_query = server
            .developer()
            .send(method, &format!("{path}?sudo=rita"), b"");
        by_query.assert_is(403, &refused);
        let by_header = server
            .developer()
            .with("Sudo", "rita")
            .send(method, path, b"");
        by_header.assert_is(403, &refused);
        if method != "GET" {
            let by_body = json().send(method, path, br#"{"sudo":"rita"}"#);
            by_body.assert_is(403, &refused);
        }
    }
}

/// AUTH-05. The token of the request belongs to the administrator, not to the user whose rights it runs with.
#[test]
fn the_administrators_token_is_not_ended_as_the_users() {
    let server = TestServer::start();
    let path = "/api/v4/personal_access_tokens/self?sudo=dev";
    assert_eq!(server.admin().delete(path).status, 400);
    server.admin().get(USER).assert_ok();
}

/// AUTH-05. The endpoints of the provider do not support acting as another user.
#[test]
fn sudo_is_refused_on_oauth_endpoints() {
    let server = TestServer::start();
    let admin = server.admin();
    for path in ["/oauth/userinfo", "/oauth/token/info"] {
        let answers = [
            admin.get(&format!("{path}?sudo=dev")),
            admin.clone().with("Sudo", "dev").get(path),
        ];
        for answer in answers {
            assert_eq!(answer.expect(400)["error"], "invalid_request", "{path}");
        }
    }
}

/// AUTH-05. The log names both users.
#[test]
fn the_log_names_the_administrator_and_the_sudo_user() {
    let server = TestServer::start_logged("[log]\nlevel = \"info\"\nformat = \"json\"\n");
    server.admin().get(&as_user("dev")).assert_ok();
    let line = eventually("the line is written", || {
        let log = server.log();
        let mut lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.find(|line| line.get("sudo.user").is_some())
    });
    assert_eq!(line["sudo.administrator"], server.demo["admin"]["id"]);
    assert_eq!(line["sudo.user"], server.demo["developer"]["id"]);
    assert_eq!(line["request.route"], "/api/v4/user");
}
