//! `/api/v4/projects/:id/members` (`AUTH-11`, `EVT-08`).

use serde_json::{Value, json};

use crate::support::pages::{column, rows};
use crate::support::rows::{change, number};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

/// Creates a user, and returns the id with a caller.
pub(crate) fn person(server: &TestServer, username: &str) -> (i64, TestCaller) {
    let caller = server.stranger(username);
    let id = format!("SELECT id FROM users WHERE username = '{username}'");
    (number(server, &id), caller)
}

/// Number of audit entries for a kind of entity and an event.
pub(crate) fn audited(server: &TestServer, entity_type: i64, event_name: i64) -> i64 {
    let conditions = format!("entity_type = {entity_type} AND event_name = {event_name}");
    number(
        server,
        &format!("SELECT count(*) FROM audit_entries WHERE {conditions}"),
    )
}

#[test]
fn a_member_is_added_updated_and_removed_and_events_are_recorded() {
    let server = TestServer::start();
    let (admin, path) = (server.admin(), server.below_project("/members"));
    let (id, ann) = person(&server, "ann");
    assert_eq!(ann.get(&server.below_project("")).status, 404);
    let member = |level: i64, expires: &str| {
        format!(
            r#"{{"id": {id}, "username": "ann", "name": "*", "state": "active", "avatar_url": "*", "web_url": "*",
                "access_level": {level}, "created_at": "*", "created_by": "*", "expires_at": {expires},
                "membership_state": "active"}}"#
        )
        .replace('\n', "")
    };
    let [first, second, third] = [
        member(20, "null"),
        member(30, r#""2999-01-01""#),
        member(30, "null"),
    ];
    let script = format!(
        r#"
        POST . {{"user_id": {id}, "access_level": 20}}
        201 {first}
        POST . {{"username": "ANN", "access_level": 20}}
        409 {{"message": "Member already exists"}}
        GET /{id}
        200 {first}
        GET .
        200 [{first}]
        PUT /{id} {{"access_level": 30, "expires_at": "2999-01-01"}}
        200 {second}
        PUT /{id} {{"access_level": 30}}
        200 {second}
        PUT /{id} {{"access_level": 30, "expires_at": ""}}
        200 {third}
        GET /all/{id}
        200 {third}
        "#
    );
    play(&admin, &path, &script);
    assert_eq!(ann.get(&server.below_project("")).status, 200);
    let one = format!("{path}/{id}");
    assert_eq!(admin.delete(&one).status, 204);
    assert_eq!(ann.get(&server.below_project("")).status, 404);
    admin.get(&one).expect(404);

    let feed = rows(
        &server.developer(),
        &server.below_project("/events?sort=asc"),
    );
    let about = feed.iter().filter(|entry| entry["author_id"] == id);
    let about: Vec<Value> = about
        .map(|entry| {
            json!([
                entry["action_name"],
                entry["target_type"],
                entry["target_id"]
            ])
        })
        .collect();
    let expected = [json!(["joined", null, null]), json!(["left", null, null])];
    assert_eq!(about, expected);
    // Added, changed twice, and removed: a request without a change adds no entry.
    let audited = [1, 2, 3].map(|event_name| audited(&server, 2, event_name));
    assert_eq!(audited, [1, 2, 1]);
}

#[test]
fn invalid_member_requests_are_rejected_with_the_reason() {
    let server = TestServer::start();
    let path = server.below_project("/members");
    let (id, _) = person(&server, "ann");
    let reporter = server.reporter().get("/api/v4/user").json()["id"].clone();
    let script = r#"
        POST . {"access_level": 20}
        400 {"message": "400 (Bad request) \"user_id\" not given"}
        POST . {"user_id": ID}
        400 {"message": "400 (Bad request) \"access_level\" not given"}
        POST . {"user_id": ID, "access_level": 25}
        400 {"error": "access_level does not have a valid value"}
        POST . {"user_id": "x", "access_level": 20}
        400 {"error": "user_id does not have a valid value"}
        POST . {"user_id": 999999, "access_level": 20}
        404 {"message": "404 User Not Found"}
        POST . {"username": "nobody", "access_level": 20}
        404 {"message": "404 User Not Found"}
        POST . {"user_id": ID, "access_level": 20, "expires_at": "2001-01-01"}
        400 {"message": {"expires_at": ["must be a date after today"]}}
        POST . {"user_id": ID, "access_level": 20, "expires_at": "soon"}
        400 {"error": "expires_at is invalid"}
        POST . {"user_id": REPORTER, "access_level": 10}
        400 {"message": {"access_level": ["should be greater than or equal to Reporter inherited membership from group acme"]}}
        PUT /ID {"access_level": 20}
        404 {"message": "404 Member Not Found"}
        PUT /ID {}
        400 {"message": "400 (Bad request) \"access_level\" not given"}
        DELETE /ID
        404 {"message": "404 Member Not Found"}
        DELETE /ID?unassign_issuables=true
        400 {"error": "unassign_issuables does not have a valid value"}
        GET /x
        404 {"message": "404 Member Not Found"}
        GET ?user_ids[]=x
        400 {"error": "user_ids does not have a valid value"}
    "#;
    let script = script.replace("ID", &id.to_string());
    let script = script.replace("REPORTER", &reporter.to_string());
    play(&server.admin(), &path, &script);
}

/// AUTH-11. Maintainers manage members, but no roles above their own; everyone may leave.
#[test]
fn members_cannot_manage_roles_above_their_own() {
    let server = TestServer::start();
    let (admin, path) = (server.admin(), server.below_project("/members"));
    let (max_id, max) = person(&server, "max");
    let (olga_id, olga) = person(&server, "olga");
    let (ann_id, ann) = person(&server, "ann");
    let give = |id: i64, level: i64| {
        let body = json!({ "user_id": id, "access_level": level });
        admin.post(&path, &body).expect(201);
    };
    give(max_id, 40);
    give(olga_id, 50);
    let script = r#"
        POST . {"user_id": ANN, "access_level": 50}
        403 {"message": "403 Forbidden"}
        POST . {"user_id": ANN, "access_level": 40}
        201
        PUT /ANN {"access_level": 50}
        403 {"message": "403 Forbidden"}
        PUT /ANN {"access_level": 10}
        200
        PUT /OLGA {"access_level": 40}
        403 {"message": "403 Forbidden"}
        DELETE /OLGA
        403 {"message": "403 Forbidden"}
    "#;
    let script = script.replace("ANN", &ann_id.to_string());
    play(&max, &path, &script.replace("OLGA", &olga_id.to_string()));
    let one = |id: i64| format!("{path}/{id}");
    let level = json!({ "access_level": 20 });
    assert_eq!(ann.put(&one(ann_id), &level).status, 403);
    assert_eq!(ann.delete(&one(max_id)).status, 403);
    assert_eq!(ann.delete(&one(ann_id)).status, 204);
    assert_eq!(olga.delete(&one(max_id)).status, 204);
    assert_eq!(max.get(&path).status, 404);
}

#[test]
fn member_lists_are_filtered_and_include_inherited_members() {
    let server = TestServer::start();
    let (admin, path) = (server.admin(), server.below_project("/members"));
    let ids: Vec<i64> = ["ann", "ben", "cora"]
        .map(|name| person(&server, name).0)
        .to_vec();
    let body = json!({ "user_id": ids[..2], "access_level": 10 });
    let added = admin.post(&path, &body).expect(201);
    assert_eq!(added, json!({ "status": "success" }));
    let list = format!("{},{},999999", ids[1], ids[2]);
    let body = json!({ "user_id": list, "access_level": 10 });
    let added = admin.post(&path, &body).expect(201);
    let message = json!({
        ids[1].to_string(): "Member already exists", "999999": "404 User Not Found",
    });
    assert_eq!(added, json!({ "status": "error", "message": message }));
    let skip = format!("skip_users[]={}", ids[0]);
    let user_ids = format!("user_ids[]={}&user_ids[]={}", ids[0], ids[2]);
    for (query, expected) in [
        (String::new(), &["ann", "ben", "cora"][..]),
        ("?query=BE".to_owned(), &["ben"]),
        ("?query=nobody".to_owned(), &[]),
        (format!("?{skip}"), &["ben", "cora"]),
        (format!("?{user_ids}"), &["ann", "cora"]),
        (format!("?{user_ids}&{skip}&query=o"), &["cora"]),
    ] {
        let found = column(&admin, &format!("{path}{query}"), "username");
        assert_eq!(found, expected, "{query}");
    }
    for query in ["per_page=1&page=2", "per_page=1&page=2&query=n"] {
        let page = admin.get(&format!("{path}?{query}"));
        let names: Vec<Value> = page
            .list()
            .iter()
            .map(|row| row["username"].clone())
            .collect();
        assert_eq!(names, ["ben"], "{query}");
    }
    let all = column(&admin, &format!("{path}/all"), "username");
    let users = column(&admin, &server.below_project("/users"), "username");
    assert_eq!(all, users);
    assert!(all.len() > 3, "{all:?}");
    let found = column(
        &admin,
        &server.below_project("/users?search=cora"),
        "username",
    );
    assert_eq!(found, ["cora"]);
    let listed = rows(&admin, &path);
    assert!(listed.iter().all(|member| member.get("email").is_none()));
}

/// AUTH-11. A role expires at the start of its expiry day, even between two requests with the same token.
#[test]
fn a_role_expires_between_two_requests() {
    let server = TestServer::start();
    let path = server.below_project("/members");
    let (id, ann) = person(&server, "ann");
    let body = json!({ "user_id": id, "access_level": 30, "expires_at": "2999-01-01" });
    server.admin().post(&path, &body).expect(201);
    assert_eq!(ann.get(&server.alerts()).status, 200);
    change(
        &server,
        &format!("UPDATE project_members SET expires_on = 1 WHERE user_id = {id}"),
    );
    assert_eq!(ann.get(&server.alerts()).status, 404);
    server.admin().get(&format!("{path}/{id}")).expect(404);
    assert_eq!(column(&server.admin(), &path, "id"), [""; 0]);
    // An expired role is no obstacle to a new one.
    let body = json!({ "user_id": id, "access_level": 20 });
    server.admin().post(&path, &body).expect(201);
    assert_eq!(ann.get(&server.below_project("")).status, 200);
}
