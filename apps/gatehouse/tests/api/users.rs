//! `/api/v4/users`.

mod administration;
mod changes;
mod deletion;
mod status;

use serde_json::json;

use crate::support::pages::{column, rows};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

/// The usernames in a list.
fn names(caller: &TestCaller, query: &str) -> Vec<String> {
    let path = format!("/api/v4/users?sort=asc{query}");
    column(caller, &path, "username")
}

#[test]
fn callers_see_only_permitted_fields_of_other_users() {
    let server = TestServer::start();
    let short = format!(
        r#"{{"id": 2, "username": "dev", "name": "Dana Developer", "state": "active", "avatar_url": "{base}/assets/avatars/8-DD.svg", "web_url": "{base}/dev"}}"#,
        base = server.base_url()
    );
    let anonymous = server.anonymous();
    let script = format!(
        r#"
        GET .
        403 {{"message": "403 Forbidden - Not authorized to access /api/v4/users"}}
        GET ?search=dev
        403 {{"message": "403 Forbidden - Not authorized to access /api/v4/users"}}
        GET ?username=DEV
        200 [{short}]
        GET ?username=de
        200 []
        GET /2
        403 {{"message": "403 Forbidden - Not authorized!"}}
        "#
    );
    play(&anonymous, "/api/v4/users", &script);
    let user = server.reporter();
    let script = format!(
        r#"
        GET ?username=dev
        200 [{short}]
        GET /2x
        404 {{"message": "404 User Not Found"}}
        GET /-x
        400 {{"error": "id is invalid"}}
        GET /d%20v
        400 {{"error": "id is invalid"}}
        GET /999999
        404 {{"message": "404 User Not Found"}}
        GET /99999999999999999999
        404 {{"message": "404 User Not Found"}}
        GET ?pagination=keyset
        405
        "#
    );
    play(&user, "/api/v4/users", &script);
    let shown = |caller: &TestCaller| caller.get("/api/v4/users/2").expect(200);
    let for_others = shown(&user);
    // In GitLab only the number works here. People know names, by which the feed and the projects of a user are found, too.
    for name in ["dev", "DEV"] {
        let named = user.get(&format!("/api/v4/users/{name}")).expect(200);
        assert_eq!(named, for_others, "{name}");
    }
    let unknown = user.get("/api/v4/users/nobody");
    unknown.assert_is(404, &json!({ "message": "404 User Not Found" }));
    assert_eq!(server.anonymous().get("/api/v4/users/dev").status, 403);
    for hidden in [
        "email",
        "commit_email",
        "two_factor_enabled",
        "is_admin",
        "identities",
    ] {
        assert_eq!(for_others.get(hidden), None, "{hidden}");
    }
    for (name, value) in [
        ("bio", json!("")),
        ("public_email", json!(null)),
        ("followers", json!(0)),
        ("bot", json!(false)),
        ("job_title", json!("")),
    ] {
        assert_eq!(for_others[name], value, "{name}");
    }
    let own = shown(&server.developer());
    assert_eq!(
        (&own["email"], own.get("is_admin")),
        (&json!("dev@example.com"), None)
    );
    assert_eq!(own, server.developer().get("/api/v4/user").expect(200));
    let whole = shown(&server.admin());
    assert_eq!(
        (&whole["email"], &whole["is_admin"]),
        (&json!("dev@example.com"), &json!(false))
    );
    assert_eq!(
        (&whole["note"], &whole["using_license_seat"]),
        (&json!(null), &json!(false))
    );
}

#[test]
fn the_list_is_narrowed_and_blocked_users_are_for_administrators() {
    let server = TestServer::start();
    server.stranger("zoe");
    server.stranger("adam");
    server.block("zoe");
    let (admin, user) = (server.admin(), server.developer());
    let all = names(&admin, "");
    let bots = names(&admin, "&humans=false");
    assert_eq!(all, bots);
    let people = names(&admin, "&humans=true");
    assert!(
        people.len() < all.len() && people.contains(&"zoe".to_owned()),
        "{people:?}"
    );
    assert_eq!(names(&admin, "&exclude_internal=true"), people);
    assert_eq!(names(&admin, "&blocked=true"), ["zoe"]);
    assert_eq!(names(&admin, "&search=Z"), ["zoe"]);
    assert_eq!(names(&admin, "&search=adam@example"), ["adam"]);
    assert_eq!(names(&admin, "&external=true"), [""; 0]);
    let admins = names(&admin, "&admins=true");
    assert!(
        !admins.is_empty() && !admins.contains(&"dev".to_owned()),
        "{admins:?}"
    );
    assert_eq!(names(&admin, "&two_factor=enabled"), [""; 0]);
    assert_eq!(names(&admin, "&two_factor=disabled"), all);
    assert_eq!(names(&admin, "&order_by=username&humans=1")[0], "adam");
    assert_eq!(names(&admin, "&created_before=2001-01-01"), [""; 0]);
    assert_eq!(names(&admin, "&created_after=2001-01-01"), all);
    assert_eq!(names(&admin, "&id_after=1&id_before=3"), ["dev"]);

    // Filters for administrators have no effect for others, who see only active users, the newest first.
    let mut active: Vec<String> = all.into_iter().filter(|name| name != "zoe").collect();
    active.reverse();
    for query in [
        "",
        "&admins=true",
        "&two_factor=enabled",
        "&order_by=username",
        "&active=true",
    ] {
        assert_eq!(names(&user, query), active, "{query}");
    }
    assert_eq!(names(&user, "&blocked=true"), [""; 0]);
    assert_eq!(names(&user, "&username=zoe"), [""; 0]);
    assert_eq!(names(&user, "&search=ADAM@example.com"), ["adam"]);
    assert_eq!(names(&user, "&search=adam@example"), [""; 0]);
    let id = &rows(&admin, "/api/v4/users?username=zoe")[0]["id"];
    let shown = user.get(&format!("/api/v4/users/{id}")).expect(200);
    assert_eq!(shown["state"], "blocked");
}

#[test]
fn filters_that_are_not_built_are_refused() {
    let server = TestServer::start();
    let script = r#"
        GET ?provider=ldap&extern_uid=1
        400 {"error": "extern_uid is a filter that this server does not support: leave it out, provider is a filter that this server does not support: leave it out"}
        GET ?without_projects=true
        400 {"error": "without_projects is a filter that this server does not support: leave it out"}
        GET ?without_projects=false&per_page=1&username=dev
        200
        GET ?order_by=updated_at
        400 {"error": "order_by does not have a valid value"}
        GET ?two_factor=maybe
        400 {"error": "two_factor does not have a valid value"}
        GET ?active=perhaps
        400 {"error": "active is invalid"}
        "#;
    play(&server.developer(), "/api/v4/users", script);
}

#[test]
fn the_projects_of_a_user_are_those_in_their_own_namespace() {
    let server = TestServer::start();
    let adam = server.stranger("adam");
    let other = server.developer();
    assert_eq!(rows(&adam, "/api/v4/users/adam/projects"), [json!(null); 0]);
    server.create_project("adam/private", "private", "adam");
    server.create_project("adam/public", "public", "adam");
    let paths = |caller: &TestCaller, query: &str| {
        let path = format!("/api/v4/users/ADAM/projects?sort=asc{query}");
        column(caller, &path, "path_with_namespace")
    };
    let both = ["adam/private", "adam/public"];
    assert_eq!(paths(&adam, ""), both);
    assert_eq!(paths(&server.admin(), ""), both);
    assert_eq!(paths(&other, ""), both[1..]);
    assert_eq!(paths(&server.anonymous(), ""), both[1..]);
    assert_eq!(paths(&adam, "&visibility=private"), both[..1]);
    assert_eq!(paths(&adam, "&order_by=id&pagination=keyset"), both);
    let script = r#"
        GET /nobody/projects
        404 {"message": "404 User Not Found"}
        GET /999999/projects
        404 {"message": "404 User Not Found"}
        GET /adam/projects?starred=true
        400 {"error": "starred is a filter that this server does not support: leave it out"}
        "#;
    play(&other, "/api/v4/users", script);
}
