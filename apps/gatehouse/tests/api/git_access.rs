//! `/-/git/access`: the check of a Git client's credentials (`AUTH-07`, `AUTH-08`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{TestCaller, TestResponse, TestServer, rows};

const PROJECT: &str = "acme/web-shop";
const FETCH: &str = "git-upload-pack";
const PUSH: &str = "git-receive-pack";

fn basic(server: &TestServer, username: &str, password: &str) -> TestCaller {
    let credentials = STANDARD.encode(format!("{username}:{password}"));
    server
        .anonymous()
        .with("Authorization", &format!("Basic {credentials}"))
}

fn check(caller: &TestCaller, project: &str, service: &str) -> TestResponse {
    let project = project.replace('/', "%2F");
    caller.get(&format!("/-/git/access?path={project}&service={service}"))
}

/// The statuses of fetching and pushing with a token.
fn rights(server: &TestServer, token: &str) -> [u16; 2] {
    let caller = basic(server, "oauth2", token);
    [FETCH, PUSH].map(|service| check(&caller, PROJECT, service).status)
}

/// AUTH-07. The response says who it is, for which project and with which right.
#[test]
fn an_access_token_fetches_and_pushes_as_its_user() {
    let server = TestServer::start();
    let developer = server.developer().get("/api/v4/user").expect(200);
    let token = server.token("dev", "write_repository");
    let answer = check(&basic(&server, "oauth2", &token), PROJECT, PUSH);
    let expected = json!({
        "user": {
            "id": developer["id"], "username": developer["username"], "name": developer["name"],
        },
        "deploy_token": null,
        "project": { "id": 1, "path_with_namespace": PROJECT },
        "access": "write",
    });
    answer.assert_is(200, &expected);
    let header = |name: &str| answer.header(name).unwrap().to_owned();
    assert_eq!(
        header("x-gatehouse-user"),
        developer["username"].as_str().unwrap()
    );
    assert_eq!(header("x-gatehouse-user-id"), developer["id"].to_string());
    assert_eq!(header("x-gatehouse-project"), PROJECT);
    assert_eq!(header("x-gatehouse-project-id"), "1");
    assert_eq!(header("x-gatehouse-access"), "write");
    assert_eq!(header("cache-control"), "no-store");
}

/// AUTH-08.
#[test]
fn the_scopes_of_a_token_limit_it() {
    let server = TestServer::start();
    for (scopes, expected) in [
        ("read_repository", [200, 403]),
        ("write_repository", [200, 200]),
        ("read_repository,write_repository", [200, 200]),
        ("api", [403, 403]),
        ("read_api,read_user", [403, 403]),
    ] {
        let token = server.token("dev", scopes);
        assert_eq!(rights(&server, &token), expected, "{scopes}");
    }
    let token = server.token("dev", "read_repository");
    let caller = TestCaller::new(server.base_url(), Some(&token));
    assert_eq!(caller.get("/api/v4/user").status, 403, "Git is not the API");
}

/// AUTH-11. Reporters fetch from a private project, and Developers push.
#[test]
fn roles_decide_who_fetches_and_who_pushes() {
    let server = TestServer::start();
    let path = server.below_project("");
    let private = json!({ "visibility": "private" });
    server.admin().put(&path, &private).expect(200);
    let member = server.stranger("mona");
    let id = member.get("/api/v4/user").expect(200)["id"].clone();
    let token = server.token("mona", "write_repository");
    assert_eq!(rights(&server, &token), [403, 403]);
    let members = format!("{path}/members");
    for (level, expected) in [
        (10, [403, 403]),
        (20, [200, 403]),
        (30, [200, 200]),
        (50, [200, 200]),
    ] {
        let role = json!({ "user_id": id, "access_level": level });
        server.admin().post(&members, &role).expect(201);
        assert_eq!(rights(&server, &token), expected, "{level}");
        assert_eq!(
            server.admin().delete(&format!("{members}/{id}")).status,
            204
        );
    }
}

#[test]
fn settings_and_archiving_limit_the_repository() {
    let server = TestServer::start();
    let path = server.below_project("");
    let public = json!({ "visibility": "public" });
    server
        .admin()
        .put("/api/v4/groups/acme", &public)
        .expect(200);
    server.admin().put(&path, &public).expect(200);
    server.stranger("sam");
    let token = server.token("sam", "write_repository");
    let developer = server.token("dev", "write_repository");
    let anonymous = || check(&server.anonymous(), PROJECT, FETCH).status;
    for (level, stranger, nobody, member) in [
        ("enabled", [200, 403], 200, [200, 200]),
        ("private", [403, 403], 401, [200, 200]),
        ("disabled", [403, 403], 401, [403, 403]),
        ("enabled", [200, 403], 200, [200, 200]),
    ] {
        let change = json!({ "repository_access_level": level });
        server.admin().put(&path, &change).expect(200);
        assert_eq!(rights(&server, &token), stranger, "{level}");
        assert_eq!(anonymous(), nobody, "{level}");
        assert_eq!(rights(&server, &developer), member, "{level}");
    }
    server
        .admin()
        .post(&format!("{path}/archive"), &json!({}))
        .expect(201);
    assert_eq!(rights(&server, &developer), [200, 403]);
}

/// Git sends credentials only after a challenge. Nobody learns without credentials which projects exist.
#[test]
fn without_credentials_there_is_a_challenge_unless_the_project_is_public() {
    let server = TestServer::start();
    for (project, service) in [(PROJECT, FETCH), (PROJECT, PUSH), ("acme/none", FETCH)] {
        let answer = check(&server.anonymous(), project, service);
        assert_eq!(answer.status, 401, "{project} {service}");
        let challenge = answer.header("www-authenticate");
        assert_eq!(
            challenge,
            Some("Basic realm=\"Gatehouse\", charset=\"UTF-8\"")
        );
    }
    let token = server.token("dev", "read_repository");
    let unknown = check(&basic(&server, "oauth2", &token), "acme/none", FETCH);
    assert_eq!(unknown.status, 403);
}

/// AUTH-07.
#[test]
fn the_username_of_an_access_token_is_oauth2() {
    let server = TestServer::start();
    let token = server.token("dev", "read_repository");
    for username in ["", "dev", "OAuth2", "oauth2 ", "private-token"] {
        let answer = check(&basic(&server, username, &token), PROJECT, FETCH);
        assert_eq!(answer.status, 401, "{username:?}");
        assert!(answer.text().contains("oauth2"), "{}", answer.text());
    }
    let bearer = TestCaller::bearer(server.base_url(), &token);
    assert_eq!(check(&bearer, PROJECT, FETCH).status, 401);
    server.revoke_from_outside(&token);
    let revoked = || rights(&server, &token) == [401, 401];
    crate::support::polling::eventually("the token is revoked", || revoked().then_some(()));
}

#[test]
fn a_bot_pushes_with_the_token_of_its_project() {
    let server = TestServer::start();
    let fields = json!({ "name": "ci", "scopes": ["write_repository"], "access_level": 30 });
    let path = server.below_project("/access_tokens");
    let token = server.admin().post(&path, &fields).expect(201);
    let secret = token["token"].as_str().unwrap();
    assert_eq!(rights(&server, secret), [200, 200]);
}

/// AUTH-06.
#[test]
fn a_deploy_token_fetches_from_its_projects_and_never_pushes() {
    let server = TestServer::start();
    server.create_project("dev/other", "private", "dev");
    let create = |place: &str, scope: &str| {
        let fields = json!({ "name": "x", "scopes": [scope] });
        let path = format!("/api/v4/{place}/deploy_tokens");
        server.admin().post(&path, &fields).expect(201)
    };
    let caller = |token: &Value| {
        let text = |name: &str| token[name].as_str().unwrap().to_owned();
        basic(&server, &text("username"), &text("token"))
    };
    for place in ["projects/acme%2Fweb-shop", "groups/acme"] {
        let token = create(place, "read_repository");
        let caller = caller(&token);
        let answer = check(&caller, PROJECT, FETCH);
        let expected = json!({
            "user": null,
            "deploy_token": { "id": token["id"], "username": token["username"] },
            "project": { "id": 1, "path_with_namespace": PROJECT },
            "access": "read",
        });
        answer.assert_is(200, &expected);
        assert_eq!(
            answer.header("x-gatehouse-user"),
            token["username"].as_str()
        );
        assert_eq!(answer.header("x-gatehouse-user-id"), None);
        assert_eq!(check(&caller, PROJECT, PUSH).status, 403);
        assert_eq!(check(&caller, "dev/other", FETCH).status, 403);
        let wrong = basic(&server, "oauth2", token["token"].as_str().unwrap());
        assert_eq!(check(&wrong, PROJECT, FETCH).status, 401);
        let one = format!("/api/v4/{place}/deploy_tokens/{}", token["id"]);
        assert_eq!(server.admin().delete(&one).status, 204);
        assert_eq!(check(&caller, PROJECT, FETCH).status, 401);
    }
    let other = create("projects/acme%2Fweb-shop", "read_repository");
    // A token of a later release, with a scope that this one does not know.
    rows::change(
        &server,
        "UPDATE deploy_tokens SET scopes = 'read_everything'",
    );
    assert_eq!(check(&caller(&other), PROJECT, FETCH).status, 403);
}

/// A proxy sends the address that it received, and passes on only 401 and 403.
#[test]
fn a_proxy_names_the_project_by_the_address_of_its_request() {
    let server = TestServer::start();
    let token = server.token("dev", "read_repository");
    let status = |headers: &[(&str, &str)]| {
        let mut caller = basic(&server, "oauth2", &token);
        for (name, value) in headers {
            caller = caller.with(name, value);
        }
        caller.get("/-/git/access").status
    };
    let fetch = "/acme/web-shop.git/info/refs?service=git-upload-pack";
    let push = "/acme/web-shop.git/info/refs?service=git-receive-pack";
    let (original, forwarded) = ("X-Original-URI", "X-Forwarded-Uri");
    assert_eq!(status(&[(original, fetch)]), 200);
    assert_eq!(status(&[(forwarded, fetch)]), 200);
    assert_eq!(status(&[(original, fetch), (forwarded, fetch)]), 200);
    assert_eq!(status(&[(original, push)]), 403);
    // The client may add the header that its proxy does not set.
    assert_eq!(status(&[(original, push), (forwarded, fetch)]), 403);
    assert_eq!(status(&[(original, fetch), (forwarded, push)]), 403);
    for address in ["/acme/web-shop", "/", "/acme/web-shop.git/../x.git/HEAD"] {
        assert_eq!(status(&[(original, address)]), 403, "{address}");
    }
    assert_eq!(status(&[]), 400);
}

/// AUTH-08. Programs that sign users in for Git request these scopes, which they do not let users choose.
#[test]
fn applications_with_the_scopes_of_git_programs_sign_in_and_push() {
    let server = TestServer::start();
    for (name, scopes) in [
        ("glab", "openid profile read_user write_repository api"),
        ("git-credential-oauth", "read_repository write_repository"),
    ] {
        let application = server.relying_party_with(name, scopes);
        let tokens = application.tokens(&mut server.signed_in("developer"));
        assert_eq!(rights(&server, &tokens.access), [200, 200], "{name}");
        application.revoke(&tokens.refresh).assert_ok();
        assert_eq!(rights(&server, &tokens.access), [401, 401], "{name}");
    }
}

/// A former path leads to the project, whose current path the response names.
#[test]
fn a_former_path_leads_to_the_project() {
    let server = TestServer::start();
    let token = server.token("dev", "read_repository");
    let rename = json!({ "path": "shop" });
    server
        .admin()
        .put(&server.below_project(""), &rename)
        .expect(200);
    let answer = check(&basic(&server, "oauth2", &token), PROJECT, FETCH);
    assert_eq!(
        answer.expect(200)["project"]["path_with_namespace"],
        json!("acme/shop")
    );
}

/// AUTH-07. After many wrong tokens an address is refused, even with a valid one.
#[test]
fn an_address_with_many_wrong_tokens_is_refused_for_some_time() {
    let server = TestServer::start_configured(
        "[sign_in]\nmax_failures_per_address = 5\nfailure_window_minutes = 10\n",
    );
    let token = server.token("dev", "read_repository");
    assert_eq!(rights(&server, &token)[0], 200);
    for number in 0..4 {
        let wrong = format!("ghat_wrong{number}");
        assert_eq!(
            check(&basic(&server, "oauth2", &wrong), PROJECT, FETCH).status,
            401
        );
    }
    assert_eq!(rights(&server, &token)[0], 200, "four may be wrong");
    let deploy = basic(&server, "deploy-token-1", "ghdt_wrong");
    let last = check(&deploy, PROJECT, FETCH);
    assert_eq!(last.status, 403);
    for caller in [basic(&server, "oauth2", &token), deploy] {
        let answer = check(&caller, PROJECT, FETCH);
        assert_eq!(answer.status, 403);
        assert!(
            answer.text().contains("too many wrong tokens"),
            "{}",
            answer.text()
        );
        let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=600).contains(&seconds), "{seconds}");
    }
    // The API has limits of its own.
    server.developer().get("/api/v4/user").assert_ok();
}
