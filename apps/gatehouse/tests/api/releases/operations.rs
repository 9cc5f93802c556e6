//! Parameters and responses of operations by release.

use serde_json::{Value, json};

use super::{admin_at, server_as};
use crate::support::{TestCaller, TestServer};

fn below(server: &TestServer, rest: &str) -> String {
    server.below_project(&format!("/error_tracking{rest}"))
}

#[test]
fn an_operation_is_there_from_its_release_on() {
    let server = TestServer::start();
    let keys = below(&server, "/client_keys");
    let settings = below(&server, "/settings");
    let switched = json!({"active": true, "integrated": true});
    for (release, keys_status, put_status) in [
        ("13.10", 404, 405),
        ("14.2", 404, 405),
        ("14.3", 200, 405),
        ("15.9", 200, 405),
        ("15.10", 200, 200),
        ("18.0", 200, 200),
        ("v5", 200, 200),
    ] {
        let admin = admin_at(&server, release);
        assert_eq!(admin.get(&keys).status, keys_status, "keys at {release}");
        let put = admin.put(&settings, &switched);
        assert_eq!(put.status, put_status, "settings at {release}");
        assert_eq!(put.header("gatehouse-release"), Some(release));
    }
    server.admin().put(&settings, &switched).expect(200);
}

#[test]
fn operations_of_later_releases_are_unknown_paths_or_methods() {
    let server = TestServer::start();
    let admin = admin_at(&server, "14.2");
    let keys = admin.get(&below(&server, "/client_keys"));
    keys.assert_is(404, &json!({"error": "404 Not Found"}));
    let settings = below(&server, "/settings");
    let put = admin.put(&settings, &json!({"active": true}));
    assert_eq!(put.header("allow"), Some("OPTIONS, GET, HEAD, PATCH"));
    let newest = server.admin().put(&settings, &json!({"active": true}));
    assert_ne!(newest.status, 405);
}

#[test]
fn a_parameter_and_a_field_are_there_from_their_release_on() {
    let server = TestServer::start();
    let settings = below(&server, "/settings");
    let admin = |release| admin_at(&server, release).with("Content-Type", "application/json");
    let off = json!({"active": true, "integrated": false}).to_string();
    let shown = |release| admin(release).get(&settings).expect(200);
    let old = admin("14.1")
        .send("PATCH", &settings, off.as_bytes())
        .expect(200);
    assert_eq!(old.get("integrated"), None);
    assert_eq!(shown("14.1").get("integrated"), None);
    assert_eq!(
        shown("14.2")["integrated"],
        true,
        "the parameter was ignored"
    );
    let read = admin("14.2").send("PATCH", &settings, off.as_bytes());
    let needed = read.expect(400)["message"]["api_url"].clone();
    assert_eq!(
        needed,
        json!(["is a required field"]),
        "another tracker needs an address"
    );
}

#[test]
fn the_old_access_level_sets_the_new_ones_until_it_goes() {
    let server = TestServer::start();
    let project = server.below_project("");
    let refused = |answer: crate::support::TestResponse| answer.expect(400)["error"].clone();
    let level = json!({"operations_access_level": "private"});
    let now = refused(server.admin().put(&project, &level));
    let text = "operations_access_level does not have a valid value";
    assert_eq!(now, text, "alerts cannot be hidden");
    let level = json!({"operations_access_level": "enabled"});
    let set = server.admin().put(&project, &level).expect(200);
    assert_eq!(set["infrastructure_access_level"], "enabled");
    let given =
        json!({"operations_access_level": "enabled", "infrastructure_access_level": "private"});
    let both = server.admin().put(&project, &given).expect(200);
    assert_eq!(both["infrastructure_access_level"], "private");
    // In a release without the field, the request has nothing left to change, so it is refused.
    refused(admin_at(&server, "v5").put(&project, &level));
    let preview = admin_at(&server, "v5").get(&project).expect(200);
    assert_eq!(preview.get("operations_access_level"), None);
    assert_eq!(both["operations_access_level"], "enabled");
}

#[test]
fn the_server_runs_as_the_release_that_is_configured() {
    let server = server_as("14.2");
    let keys = below(&server, "/client_keys");
    server.admin().get(&keys).expect(404);
    admin_at(&server, "14.3").get(&keys).expect(200);
    let own = server.admin().get(&below(&server, "/settings"));
    assert_eq!(own.header("gatehouse-release"), None, "nobody asked");
}

#[test]
fn the_preview_of_the_next_version_is_off_unless_it_is_configured() {
    let path = |server: &TestServer| server.below_project("").replacen("/v4/", "/v5/", 1);
    let off = TestServer::start();
    off.admin().get(&path(&off)).expect(404);
    let on = TestServer::start_configured("[api]\nv5_preview = true\n");
    let shown = on.admin().get(&path(&on));
    assert_eq!(shown.header("gatehouse-release"), Some("v5"));
    let shown = shown.expect(200);
    assert_eq!(shown.get("operations_access_level"), None);
    let old = on.admin().get(&on.below_project("")).expect(200);
    assert_eq!(without(&old, "operations_access_level"), shown);
    let listed = on.admin().get("/api/v5/projects?per_page=1");
    let next = listed.header("link").unwrap().to_owned();
    assert!(next.contains("/api/v5/projects?"), "{next}");
    on.admin().get("/api/v5/none").expect(404);
}

fn without(value: &Value, name: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().remove(name);
    value
}

#[test]
fn a_release_that_there_is_not_is_refused_and_nothing_is_done() {
    let server = TestServer::start();
    for wrong in ["9.1", "15.12", "18.1", "16", "newest", "v4", ""] {
        let admin = admin_at(&server, wrong);
        let refused = admin.post("/api/v4/projects", &json!({"name": "not made"}));
        let words = refused.expect(400)["message"].as_str().unwrap().to_owned();
        assert!(
            words.contains("is not a known release (13.10 to 18.0, or v5)"),
            "{words}"
        );
    }
    server
        .admin()
        .get("/api/v4/projects/root%2Fnot-made")
        .expect(404);
}

/// DEPR-04. Clients cache responses, and the cached response of one release is not valid for another.
#[test]
fn entity_tags_differ_where_answers_do() {
    let server = TestServer::start();
    let settings = below(&server, "/settings");
    let tag = |caller: &TestCaller| caller.get(&settings).header("etag").unwrap().to_owned();
    let (old, new) = (admin_at(&server, "14.1"), server.admin());
    assert_ne!(tag(&old), tag(&new));
    let again =
        |caller: TestCaller, tag: &str| caller.with("If-None-Match", tag).get(&settings).status;
    assert_eq!(again(admin_at(&server, "14.1"), &tag(&old)), 304);
    assert_eq!(again(admin_at(&server, "14.1"), &tag(&new)), 200);
    assert_eq!(again(server.admin(), &tag(&new)), 304);
}
