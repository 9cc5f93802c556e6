//! `/api/v4/projects/:id/access_tokens` and `/api/v4/groups/:id/access_tokens` (`AUTH-02`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer, eventually, rows};

const USER: &str = "/api/v4/user";

/// The paths of a project and of its group, with the words in usernames of their bots.
const PLACES: [(&str, &str); 2] = [
    ("/api/v4/projects/acme%2Fweb-shop", "project"),
    ("/api/v4/groups/acme", "group"),
];

fn create(server: &TestServer, place: &str, level: u8) -> Value {
    let fields = json!({ "name": "deploy", "scopes": ["api"], "access_level": level });
    let path = format!("{place}/access_tokens");
    server.admin().post(&path, &fields).expect(201)
}

fn caller(server: &TestServer, token: &Value) -> TestCaller {
    TestCaller::new(server.base_url(), token["token"].as_str())
}

/// The direct member of a place with this id.
fn member(server: &TestServer, place: &str, id: &Value) -> Option<Value> {
    let found = server.admin().get(&format!("{place}/members/{id}"));
    (found.status == 200).then(|| found.json())
}

/// AUTH-02.
#[test]
fn a_token_acts_as_a_bot_with_a_role_in_its_place() {
    let server = TestServer::start();
    for (place, word) in PLACES {
        let id = server.admin().get(place).expect(200)["id"].clone();
        let token = create(&server, place, 20);
        assert_eq!(token["access_level"], json!(20));
        let bot = caller(&server, &token);
        let user = bot.get(USER).expect(200);
        assert_eq!(user["id"], token["user_id"]);
        assert_eq!(user["bot"], json!(true));
        assert_eq!(user["name"], json!("deploy"));
        let username = user["username"].as_str().unwrap();
        assert!(
            username.starts_with(&format!("{word}_{id}_bot_")),
            "{username}"
        );
        let member = member(&server, place, &token["user_id"]).unwrap();
        assert_eq!(member["access_level"], json!(20));
        assert_eq!(member["expires_at"], token["expires_at"]);
        // A Reporter reads, and does not change labels of the project's settings.
        let project = server.below_project("");
        bot.get(&project).assert_ok();
        assert_eq!(bot.put(&project, &json!({ "name": "x" })).status, 403);
        // It is no administrator, and knows no other private places.
        assert_eq!(
            bot.get("/api/v4/personal_access_tokens").expect(200),
            json!([])
        );
        let own = bot.get("/api/v4/personal_access_tokens/self").expect(200);
        assert_eq!(own["id"], token["id"]);
    }
}

/// AUTH-09.
#[test]
fn a_token_of_a_place_expires_in_a_year_like_that_of_a_user() {
    let server = TestServer::start();
    let user = server.admin().get(USER).expect(200)["id"].clone();
    let path = format!("/api/v4/users/{user}/personal_access_tokens");
    for (place, _) in PLACES {
        let token = create(&server, place, 20);
        let fields = json!({ "name": "own", "scopes": ["api"] });
        let own = server.admin().post(&path, &fields).expect(201);
        assert_eq!(token["expires_at"], own["expires_at"]);
        let bot = caller(&server, &token);
        bot.get(USER).assert_ok();
        let expiry = format!(
            "UPDATE access_tokens SET expires_on = 1 WHERE id = {}",
            token["id"]
        );
        rows::change_and_revoke(&server, &expiry);
        eventually("the token has expired", || {
            (bot.get(USER).status == 401).then_some(())
        });
    }
}

/// AUTH-02.
#[test]
fn bots_and_low_roles_do_not_create_tokens() {
    let server = TestServer::start();
    let fields = json!({ "name": "x", "scopes": ["api"], "access_level": 10 });
    for (place, word) in PLACES {
        let path = format!("{place}/access_tokens");
        let owner = caller(&server, &create(&server, place, 50));
        let text = format!(
            "400 Bad request - User does not have permission to create {word} access token"
        );
        let refused = json!({ "message": text });
        owner.post(&path, &fields).assert_is(400, &refused);
        // The developer is a member with the role Developer.
        let developer = server.developer();
        developer.post(&path, &fields).assert_is(400, &refused);
        assert_eq!(developer.get(&path).status, 401);
        let id = &owner.get("/api/v4/personal_access_tokens/self").expect(200)["id"];
        let one = format!("{path}/{id}");
        assert_eq!(developer.get(&one).status, 401);
        assert_eq!(developer.delete(&one).status, 401);
        assert_eq!(
            developer.post(&format!("{one}/rotate"), &json!({})).status,
            401
        );
        assert_eq!(server.anonymous().get(&path).status, 401);
    }
}

/// AUTH-02. A secret that leaks opens nothing outside the place of the token.
#[test]
fn bots_create_nothing_outside_their_place() {
    let server = TestServer::start();
    let token = create(&server, PLACES[1].0, 50);
    let (bot, group) = (
        caller(&server, &token),
        server.admin().get(PLACES[1].0).expect(200),
    );
    let project = json!({ "name": "own" });
    assert_eq!(bot.post("/api/v4/projects", &project).status, 400);
    let created = json!({ "name": "own", "path": "own" });
    assert_eq!(bot.post("/api/v4/groups", &created).status, 403);
    let within = json!({ "name": "own", "namespace_id": group["id"] });
    bot.post("/api/v4/projects", &within).expect(201);
    let below = json!({ "name": "sub", "path": "sub", "parent_id": group["id"] });
    let below = bot.post("/api/v4/groups", &below).expect(201);
    let transfer = format!("/api/v4/groups/{}/transfer", below["id"]);
    assert_eq!(bot.post(&transfer, &json!({})).status, 403);
    let user = bot.get(USER).expect(200);
    assert_eq!(user["can_create_group"], json!(false));
    assert_eq!(user["can_create_project"], json!(false));
}

/// AUTH-02.
#[test]
fn the_role_of_a_bot_is_at_most_that_of_the_creator() {
    let server = TestServer::start();
    let (place, _) = PLACES[0];
    let developer = server.developer().get(USER).expect(200)["id"].clone();
    let member = json!({ "user_id": developer, "access_level": 40 });
    let members = format!("{place}/members");
    server.admin().post(&members, &member).expect(201);
    let path = format!("{place}/access_tokens");
    let new = |level: u8| json!({ "name": "x", "scopes": ["api"], "access_level": level });
    assert_eq!(server.developer().post(&path, &new(50)).status, 400);
    let listed = server.admin().get(&path).expect(200);
    assert_eq!(listed, json!([]), "nothing is left of the refused token");
    let created = server.developer().post(&path, &new(40)).expect(201);
    assert_eq!(created["access_level"], json!(40));
    let default = json!({ "name": "x", "scopes": ["api"] });
    let created = server.developer().post(&path, &default).expect(201);
    assert_eq!(created["access_level"], json!(40));
    for wrong in [
        json!({ "scopes": ["api"] }),
        json!({ "name": "x" }),
        json!({ "name": " ", "scopes": ["api"] }),
        json!({ "name": "x", "scopes": ["sudo"] }),
        json!({ "name": "x", "scopes": ["api"], "access_level": 15 }),
        json!({ "name": "x", "scopes": ["api"], "expires_at": "2001-01-01" }),
    ] {
        assert_eq!(
            server.developer().post(&path, &wrong).status,
            400,
            "{wrong}"
        );
    }
}

/// AUTH-02. A Maintainer does not get the secret of an Owner's token by rotating it, and can end it.
#[test]
fn a_maintainer_revokes_and_does_not_rotate_the_token_of_an_owner() {
    let server = TestServer::start();
    let (place, _) = PLACES[0];
    let developer = server.developer().get(USER).expect(200)["id"].clone();
    let member = json!({ "user_id": developer, "access_level": 40 });
    server
        .admin()
        .post(&format!("{place}/members"), &member)
        .expect(201);
    let (owner, equal) = (create(&server, place, 50), create(&server, place, 40));
    let path = |token: &Value| format!("{place}/access_tokens/{}", token["id"]);
    let rotate = |token: &Value| {
        let path = format!("{}/rotate", path(token));
        server.developer().post(&path, &json!({})).status
    };
    assert_eq!((rotate(&owner), rotate(&equal)), (401, 200));
    caller(&server, &owner).get(USER).assert_ok();
    assert_eq!(server.developer().delete(&path(&owner)).status, 204);
    assert_eq!(caller(&server, &owner).get(USER).status, 401);
}

/// AUTH-02.
#[test]
fn tokens_of_a_place_are_listed_rotated_and_revoked() {
    let server = TestServer::start();
    let admin = server.admin();
    for (place, _) in PLACES {
        let path = format!("{place}/access_tokens");
        let (first, second) = (create(&server, place, 30), create(&server, place, 30));
        let ids = |query: &str| {
            let listed = admin.get(&format!("{path}{query}")).expect(200);
            let tokens = listed.as_array().unwrap().iter();
            tokens.map(|token| token["id"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(""), [first["id"].clone(), second["id"].clone()]);
        let one = format!("{path}/{}", first["id"]);
        let mut expected = first.clone();
        expected.as_object_mut().unwrap().remove("token");
        assert_eq!(admin.get(&one).expect(200), expected);
        let rotated = admin.post(&format!("{one}/rotate"), &json!({})).expect(200);
        assert_eq!(rotated["user_id"], first["user_id"]);
        assert_eq!(rotated["access_level"], json!(30));
        assert_eq!(caller(&server, &first).get(USER).status, 401);
        caller(&server, &rotated).get(USER).assert_ok();
        let bot = member(&server, place, &first["user_id"]).unwrap();
        assert_eq!(bot["expires_at"], rotated["expires_at"]);
        // A bot rotates its own token.
        let own = "/api/v4/personal_access_tokens/self/rotate";
        let own =
            caller(&server, &rotated).post(own, &json!({ "expires_at": second["expires_at"] }));
        let own = own.expect(200);
        let bot = member(&server, place, &first["user_id"]).unwrap();
        assert_eq!(bot["expires_at"], second["expires_at"]);
        assert_eq!(
            ids("?state=active"),
            [second["id"].clone(), own["id"].clone()]
        );
        assert_eq!(
            ids("?state=inactive"),
            [first["id"].clone(), rotated["id"].clone()]
        );
        let last = format!("{path}/{}", own["id"]);
        assert_eq!(admin.delete(&last).status, 204);
        assert_eq!(caller(&server, &own).get(USER).status, 401);
        assert_eq!(member(&server, place, &first["user_id"]), None);
        let ended = admin.get(&last).expect(200);
        assert_eq!(
            (&ended["revoked"], &ended["access_level"]),
            (&json!(true), &Value::Null)
        );
        assert_eq!(
            admin.post(&format!("{last}/rotate"), &json!({})).status,
            400
        );
        // Tokens of other places and of users are not found here.
        for wrong in ["999999", "1"] {
            assert_eq!(admin.get(&format!("{path}/{wrong}")).status, 404);
            assert_eq!(admin.delete(&format!("{path}/{wrong}")).status, 404);
        }
    }
}

/// AUTH-02.
#[test]
fn tokens_go_with_their_place() {
    let server = TestServer::start();
    for (place, _) in PLACES {
        let token = create(&server, place, 50);
        let bot = caller(&server, &token);
        bot.get(USER).assert_ok();
        assert_eq!(server.admin().delete(place).status, 202, "{place}");
        assert_eq!(bot.get(USER).status, 401, "{place}");
    }
}
