//! `PUT /api/v4/users/:id`, and what a private profile hides.

use serde_json::{Value, json};

use crate::support::pages::column;
use crate::support::script::play;
use crate::support::{TestCaller, TestServer, rows};

const DEV: &str = "/api/v4/users/2";
const FEED: &str = "/api/v4/users/dev/events";

/// DEPR-06, API-18. Both words of a boolean are accepted, and nothing else.
#[test]
fn private_profile_is_true_or_false() {
    let server = TestServer::start();
    let developer = server.developer();
    let script = r#"
        PUT /2 {"private_profile": null}
        400 {"error": "private_profile is empty"}
        PUT /2 {"private_profile": ""}
        400 {"error": "private_profile is empty"}
        PUT /2?private_profile=
        400 {"error": "private_profile is empty"}
        PUT /2 {"private_profile": "perhaps"}
        400 {"error": "private_profile is invalid"}
        PUT /2 {"private_profile": [true]}
        400 {"error": "private_profile is invalid"}
        PUT /2 {"private_profile": 2}
        400 {"error": "private_profile is invalid"}
        PUT /2 {"name": "Another", "private_profile": null}
        400 {"error": "private_profile is empty"}
        GET /2
        200 {"...": 0, "name": "Dana Developer", "private_profile": false}
        PUT /2 {"private_profile": true}
        200 {"...": 0, "id": 2, "private_profile": true}
        PUT /2?private_profile=false
        200 {"...": 0, "id": 2, "private_profile": false}
        PUT /2 {"private_profile": "true"}
        200 {"...": 0, "id": 2, "private_profile": true}
        PUT /2 {}
        400 {"error": "*"}
        GET /2
        200 {"...": 0, "id": 2, "private_profile": true}
    "#;
    play(&developer, "/api/v4/users", script);
    let form = developer.with("Content-Type", "application/x-www-form-urlencoded");
    let refused = form.send("PUT", DEV, b"private_profile=").expect(400);
    assert_eq!(refused, json!({ "error": "private_profile is empty" }));
    let shown = form.send("PUT", DEV, b"private_profile=0").expect(200);
    assert_eq!(shown["private_profile"], false);
    assert_eq!(form.get("/api/v4/user").expect(200), shown);
}

/// AUTH-08. The module of Ansible for users sends the same body each time, with parameters that have no effect here.
#[test]
fn parameters_that_clients_repeat_have_no_effect() {
    let server = TestServer::start();
    let script = r#"
        GET /2
        200 {"...": 0, "name": "Dana Developer", "is_admin": false}
        PUT /2 {"name": "Dana Developer", "admin": false, "external": false, "skip_reconfirmation": true, "reset_password": false, "overwrite_identities": false}
        200 {"...": 0, "name": "Dana Developer", "is_admin": false}
        PUT /2 {"name": "Dana", "reset_password": "perhaps"}
        400 {"error": "reset_password is invalid"}
        GET /2
        200 {"...": 0, "name": "Dana Developer"}
    "#;
    play(&server.admin(), "/api/v4/users", script);
    assert_eq!(server.developer().get("/api/v4/user").status, 200);
}

/// AUTH-08. Users change their own name and privacy, and administrators every field of every user.
#[test]
fn users_can_update_themselves_and_administrators_any_user() {
    let server = TestServer::start();
    server.stranger("adam");
    let script = r#"
        PUT /1 {"name": "Another"}
        403 {"message": "403 Forbidden"}
        PUT /999999 {"name": "Another"}
        403 {"message": "403 Forbidden"}
        PUT /2 {"email": "dana@example.org"}
        403 {"message": "403 Forbidden"}
        PUT /2 {"admin": true}
        403 {"message": "403 Forbidden"}
        PUT /2 {"name": " "}
        400 {"message": {"name": ["can't be blank"]}}
        PUT /2 {"name": " Dana D ", "username": "Dev"}
        200 {"...": 0, "name": "Dana D", "username": "dev"}
        PUT /2 {"name": "Another", "username": "dana"}
        400 {"error": "username cannot be changed on this server: omit it"}
        PUT /2 {"name": "Another", "password": "another one"}
        403 {"message": "403 Forbidden"}
        PUT /dev {"name": "Another"}
        400 {"error": "id is invalid"}
        GET /2
        200 {"...": 0, "name": "Dana D", "email": "dev@example.com"}
    "#;
    play(&server.developer(), "/api/v4/users", script);
    let script = r#"
        PUT /999999 {"name": "Another"}
        404 {"message": "404 User Not Found"}
        PUT /2 {"email": "ADAM@example.com"}
        409 {"message": "Email has already been taken"}
        PUT /2 {"email": "dana"}
        400 {"message": {"email": ["is invalid"]}}
        PUT /2 {"email": "dana@example.org", "admin": "true", "name": "Dana"}
        200 {"...": 0, "email": "dana@example.org", "is_admin": true, "name": "Dana"}
        GET /2
        200 {"...": 0, "email": "dana@example.org", "is_admin": true, "name": "Dana"}
    "#;
    play(&server.admin(), "/api/v4/users", script);
    // The cached user is dropped at once.
    let developer = server.developer();
    assert_eq!(developer.get("/api/v4/user").expect(200)["is_admin"], true);
    let lowered = json!({ "admin": false });
    server.admin().put(DEV, &lowered).expect(200);
    developer.get("/api/v4/applications").expect(403);
    let anonymous = server.anonymous();
    let name = json!({ "name": "Another" });
    anonymous.put(DEV, &name).expect(401);
    let bot = rows::number(&server, "SELECT id FROM users WHERE kind = 1");
    let of_bot = format!("/api/v4/users/{bot}");
    server.admin().put(&of_bot, &name).expect(403);
}

/// The names of the fields of a user that a caller sees.
fn fields(caller: &TestCaller) -> Vec<String> {
    let shown = caller.get(DEV).expect(200);
    shown.as_object().unwrap().keys().cloned().collect()
}

/// DEPR-06.
#[test]
fn of_a_private_profile_others_see_neither_events_nor_the_whole() {
    let server = TestServer::start();
    let (developer, reporter, admin) = (server.developer(), server.reporter(), server.admin());
    let internal = json!({ "name": "Mine", "visibility": "internal" });
    developer.post("/api/v4/projects", &internal).expect(201);
    let events = |caller: &TestCaller| caller.get(FEED).expect(200).as_array().unwrap().len();
    let everybody = [&developer, &reporter, &admin];
    assert_eq!(everybody.map(events), [1, 1, 1]);
    let before = everybody.map(fields);
    let listed = |caller: &TestCaller| column(caller, "/api/v4/users", "username");
    let list = listed(&reporter);

    let hide = json!({ "private_profile": true });
    developer.put(DEV, &hide).expect(200);
    assert_eq!(everybody.map(events), [1, 0, 1]);
    let none = reporter.get(FEED);
    assert_eq!(none.header("x-total"), Some("0"));
    assert_eq!(server.anonymous().get(FEED).expect(200), json!([]));
    let [own, for_others, whole] = everybody.map(fields);
    assert_eq!((&own, &whole), (&before[0], &before[2]));
    let hidden = ["created_at", "followers", "following", "is_followed"];
    let is_shown = |name: &&String| !hidden.contains(&name.as_str());
    let expected: Vec<&String> = before[1].iter().filter(is_shown).collect();
    assert_eq!(for_others.iter().collect::<Vec<_>>(), expected);
    assert_eq!(before[1].len() - for_others.len(), hidden.len());
    // Lists, and the feeds of projects, are unchanged.
    assert_eq!(listed(&reporter), list);
    let feed = reporter.get("/api/v4/projects/2/events").expect(200);
    assert_eq!(feed[0]["author_username"], Value::from("dev"));

    let show = json!({ "private_profile": false });
    admin.put(DEV, &show).expect(200);
    assert_eq!(everybody.map(events), [1, 1, 1]);
    assert_eq!(everybody.map(fields), before);
}
