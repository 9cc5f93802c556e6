//! Creation of users, and changes of their state.

use serde_json::{Value, json};

use crate::support::pages::{column, plain, rows};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer, rows as stored};

const API: &str = "/api/v4/users";

/// The id of a user.
fn id(admin: &TestCaller, username: &str) -> Value {
    rows(admin, &format!("{API}?username={username}"))[0]["id"].clone()
}

/// The events of the audit log of a user, oldest first.
fn events(admin: &TestCaller, user: &Value) -> Vec<String> {
    let path = format!("/api/v4/audit_events?entity_type=User&entity_id={user}&per_page=100");
    let listed = rows(admin, &path);
    let names = listed.iter().rev();
    names
        .map(|event| plain(&event["details"]["event_name"]))
        .collect()
}

/// AUTH-08, API-18.
#[test]
fn administrators_create_users_who_sign_in_with_their_password() {
    let server = TestServer::start();
    let admin = server.admin();
    let script = r#"
        POST . {"email": "robin@example.com", "name": "Robin Moreno", "username": "robin", "password": "correct horse", "skip_confirmation": true, "external": false}
        201 {"...": 0, "username": "robin", "name": "Robin Moreno", "email": "robin@example.com", "state": "active", "is_admin": false, "private_profile": false}
        POST . {"email": "ROBIN@example.com", "name": "Other", "username": "other", "password": "correct horse"}
        409 {"message": "Email has already been taken"}
        POST . {"email": "other@example.com", "name": "Other", "username": "ROBIN", "password": "correct horse"}
        409 {"message": "Username has already been taken"}
        POST . {"email": "other@example.com", "name": "Other", "username": "acme", "password": "correct horse"}
        409 {"message": "Username has already been taken"}
        POST . {"email": "other@example.com", "name": "Other", "username": "other"}
        400 {"error": "password, reset_password, force_random_password are missing, at least one parameter must be provided"}
        POST . {"email": "other@example.com", "name": "Other", "username": "other", "force_random_password": false, "password": ""}
        400 {"error": "password, reset_password, force_random_password are missing, at least one parameter must be provided"}
        POST . {"email": "other@example.com", "name": "Other", "username": "other", "password": "short"}
        400 {"message": {"password": ["is too short (minimum is 8 characters)"]}}
        POST . {"email": "other", "name": "Other", "username": "other", "password": "correct horse"}
        400 {"message": {"email": ["is invalid"]}}
        POST . {"email": "other@example.com", "name": "Other", "username": "-x", "password": "correct horse"}
        400 {"message": {"username": ["*"]}}
        POST . {"email": "other@example.com", "username": "other", "password": "correct horse"}
        400 {"message": "400 (Bad request) \"name\" not given"}
        POST . {"email": "other@example.com", "name": "Other", "username": "other", "reset_password": true, "admin": true, "private_profile": true}
        201 {"...": 0, "username": "other", "is_admin": true, "private_profile": true}
    "#;
    play(&admin, API, script);
    assert_eq!(events(&admin, &id(&admin, "robin")), ["user_created"]);
    server.browser().sign_in("robin", "correct horse");
    let body = json!({ "email": "x@example.com", "name": "X", "username": "x", "password": "correct horse" });
    server.developer().post(API, &body).expect(403);
    server.anonymous().post(API, &body).expect(401);
    assert_eq!(
        stored::number(&server, "SELECT count(*) FROM users WHERE username = 'x'"),
        0
    );
}

/// AUTH-08. Tokens are refused at once, and work again with the next state.
#[test]
fn a_blocked_banned_or_deactivated_user_has_no_access() {
    let server = TestServer::start();
    let admin = server.admin();
    let robin = server.stranger("robin");
    let id = id(&admin, "robin");
    let state = |change: &str| admin.post(&format!("{API}/{id}/{change}"), &json!({}));
    let blocked = json!({ "message": "403 Forbidden - Your account has been blocked." });
    for (change, name, back) in [("block", "blocked", "unblock"), ("ban", "banned", "unban")] {
        robin.get("/api/v4/user").expect(200);
        assert_eq!(state(change).expect(201), true);
        robin.get("/api/v4/user").assert_is(403, &blocked);
        let shown = admin.get(&format!("{API}/{id}")).expect(200);
        assert_eq!(shown["state"], name);
        assert_eq!(
            state(change).expect(201),
            true,
            "a second time changes nothing"
        );
        assert_eq!(state(back).expect(201), true);
        robin.get("/api/v4/user").expect(200);
    }
    let events = events(&admin, &id);
    let expected = [
        "user_blocked",
        "user_unblocked",
        "user_banned",
        "user_unbanned",
    ];
    assert_eq!(events[events.len() - 4..], expected);
}

/// AUTH-08.
#[test]
fn states_that_do_not_allow_a_change_are_named() {
    let server = TestServer::start();
    let admin = server.admin();
    let body = json!({ "email": "zoe@example.com", "name": "Zoe", "username": "zoe", "password": "correct horse" });
    let id = admin.post(API, &body).expect(201)["id"].clone();
    let bot = stored::number(&server, "SELECT id FROM users WHERE kind = 1");
    let own = admin.get("/api/v4/user").expect(200)["id"].clone();
    let script = format!(
        r#"
        POST /{id}/deactivate
        201 true
        POST /{id}/unblock
        403 {{"message": "403 Forbidden - Deactivated users cannot be unblocked by the API"}}
        POST /{id}/activate
        201 true
        POST /{id}/unban
        403 {{"message": "403 Forbidden - You cannot unban active users."}}
        POST /{id}/block
        201 true
        POST /{id}/activate
        403 {{"message": "403 Forbidden - A blocked user must be unblocked to be activated"}}
        POST /{id}/ban
        403 {{"message": "403 Forbidden - You cannot ban blocked users."}}
        POST /999999/block
        404 {{"message": "404 User Not Found"}}
        POST /zoe/block
        400 {{"error": "id is invalid"}}
        POST /{own}/block
        403 {{"message": "403 Forbidden - The API initiating user cannot be blocked or deleted by the API"}}
        DELETE /{own}
        403 {{"message": "403 Forbidden - The API initiating user cannot be blocked or deleted by the API"}}
        POST /{bot}/block
        403 {{"message": "403 Forbidden - An internal user cannot be changed"}}
        DELETE /{bot}
        403 {{"message": "403 Forbidden - An internal user cannot be deleted"}}
        "#
    );
    play(&admin, API, &script);
    server.signed_in("developer");
    let active = "403 Forbidden - The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated";
    let refused = admin.post(&format!("{API}/2/deactivate"), &json!({}));
    refused.assert_is(403, &json!({ "message": active }));
    let refused = server
        .developer()
        .post(&format!("{API}/{id}/unblock"), &json!({}));
    refused.assert_is(403, &json!({ "message": "403 Forbidden" }));
    assert_eq!(
        column(&admin, &format!("{API}?blocked=true"), "username"),
        ["zoe"]
    );
}

/// AUTH-08. A new password ends what the old one opened.
#[test]
fn administrators_set_passwords_and_the_log_names_the_changed_fields() {
    let server = TestServer::start();
    let admin = server.admin();
    server.stranger("robin");
    let id = id(&admin, "robin");
    let path = format!("{API}/{id}");
    let change = json!({ "password": "battery staple", "email": "r@example.com", "name": "R" });
    server
        .developer()
        .put(&path, &json!({ "password": "battery staple" }))
        .expect(403);
    admin.put(&path, &change).expect(200);
    server.browser().sign_in("robin", "battery staple");
    let log = format!("/api/v4/audit_events?entity_type=User&entity_id={id}");
    let entry = admin.get(&log).expect(200)[0].clone();
    assert_eq!(entry["details"]["event_name"], "user_updated");
    assert_eq!(entry["details"]["changed"], "name, email, password");
}

/// AUTH-08.
#[test]
fn administrators_list_the_direct_roles_of_a_user() {
    let server = TestServer::start();
    let admin = server.admin();
    let robin = server.stranger("robin");
    let id = id(&admin, "robin");
    let member = json!({ "user_id": id, "access_level": 30 });
    admin
        .post("/api/v4/projects/1/members", &member)
        .expect(201);
    let group = json!({ "name": "Team", "path": "team" });
    let group = robin.post("/api/v4/groups", &group).expect(201)["id"].clone();
    let own = json!({ "name": "Own" });
    robin.post("/api/v4/projects", &own).expect(201);
    let path = format!("{API}/{id}/memberships");
    let listed = admin.get(&path).expect(200);
    assert_eq!(listed[0]["source_type"], "Project");
    assert_eq!(
        (&listed[0]["source_id"], &listed[0]["access_level"]),
        (&json!(1), &json!(30))
    );
    let in_group = json!({ "source_id": group, "source_name": "Team", "source_type": "Namespace", "access_level": 50 });
    assert_eq!(
        admin.get(&format!("{path}?type=Namespace")).expect(200),
        json!([in_group])
    );
    assert_eq!(
        column(&admin, &format!("{path}?type=Project"), "source_id"),
        ["1"]
    );
    robin.get(&path).expect(403);
    admin.get(&format!("{API}/999999/memberships")).expect(404);
}
