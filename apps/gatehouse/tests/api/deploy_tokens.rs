//! `/api/v4/projects/:id/deploy_tokens` and `/api/v4/groups/:id/deploy_tokens` (`AUTH-06`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer, rows};

const PLACES: [&str; 2] = ["/api/v4/projects/acme%2Fweb-shop", "/api/v4/groups/acme"];

fn create(server: &TestServer, place: &str, fields: &Value) -> Value {
    let path = format!("{place}/deploy_tokens");
    server.admin().post(&path, fields).expect(201)
}

fn fields() -> Value {
    json!({ "name": "deploy", "scopes": ["read_repository"] })
}

#[test]
fn a_token_is_created_listed_and_deleted() {
    let server = TestServer::start();
    let admin = server.admin();
    for place in PLACES {
        let path = format!("{place}/deploy_tokens");
        let created = create(&server, place, &fields());
        let secret = created["token"].as_str().unwrap();
        assert!(secret.starts_with("ghdt_"), "{secret}");
        let id = created["id"].clone();
        let mut shown = json!({
            "id": id, "name": "deploy", "username": format!("deploy-token-{id}"), "expires_at": null,
            "scopes": ["read_repository"], "revoked": false, "expired": false,
        });
        let one = format!("{path}/{id}");
        assert_eq!(admin.get(&one).expect(200), shown);
        assert_eq!(admin.get(&path).expect(200), json!([shown]));
        shown["token"] = created["token"].clone();
        assert_eq!(created, shown);
        assert_eq!(admin.delete(&one).status, 204);
        assert_eq!(admin.get(&one).status, 404);
        assert_eq!(admin.delete(&one).status, 404);
        assert_eq!(admin.get(&path).expect(200), json!([]));
    }
}

#[test]
fn a_token_has_the_chosen_username_scopes_and_expiry() {
    let server = TestServer::start();
    let chosen = json!({
        "name": "x", "username": "robot+1.a_b-c", "scopes": "read_repository,read_repository",
        "expires_at": "2031-02-03",
    });
    let token = create(&server, PLACES[0], &chosen);
    assert_eq!(token["username"], json!("robot+1.a_b-c"));
    assert_eq!(token["scopes"], json!(["read_repository"]));
    assert_eq!(token["expires_at"], json!("2031-02-03T00:00:00.000Z"));
    // Clients send empty texts for fields without a value.
    let empty =
        json!({ "name": "y", "scopes": ["read_repository"], "username": "", "expires_at": "" });
    let token = create(&server, PLACES[0], &empty);
    assert_eq!(
        token["username"],
        json!(format!("deploy-token-{}", token["id"]))
    );
    assert_eq!(token["expires_at"], json!(null));
}

#[test]
fn invalid_fields_are_refused_with_the_reason() {
    let server = TestServer::start();
    let path = format!("{}/deploy_tokens", PLACES[0]);
    let long = "x".repeat(256);
    for (change, reason) in [
        (json!({ "name": " " }), "name"),
        (
            json!({ "name": long }),
            "name must have 1 to 255 characters",
        ),
        (json!({ "name": null }), "name"),
        (json!({ "scopes": [] }), "scopes"),
        (json!({ "scopes": ["api"] }), "does not have a valid value"),
        (
            json!({ "scopes": ["write_repository"] }),
            "does not have a valid value",
        ),
        (
            json!({ "username": "a b" }),
            "username can have only letters",
        ),
        (
            json!({ "username": long }),
            "username can have only letters",
        ),
        (
            json!({ "expires_at": "2001-01-01" }),
            "expires_at must be in the future",
        ),
        (json!({ "expires_at": "soon" }), "expires_at is invalid"),
    ] {
        let mut fields = fields();
        let sent = change.as_object().unwrap();
        fields.as_object_mut().unwrap().extend(sent.clone());
        let answer = server.admin().post(&path, &fields);
        assert_eq!(answer.status, 400, "{fields}");
        assert!(answer.text().contains(reason), "{fields} {}", answer.text());
    }
    assert_eq!(server.admin().get(&path).expect(200), json!([]));
}

/// AUTH-11. Maintainers create the tokens of a project and Owners those of a group, whose Maintainers see them.
#[test]
fn roles_decide_who_sees_and_creates_tokens() {
    let server = TestServer::start();
    let member = server.stranger("mona");
    let id = member.get("/api/v4/user").expect(200)["id"].clone();
    for (place, rights) in [
        (PLACES[0], [(30, 403, 403), (40, 200, 201), (50, 200, 201)]),
        (PLACES[1], [(30, 403, 403), (40, 200, 403), (50, 200, 201)]),
    ] {
        let path = format!("{place}/deploy_tokens");
        let token = create(&server, place, &fields());
        let one = format!("{path}/{}", token["id"]);
        for (level, sees, creates) in rights {
            let role = json!({ "user_id": id, "access_level": level });
            server
                .admin()
                .post(&format!("{place}/members"), &role)
                .expect(201);
            assert_eq!(member.get(&path).status, sees, "{path} {level}");
            assert_eq!(member.get(&one).status, sees, "{one} {level}");
            assert_eq!(
                member.post(&path, &fields()).status,
                creates,
                "{path} {level}"
            );
            let membership = format!("{place}/members/{id}");
            assert_eq!(server.admin().delete(&membership).status, 204);
        }
    }
}

#[test]
fn a_token_of_another_place_is_not_found() {
    let server = TestServer::start();
    let token = create(&server, PLACES[0], &fields());
    let other = format!("{}/deploy_tokens/{}", PLACES[1], token["id"]);
    assert_eq!(server.admin().get(&other).status, 404);
    assert_eq!(server.admin().delete(&other).status, 404);
    let own = format!("{}/deploy_tokens/{}", PLACES[0], token["id"]);
    server.admin().get(&own).assert_ok();
}

/// A leaked token of a project would otherwise create one that never expires.
#[test]
fn bots_create_no_deploy_tokens() {
    let server = TestServer::start();
    for place in PLACES {
        let owner = json!({ "name": "x", "scopes": ["api"], "access_level": 50 });
        let bot = server
            .admin()
            .post(&format!("{place}/access_tokens"), &owner)
            .expect(201);
        let bot = TestCaller::new(server.base_url(), bot["token"].as_str());
        let refused = bot.post(&format!("{place}/deploy_tokens"), &fields());
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("only people"), "{}", refused.text());
    }
}

#[test]
fn administrators_list_the_tokens_of_all_places() {
    let server = TestServer::start();
    let endless = create(&server, PLACES[0], &fields());
    let mut short = fields();
    short["expires_at"] = json!("2031-01-01");
    let short = create(&server, PLACES[1], &short);
    let ids = |path: &str| {
        let listed = server.admin().get(path).expect(200);
        let ids = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|token| token["id"].clone());
        ids.collect::<Vec<Value>>()
    };
    let all = "/api/v4/deploy_tokens";
    assert_eq!(ids(all), [endless["id"].clone(), short["id"].clone()]);
    let all_active = format!("{all}?active=true");
    assert_eq!(
        ids(&all_active),
        [endless["id"].clone(), short["id"].clone()]
    );
    let expiry = "UPDATE deploy_tokens SET expires_at = 1 WHERE expires_at IS NOT NULL";
    rows::change(&server, expiry);
    assert_eq!(ids(&all_active), [endless["id"].clone()]);
    let of_group = format!("{}/deploy_tokens", PLACES[1]);
    assert_eq!(ids(&of_group), [short["id"].clone()]);
    assert_eq!(ids(&format!("{of_group}?active=true")), Vec::<Value>::new());
    assert_eq!(server.developer().get(all).status, 403);
}

/// AUTH-06.
#[test]
fn a_deploy_token_never_opens_the_api() {
    let server = TestServer::start();
    let token = create(&server, PLACES[0], &fields());
    let secret = token["token"].as_str().unwrap();
    let unauthorized = json!({ "message": "401 Unauthorized" });
    let public = "/api/v4/projects";
    for name in ["PRIVATE-TOKEN", "DEPLOY-TOKEN", "JOB-TOKEN"] {
        let caller = server.anonymous().with(name, secret);
        caller.get(public).assert_is(401, &unauthorized);
    }
    let caller = TestCaller::bearer(server.base_url(), secret);
    assert_eq!(caller.get(public).status, 401);
    for name in ["private_token", "access_token", "job_token"] {
        let path = format!("{public}?{name}={secret}");
        assert_eq!(server.anonymous().get(&path).status, 401, "{name}");
    }
}

#[test]
fn the_audit_log_names_creation_and_deletion() {
    let server = TestServer::start();
    let token = create(&server, PLACES[0], &fields());
    let one = format!("{}/deploy_tokens/{}", PLACES[0], token["id"]);
    assert_eq!(server.admin().delete(&one).status, 204);
    let count = |event: u8| {
        let sql = format!("SELECT count(*) FROM audit_entries WHERE event_name = {event}");
        rows::number(&server, &sql)
    };
    assert_eq!((count(30), count(31)), (1, 1));
}
