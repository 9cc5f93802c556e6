//! `/jwt/auth` and `/api/v4/projects/:id/registry/repositories`, with a registry in memory (`OAUTH-15`).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::support::fake_registry::FakeRegistry;
use crate::support::polling::eventually;
use crate::support::{TestCaller, TestResponse, TestServer};

const PROJECT: &str = "acme/web-shop";
pub(crate) const PUSH: &str = "repository:acme/web-shop:pull,push";

pub(crate) fn start() -> (TestServer, FakeRegistry) {
    let registry = FakeRegistry::start();
    let server = TestServer::start_configured(&registry.configuration());
    (server, registry)
}

pub(crate) fn basic(server: &TestServer, username: &str, password: &str) -> TestCaller {
    let credentials = STANDARD.encode(format!("{username}:{password}"));
    server
        .anonymous()
        .with("Authorization", &format!("Basic {credentials}"))
}

pub(crate) fn request(caller: &TestCaller, scope: &str) -> TestResponse {
    let query = format!("service=container_registry&account=ann&offline_token=true&scope={scope}");
    caller.get(&format!("/jwt/auth?{query}"))
}

/// The claims of a token.
pub(crate) fn claims(token: &str) -> Value {
    let body = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).unwrap()).unwrap()
}

/// The granted access, as repositories with their actions.
pub(crate) fn access(answer: &TestResponse) -> String {
    let access = claims(answer.expect(200)["token"].as_str().unwrap())["access"].clone();
    let one = |granted: &Value| {
        let actions = granted["actions"].as_array().unwrap();
        let actions: Vec<&str> = actions.iter().map(|it| it.as_str().unwrap()).collect();
        format!(
            "{} {}",
            granted["name"].as_str().unwrap(),
            actions.join(",")
        )
    };
    let all: Vec<String> = access.as_array().unwrap().iter().map(one).collect();
    all.join("; ")
}

/// The actions on the project that a token gets.
pub(crate) fn granted(server: &TestServer, token: &str) -> String {
    let access = access(&request(&basic(server, "any", token), PUSH));
    access.replace("acme/web-shop ", "")
}

fn deploy_token(server: &TestServer, scopes: &[&str]) -> TestCaller {
    let fields = json!({ "name": "host", "scopes": scopes });
    let path = server.below_project("/deploy_tokens");
    let token = server.admin().post(&path, &fields).expect(201);
    let text = |name: &str| token[name].as_str().unwrap().to_owned();
    basic(server, &text("username"), &text("token"))
}

pub(crate) fn list(server: &TestServer) -> Vec<Value> {
    let path = server.below_project("/registry/repositories?tags=true&tags_count=true");
    server.developer().get(&path).list()
}

#[test]
fn a_token_has_the_claims_that_a_registry_checks() {
    let (server, _registry) = start();
    let secret = server.token("dev", "read_registry,write_registry");
    let answer = request(&basic(&server, "dev", &secret), PUSH);
    let body = answer.expect(200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(
        (&body["expires_in"], &body["access_token"]),
        (&json!(300), &body["token"])
    );
    assert!(body["issued_at"].is_string(), "{body}");
    let token = body["token"].as_str().unwrap();
    let claims = claims(token);
    let username = server.developer().get("/api/v4/user").expect(200)["username"].clone();
    assert_eq!(
        (&claims["iss"], &claims["aud"], &claims["sub"]),
        (
            &json!(server.base_url()),
            &json!("container_registry"),
            &username
        )
    );
    let seconds = |name: &str| claims[name].as_i64().unwrap();
    assert_eq!(seconds("exp") - seconds("iat"), 300);
    assert_eq!(
        claims["access"],
        json!([{ "type": "repository", "name": PROJECT, "actions": ["pull", "push"] }])
    );
    let header = URL_SAFE_NO_PAD
        .decode(token.split('.').next().unwrap())
        .unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    assert_eq!(header["alg"], "ES256");
    assert!(header["x5c"][0].is_string(), "{header}");
    let certificate = server.command(&["registry-certificate"]);
    let text = String::from_utf8(certificate.stdout).unwrap();
    assert!(text.starts_with("-----BEGIN CERTIFICATE-----"), "{text}");
}

#[test]
fn scopes_and_roles_limit_what_is_granted() {
    let (server, _registry) = start();
    let path = server.below_project("");
    server
        .admin()
        .put(&path, &json!({ "visibility": "private" }))
        .expect(200);
    for (scopes, expected) in [
        ("read_registry,write_registry", "pull,push"),
        ("read_registry", "pull"),
        ("write_registry", "push"),
        ("api,read_repository,write_repository", ""),
    ] {
        let token = server.token("dev", scopes);
        assert_eq!(granted(&server, &token), expected, "{scopes}");
    }
    let member = server.stranger("mona");
    let id = member.get("/api/v4/user").expect(200)["id"].clone();
    let token = server.token("mona", "read_registry,write_registry");
    assert_eq!(granted(&server, &token), "");
    let members = format!("{path}/members");
    for (level, expected) in [(10, ""), (20, "pull"), (30, "pull,push"), (50, "pull,push")] {
        let role = json!({ "user_id": id, "access_level": level });
        server.admin().post(&members, &role).expect(201);
        assert_eq!(granted(&server, &token), expected, "{level}");
        let removed = server.admin().delete(&format!("{members}/{id}"));
        assert_eq!(removed.status, 204);
    }
    let bot =
        json!({ "name": "ci", "scopes": ["read_registry", "write_registry"], "access_level": 30 });
    let bot = server.admin().post(&format!("{path}/access_tokens"), &bot);
    assert_eq!(
        granted(&server, bot.expect(201)["token"].as_str().unwrap()),
        "pull,push"
    );
    let developer = server.token("dev", "read_registry,write_registry");
    for (scope, expected) in [
        (
            "repository:acme/web-shop/api/v1:pull,push",
            "acme/web-shop/api/v1 pull,push",
        ),
        (
            "repository:acme/web-shop:push,delete,*",
            "acme/web-shop push",
        ),
        ("repository:acme/none:pull", ""),
        ("repository:acme:pull", ""),
        ("registry:catalog:*", ""),
        (
            "repository:acme/web-shop:pull&scope=repository:acme/web-shop/b:push",
            "acme/web-shop pull; acme/web-shop/b push",
        ),
    ] {
        let answer = request(&basic(&server, "any", &developer), scope);
        assert_eq!(access(&answer), expected, "{scope}");
    }
    server
        .admin()
        .post(&format!("{path}/archive"), &json!({}))
        .expect(201);
    assert_eq!(granted(&server, &developer), "pull", "archived");
}

#[test]
fn everybody_pulls_from_a_public_project_unless_its_settings_forbid_it() {
    let (server, _registry) = start();
    let path = server.below_project("");
    let anonymous = || access(&request(&server.anonymous(), PUSH));
    assert_eq!(anonymous(), "");
    let public = json!({ "visibility": "public" });
    server
        .admin()
        .put("/api/v4/groups/acme", &public)
        .expect(200);
    server.admin().put(&path, &public).expect(200);
    let developer = server.token("dev", "read_registry,write_registry");
    let deploy = deploy_token(&server, &["read_registry"]);
    for (level, everybody, member, machine) in [
        (
            "enabled",
            "acme/web-shop pull",
            "pull,push",
            "acme/web-shop pull",
        ),
        ("private", "", "pull,push", "acme/web-shop pull"),
        ("disabled", "", "", ""),
    ] {
        let change = json!({ "container_registry_access_level": level });
        server.admin().put(&path, &change).expect(200);
        assert_eq!(anonymous(), everybody, "{level}");
        assert_eq!(granted(&server, &developer), member, "{level}");
        assert_eq!(access(&request(&deploy, PUSH)), machine, "{level}");
    }
}

#[test]
fn deploy_tokens_pull_and_push_in_their_projects_only() {
    let (server, _registry) = start();
    server.create_project("dev/other", "private", "dev");
    for (scopes, expected) in [
        (&["read_registry"][..], "acme/web-shop pull"),
        (&["write_registry"], "acme/web-shop push"),
        (
            &["read_registry", "write_registry"],
            "acme/web-shop pull,push",
        ),
        (&["read_repository"], ""),
    ] {
        let caller = deploy_token(&server, scopes);
        assert_eq!(access(&request(&caller, PUSH)), expected, "{scopes:?}");
        let other = request(&caller, "repository:dev/other:pull,push");
        assert_eq!(access(&other), "", "{scopes:?}");
    }
}

/// OAUTH-15. A token of an application is no credential of the registry, under any username, and its scopes are not those
/// of registries. It lists and deletes images through the API.
#[test]
fn an_oauth_token_works_in_the_api_and_not_at_the_token_service() {
    let (server, registry) = start();
    let pusher = server.token("dev", "read_registry,write_registry");
    assert_eq!(granted(&server, &pusher), "pull,push");
    let application = server.relying_party_with("CI", "api read_api");
    let tokens = application.tokens(&mut server.signed_in("admin"));
    for username in ["oauth2", "root", "gitlab-ci-token", ""] {
        let caller = basic(&server, username, &tokens.access);
        assert_eq!(request(&caller, PUSH).status, 401, "{username}");
    }
    let metadata =
        json!({ "name": "x", "redirect_uri": "https://a.example/", "scopes": "read_registry" });
    let refused = server.admin().post("/api/v4/applications", &metadata);
    assert_eq!(refused.status, 400, "{}", refused.text());

    let api = TestCaller::bearer(server.base_url(), &tokens.access);
    let path = server.below_project("/registry/repositories");
    let listed = api.get(&format!("{path}?tags=1&tags_count=1")).list();
    let id = listed[0]["id"].as_i64().unwrap();
    let tag = |name: &str| {
        let path = format!("{PROJECT}:{name}");
        json!({ "name": name, "location": format!("images.example.com/{path}"), "path": path })
    };
    let expected = json!({
        "id": id, "name": "", "path": PROJECT, "project_id": 1,
        "location": "images.example.com/acme/web-shop", "created_at": listed[0]["created_at"],
        "cleanup_policy_started_at": null, "status": null,
        "tags_count": 2, "tags": [tag("1.0"), tag("latest")],
    });
    assert_eq!(listed, [expected]);
    let one = api
        .get(&format!("/api/v4/registry/repositories/{id}"))
        .expect(200);
    assert_eq!((&one["path"], one.get("tags")), (&json!(PROJECT), None));
    let size = api.get(&format!("/api/v4/registry/repositories/{id}?size=true"));
    assert_eq!(size.status, 400);

    let tags = format!("{path}/{id}/tags");
    let page = api.get(&format!("{tags}?per_page=1&page=2"));
    assert_eq!(
        (page.list(), page.header("x-total")),
        (vec![tag("latest")], Some("2"))
    );
    let detail = api.get(&format!("{tags}/latest")).expect(200);
    assert_eq!(
        (&detail["total_size"], &detail["created_at"]),
        (&json!(12), &json!("2026-01-02T03:04:05.000Z"))
    );
    let text = |name: &str| detail[name].as_str().unwrap();
    assert!(
        text("digest").starts_with("sha256:") && text("revision").len() == 64,
        "{detail}"
    );
    assert_eq!(text("short_revision"), text("revision").get(..9).unwrap());
    assert_eq!(api.delete(&format!("{tags}/latest")).status, 204);
    for missing in ["latest", "none", "..", "a%2Fb"] {
        assert_eq!(
            api.get(&format!("{tags}/{missing}")).status,
            404,
            "{missing}"
        );
    }
    assert_eq!(api.get(&tags).list(), [tag("1.0")]);
    assert_eq!(api.delete(&format!("{path}/{id}")).status, 204);
    assert_eq!(api.get(&path).list(), Vec::<Value>::new());

    // The server authenticates to the registry with tokens of its own, for this repository.
    let sent = registry.tokens();
    let sent = claims(sent.last().unwrap().strip_prefix("Bearer ").unwrap());
    assert_eq!(
        sent["access"],
        json!([{ "type": "repository", "name": PROJECT, "actions": ["pull", "delete"] }])
    );
}

/// The registry does not rename images, so a repository stays that of its project.
#[test]
fn a_stored_repository_belongs_to_its_project_after_a_rename() {
    let (server, _registry) = start();
    let path = server.below_project("");
    let (private, public) = (
        json!({ "visibility": "private" }),
        json!({ "visibility": "public" }),
    );
    server.admin().put(&path, &private).expect(200);
    server
        .admin()
        .put("/api/v4/groups/acme", &public)
        .expect(200);
    let token = server.token("dev", "read_registry,write_registry");
    assert_eq!(granted(&server, &token), "pull,push");
    assert_eq!(granted(&server, &token), "pull,push", "stored once");
    server
        .admin()
        .put(&path, &json!({ "path": "shop" }))
        .expect(200);
    server.create_project(PROJECT, "public", "root");
    let stranger = server.stranger("sam");
    assert_eq!(stranger.get("/api/v4/user").status, 200);
    let other = server.token("sam", "read_registry");
    assert_eq!(
        granted(&server, &other),
        "",
        "the images are those of the private project"
    );
    assert_eq!(granted(&server, &token), "pull,push");
    let listed = list(&server);
    assert_eq!((listed.len(), &listed[0]["name"]), (1, &json!(PROJECT)));
}

/// AUTH-07. Wrong tokens count by address, as they do for Git.
#[test]
fn wrong_tokens_are_refused_and_limited_by_address() {
    let (server, _registry) = start();
    let token = server.token("dev", "read_registry");
    assert_eq!(granted(&server, &token), "pull");
    let revoked = server.token("dev", "read_registry");
    assert_eq!(granted(&server, &revoked), "pull");
    server.revoke_from_outside(&revoked);
    let status = |token: &str| request(&basic(&server, "dev", token), PUSH).status;
    eventually("the token is revoked", || {
        (status(&revoked) == 401).then_some(())
    });
    let challenge = request(&basic(&server, "", &token), PUSH);
    assert_eq!(challenge.status, 401);
    let header = challenge.header("www-authenticate").unwrap();
    assert!(header.starts_with("Basic realm="), "{header}");
    let bearer = TestCaller::bearer(server.base_url(), &token);
    assert_eq!(request(&bearer, PUSH).status, 401);
    let limited = (0..110).any(|number| status(&format!("ghat_wrong{number}")) == 403);
    assert!(limited, "hundred wrong tokens are too many");
    assert_eq!(status(&token), 403);
    let answer = request(&basic(&server, "dev", &token), PUSH);
    assert!(answer.header("retry-after").is_some());
}

#[test]
fn a_server_without_a_registry_issues_no_tokens_and_lists_no_images() {
    let server = TestServer::start();
    let token = server.token("dev", "read_registry");
    assert_eq!(request(&basic(&server, "dev", &token), PUSH).status, 404);
    assert_eq!(list(&server), Vec::<Value>::new());
    let (server, _registry) = start();
    for (query, status) in [
        ("", 400),
        ("service=other", 404),
        ("service=container_registry", 200),
    ] {
        let answer = server.anonymous().get(&format!("/jwt/auth?{query}"));
        assert_eq!(answer.status, status, "{query}");
    }
}
