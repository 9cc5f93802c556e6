//! `/api/v4/personal_access_tokens`.

use api_conventions::time::{CalendarDate, Timestamp};
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::snapshot::{redacted, snapshot_of};
use crate::support::rows::{DatabaseReader, HeldWriter};
use crate::support::{TestCaller, TestServer, rows};

const SELF: &str = "/api/v4/personal_access_tokens/self";

/// API-06, AUTH-09. The token was just used, so the server has cached it as valid; the very next request must be
/// refused.
#[test]
fn a_token_that_ends_itself_is_refused_at_once() {
    let server = TestServer::start();
    let token = server.token("dev", "api");
    let caller = TestCaller::new(server.base_url(), Some(&token));
    caller.get("/api/v4/user").assert_ok();
    let answer = caller.delete(SELF);
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": null,
      "headers": {
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 204
    }
    "#);
    for path in ["/api/v4/user", &server.alerts()] {
        let refused = caller.get(path);
        refused.assert_is(401, &json!({ "message": "401 Unauthorized" }));
    }
    assert_eq!(caller.delete(SELF).status, 401);
}

#[test]
fn other_tokens_of_the_same_user_live_on() {
    let server = TestServer::start();
    let token = server.token("dev", "api");
    let ended = TestCaller::new(server.base_url(), Some(&token));
    assert_eq!(ended.delete(SELF).status, 204);
    server.developer().get("/api/v4/user").assert_ok();
}

/// AUTH-08. A token with any scope can revoke itself.
#[test]
fn any_scope_may_end_its_own_token() {
    let server = TestServer::start();
    for scope in [
        "read_api",
        "read_user",
        "read_repository",
        "write_repository",
    ] {
        let token = server.token_of_another_release("dev", scope);
        let caller = TestCaller::new(server.base_url(), Some(&token));
        assert_eq!(caller.delete(SELF).status, 204, "{scope}");
        assert_eq!(caller.get("/api/v4/user").status, 401, "{scope}");
    }
}

const TOKENS: &str = "/api/v4/personal_access_tokens";

fn one(id: &Value) -> String {
    format!("{TOKENS}/{id}")
}

/// Creates a token for the demo's developer as an administrator, and returns the response.
fn created(server: &TestServer, fields: &Value) -> Value {
    let developer = server.developer().get("/api/v4/user");
    let id = developer.expect(200)["id"].clone();
    let path = format!("/api/v4/users/{id}/personal_access_tokens");
    server.admin().post(&path, fields).expect(201)
}

fn names(listed: &Value) -> Vec<&str> {
    let tokens = listed.as_array().unwrap().iter();
    tokens
        .map(|token| token["name"].as_str().unwrap())
        .collect()
}

/// AUTH-02, AUTH-09. A token that an administrator created works at once, and expires a year ahead.
#[test]
fn an_administrator_creates_a_token_that_works_until_it_is_revoked() {
    let server = TestServer::start();
    let token = created(
        &server,
        &json!({ "name": "deploy", "scopes": ["read_api"] }),
    );
    let secret = token["token"].as_str().unwrap();
    assert!(secret.starts_with("ghat_"), "{secret}");
    let year = CalendarDate::parse(&token["created_at"].as_str().unwrap()[..10]).unwrap();
    let year = year.plus_one_year().unwrap().to_string();
    assert_eq!(token["expires_at"], json!(year));
    let caller = TestCaller::new(server.base_url(), Some(secret));
    let mut shown = caller.get(SELF).expect(200);
    assert_eq!(shown["scopes"], json!(["read_api"]));
    assert_eq!(
        (&shown["active"], &shown["revoked"]),
        (&json!(true), &json!(false))
    );
    // The use is saved a little later.
    shown["last_used_at"] = Value::Null;
    let mut expected = token.clone();
    expected.as_object_mut().unwrap().remove("token");
    assert_eq!(shown, expected);
    assert_eq!(
        caller
            .post("/api/v4/projects", &json!({ "name": "x" }))
            .status,
        403
    );
    assert_eq!(server.developer().delete(&one(&token["id"])).status, 204);
    assert_eq!(caller.get(SELF).status, 401);
    let listed = server.developer().get(&one(&token["id"]));
    assert_eq!(listed.expect(200)["revoked"], json!(true));
}

#[test]
fn only_administrators_create_tokens_for_users_and_invalid_ones_are_refused() {
    let server = TestServer::start();
    let path = "/api/v4/users/1/personal_access_tokens";
    let valid = json!({ "name": "x", "scopes": "api,read_user" });
    assert_eq!(server.developer().post(path, &valid).status, 403);
    let admin = server.admin();
    for (fields, status) in [
        (json!({ "scopes": ["api"] }), 400),
        (json!({ "name": "x" }), 400),
        (json!({ "name": "x", "scopes": ["nothing"] }), 400),
        (
            json!({ "name": "x", "scopes": ["api"], "expires_at": "soon" }),
            400,
        ),
        (
            json!({ "name": "x", "scopes": ["api"], "expires_at": "2001-01-01" }),
            422,
        ),
        (
            json!({ "name": "x", "scopes": ["api"], "expires_at": "2999-01-01" }),
            422,
        ),
        (json!({ "name": "x", "scopes": [] }), 422),
        (json!({ "name": "x".repeat(256), "scopes": ["api"] }), 422),
    ] {
        assert_eq!(admin.post(path, &fields).status, status, "{fields}");
    }
    let nobody = "/api/v4/users/999999/personal_access_tokens";
    assert_eq!(admin.post(nobody, &valid).status, 404);
    let scopes = admin.post(path, &valid).expect(201)["scopes"].clone();
    assert_eq!(scopes, json!(["api", "read_user"]));
}

#[test]
fn users_see_their_own_tokens_and_administrators_all() {
    let server = TestServer::start();
    let token = created(&server, &json!({ "name": "deploy", "scopes": ["api"] }));
    let (developer, reporter, admin) = (server.developer(), server.reporter(), server.admin());
    let own = developer.get(TOKENS).expect(200);
    let user = &token["user_id"];
    assert!(
        own.as_array()
            .unwrap()
            .iter()
            .all(|token| token["user_id"] == *user)
    );
    assert!(names(&own).contains(&"deploy"));
    let of_user = format!("{TOKENS}?user_id={user}");
    assert_eq!(names(&developer.get(&of_user).expect(200)), names(&own));
    assert_eq!(names(&admin.get(&of_user).expect(200)), names(&own));
    assert_eq!(reporter.get(&of_user).status, 401);
    assert_eq!(admin.get(&format!("{TOKENS}?user_id=999999")).status, 404);
    let all = admin.get(TOKENS).expect(200).as_array().unwrap().len();
    assert!(all > own.as_array().unwrap().len());
    let id = one(&token["id"]);
    for (caller, path, status) in [
        (&developer, &*id, 200),
        (&admin, &*id, 200),
        (&reporter, &*id, 401),
        (&reporter, "/api/v4/personal_access_tokens/999999", 401),
        (&admin, "/api/v4/personal_access_tokens/999999", 404),
    ] {
        assert_eq!(caller.get(path).status, status, "{path}");
    }
    assert_eq!(reporter.delete(&id).status, 400);
    assert_eq!(reporter.delete(&one(&json!(999_999))).status, 404);
    assert_eq!(developer.get(&id).expect(200)["revoked"], json!(false));
    assert_eq!(admin.delete(&id).status, 204);
    assert_eq!(admin.delete(&id).status, 204);
}

#[test]
fn tokens_are_filtered_and_paged() {
    let server = TestServer::start();
    for name in ["alpha", "Beta", "beta two"] {
        created(&server, &json!({ "name": name, "scopes": ["api"] }));
    }
    let gone = created(&server, &json!({ "name": "gone", "scopes": ["api"] }));
    let developer = server.developer();
    assert_eq!(developer.delete(&one(&gone["id"])).status, 204);
    let list = |query: &str| developer.get(&format!("{TOKENS}?{query}"));
    let names_of = |query: &str| {
        let listed = list(query).expect(200);
        names(&listed).join(" ")
    };
    assert_eq!(names_of("search=BETA"), "Beta beta two");
    assert_eq!(names_of("state=inactive"), "gone");
    assert_eq!(names_of("revoked=true"), "gone");
    assert!(!names_of("state=active").contains("gone"));
    assert_eq!(names_of("created_before=2001-01-01"), "");
    assert_eq!(names_of("last_used_before=2001-01-01"), "");
    let page = list("search=eta&per_page=1&page=2");
    assert_eq!(names(&page.expect(200)), ["beta two"]);
    assert_eq!(page.header("x-total"), Some("2"));
    for refused in [
        "state=sleeping",
        "revoked=perhaps",
        "created_after=x",
        "sort=name_asc",
    ] {
        assert_eq!(list(refused).status, 400, "{refused}");
    }
}

/// AUTH-02. A request does not write the last use of its token: it gets its response while another process has the write
/// lock of the database. Uses are saved in batches, and by a graceful stop.
#[test]
fn the_last_use_of_a_token_is_saved_after_its_request() {
    let mut server = TestServer::start();
    let token = created(&server, &json!({ "name": "deploy", "scopes": ["api"] }));
    assert_eq!(token["last_used_at"], json!(null));
    let caller = TestCaller::new(server.base_url(), token["token"].as_str());
    let saved = format!(
        "SELECT count(last_used_at) FROM access_tokens WHERE id = {}",
        token["id"]
    );
    let mut database = DatabaseReader::of(&server);
    let writer = HeldWriter::at(&server);
    for path in [SELF, "/api/v4/user"] {
        caller.get(path).assert_ok();
    }
    assert_eq!(database.number(&saved), 0, "nobody else can write");
    drop(writer);
    assert!(server.stop().success());
    assert_eq!(database.number(&saved), 1);
    server.restart();
    let shown = server.developer().get(&one(&token["id"])).expect(200);
    let time = |field: &str| Timestamp::parse_rfc3339(shown[field].as_str().unwrap()).unwrap();
    assert!(time("last_used_at") >= time("created_at"), "{shown}");
}

/// AUTH-09. The secret of the new token is shown once; the old token is refused by the very next request.
#[test]
fn a_rotated_token_is_refused_at_once_and_its_successor_works() {
    let server = TestServer::start();
    let old = created(&server, &json!({ "name": "deploy", "scopes": ["api"] }));
    let caller = TestCaller::new(server.base_url(), old["token"].as_str());
    caller.get(SELF).assert_ok();
    let new = caller
        .post(&format!("{SELF}/rotate"), &json!({}))
        .expect(200);
    assert_eq!(caller.get(SELF).status, 401);
    assert_ne!(new["id"], old["id"]);
    for field in ["name", "scopes", "user_id"] {
        assert_eq!(new[field], old[field], "{field}");
    }
    let today = CalendarDate::parse(&new["created_at"].as_str().unwrap()[..10]).unwrap();
    let week = CalendarDate::from_days(today.as_days() + 7).unwrap();
    assert_eq!(new["expires_at"], json!(week.to_string()));
    let successor = TestCaller::new(server.base_url(), new["token"].as_str());
    let shown = successor.get(SELF).expect(200);
    assert_eq!(shown["id"], new["id"]);
    assert_eq!(shown.get("token"), None);
    // A late request with the old token does not end the new one yet.
    successor.get(SELF).assert_ok();
}

#[test]
fn tokens_are_rotated_by_their_user_and_administrators() {
    let server = TestServer::start();
    let token = created(
        &server,
        &json!({ "name": "deploy", "scopes": ["read_api"] }),
    );
    let (developer, reporter, admin) = (server.developer(), server.reporter(), server.admin());
    let path = |id: &Value| format!("{}/rotate", one(id));
    let own = TestCaller::new(server.base_url(), token["token"].as_str());
    // A token that cannot write cannot prolong its own life.
    assert_eq!(own.post(&path(&token["id"]), &json!({})).status, 403);
    assert_eq!(own.post(&format!("{SELF}/rotate"), &json!({})).status, 403);
    assert_eq!(reporter.post(&path(&token["id"]), &json!({})).status, 401);
    assert_eq!(
        reporter.post(&path(&json!(999_999)), &json!({})).status,
        401
    );
    assert_eq!(admin.post(&path(&json!(999_999)), &json!({})).status, 404);
    for expires_at in ["2001-01-01", "2999-01-01", "soon"] {
        let fields = json!({ "expires_at": expires_at });
        let refused = developer.post(&path(&token["id"]), &fields);
        assert_eq!(refused.status, 400, "{expires_at}");
    }
    own.get(SELF).assert_ok();
    let second = developer.post(&path(&token["id"]), &json!({})).expect(200);
    let again = developer.post(&path(&token["id"]), &json!({}));
    again.assert_is(
        400,
        &json!({ "message": "400 Bad request - token already revoked" }),
    );
    let third = admin.post(&path(&second["id"]), &json!({})).expect(200);
    assert_eq!(third["user_id"], token["user_id"]);
    assert_eq!(third["scopes"], json!(["read_api"]));
}

/// Number of entries in the audit logs of users with this event.
fn audited(server: &TestServer, event_name: i64) -> i64 {
    let conditions = format!("entity_type = 3 AND event_name = {event_name}");
    rows::number(
        server,
        &format!("SELECT count(*) FROM audit_entries WHERE {conditions}"),
    )
}

/// AUTH-09. A minute after a rotation, the old token can only be a copy that somebody kept.
#[test]
fn the_use_of_a_rotated_token_revokes_its_successor() {
    let server = TestServer::start();
    let created_before = audited(&server, 26);
    let old = created(&server, &json!({ "name": "deploy", "scopes": ["api"] }));
    let caller = TestCaller::new(server.base_url(), old["token"].as_str());
    let rotation = format!("{SELF}/rotate");
    let second = caller.post(&rotation, &json!({})).expect(200);
    let second = TestCaller::new(server.base_url(), second["token"].as_str());
    let third = second.post(&rotation, &json!({})).expect(200);
    let third = TestCaller::new(server.base_url(), third["token"].as_str());
    assert_eq!(caller.get(SELF).status, 401);
    third.get(SELF).assert_ok();
    let a_minute_ago = "UPDATE access_tokens SET revoked_at = revoked_at - 60000000
        WHERE revoked_at IS NOT NULL";
    rows::change(&server, a_minute_ago);
    assert_eq!(audited(&server, 29), 0);
    assert_eq!(caller.get(SELF).status, 401);
    assert_eq!(third.get(SELF).status, 401);
    assert_eq!(second.get(SELF).status, 401);
    let counts = [26, 27, 28, 29].map(|name| audited(&server, name));
    assert_eq!(counts, [created_before + 1, 2, 0, 1]);
}

/// AUTH-09. Programs learn in time that their token expires.
#[test]
fn responses_announce_the_expiry_of_a_token_thirty_days_ahead() {
    let server = TestServer::start();
    let header = |days: i32| {
        let now = created(&server, &json!({ "name": "now", "scopes": ["api"] }));
        let today = CalendarDate::parse(&now["created_at"].as_str().unwrap()[..10]).unwrap();
        let day = CalendarDate::from_days(today.as_days() + days).unwrap();
        let fields = json!({ "name": "x", "scopes": ["api"], "expires_at": day.to_string() });
        let token = created(&server, &fields);
        let caller = TestCaller::new(server.base_url(), token["token"].as_str());
        // The first request reads the token, the second one finds it in the cache.
        let announced = [(); 2].map(|()| {
            let answer = caller.get("/api/v4/user");
            answer
                .header("x-gatehouse-token-expires")
                .map(ToOwned::to_owned)
        });
        assert_eq!(announced[0], announced[1], "{days}");
        (announced[0].clone(), day.to_string())
    };
    let (announced, day) = header(29);
    assert_eq!(announced, Some(day));
    assert_eq!(header(40).0, None);
}
