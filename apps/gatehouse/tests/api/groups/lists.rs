//! Lists of groups and their contents, and of namespaces (`PATH-01`, `PAGE-05`).

use serde_json::json;

use crate::support::pages::column;
use crate::support::{TestCaller, TestServer};

fn create_group(caller: &TestCaller, name: &str, parent: Option<i64>, visibility: &str) -> i64 {
    let body = json!({
        "name": name, "path": name.to_lowercase(), "parent_id": parent, "visibility": visibility,
    });
    let created = caller.post("/api/v4/groups", &body).expect(201);
    created["id"].as_i64().unwrap()
}

/// A server with a group of each visibility, and one in the public one.
fn server_with_groups() -> (TestServer, [i64; 4]) {
    let server = TestServer::start();
    let dev = server.developer();
    let public = create_group(&dev, "Open", None, "public");
    let ids = [
        public,
        create_group(&dev, "Inside", None, "internal"),
        create_group(&dev, "Closed", None, "private"),
        create_group(&dev, "Below", Some(public), "public"),
    ];
    (server, ids)
}

fn listed_paths(caller: &TestCaller, query: &str) -> Vec<String> {
    column(caller, &format!("/api/v4/groups?{query}"), "path")
}

/// PATH-01.
#[test]
fn everybody_lists_the_groups_that_they_may_see_by_name() {
    let (server, [public, ..]) = server_with_groups();
    let (dev, anonymous) = (server.developer(), server.anonymous());
    assert_eq!(listed_paths(&anonymous, ""), ["below", "open"]);
    assert_eq!(
        listed_paths(&dev, ""),
        ["acme", "below", "closed", "inside", "open"]
    );
    // Users list their own groups unless they request all.
    assert_eq!(listed_paths(&server.reporter(), ""), ["acme"]);
    let all = ["acme", "below", "inside", "open"];
    assert_eq!(listed_paths(&server.reporter(), "all_available=true"), all);
    assert_eq!(
        listed_paths(&dev, "owned=true&top_level_only=true"),
        ["closed", "inside", "open"]
    );
    assert_eq!(
        listed_paths(&dev, "search=OPE&order_by=path&sort=desc"),
        ["open"]
    );
    let query = format!("skip_groups[]={public}&visibility=public");
    assert_eq!(listed_paths(&anonymous, &query), ["below"]);
    let below = format!("/api/v4/groups/{public}/subgroups");
    assert_eq!(column(&anonymous, &below, "full_path"), ["open/below"]);
    let below = format!("/api/v4/groups/{public}/descendant_groups");
    assert_eq!(column(&anonymous, &below, "full_name"), ["Open / Below"]);
    for (query, error) in [
        (
            "order_by=size&min_access_level=5",
            "min_access_level does not have a valid value, order_by does not have a valid value",
        ),
        (
            "custom_attributes[a]=b",
            "custom_attributes is a filter that this server does not support: leave it out",
        ),
    ] {
        let answer = dev.get(&format!("/api/v4/groups?{query}"));
        answer.assert_is(400, &json!({ "error": error }));
    }
}

/// PAGE-05, PAGE-06.
#[test]
fn callers_without_credentials_walk_groups_by_name() {
    let server = TestServer::start();
    let dev = server.developer();
    for name in ["Beta", "alpha", "Gamma", "delta"] {
        create_group(&dev, name, None, "public");
    }
    let anonymous = server.anonymous();
    let mut next =
        Some("/api/v4/groups?pagination=keyset&order_by=name&sort=asc&per_page=2".to_owned());
    let mut walked = Vec::new();
    while let Some(path) = next {
        let page = anonymous.get(&path);
        let rows = page.json();
        let rows = rows.as_array().unwrap().iter();
        walked.extend(rows.map(|row| row["name"].as_str().unwrap().to_owned()));
        assert_eq!(page.header("x-total"), None);
        let link = page.header("link");
        next = link.map(|link| {
            let (url, rest) = link.split_once('>').unwrap();
            assert_eq!(rest, "; rel=\"next\"");
            url.trim_start_matches('<').replace(server.base_url(), "")
        });
    }
    assert_eq!(walked, ["alpha", "Beta", "delta", "Gamma"]);
    let by_key = "/api/v4/groups?pagination=keyset";
    assert_eq!(dev.get(by_key).status, 405, "only without credentials");
    assert_eq!(anonymous.get(&format!("{by_key}&order_by=id")).status, 405);
    assert_eq!(anonymous.get(&format!("{by_key}&sort=desc")).status, 405);
    let broken = anonymous.get(&format!("{by_key}&cursor=x"));
    broken.assert_is(
        400,
        &json!({ "error": "cursor does not have a valid value" }),
    );
    assert_eq!(
        anonymous.get("/api/v4/groups?page=501&per_page=100").status,
        405
    );
    assert_eq!(dev.get("/api/v4/groups?page=501&per_page=100").status, 200);
}

/// PATH-01.
#[test]
fn namespaces_are_ones_own_and_ones_groups() {
    let (server, [public, ..]) = server_with_groups();
    let dev = server.developer();
    let list = |query: &str| column(&dev, &format!("/api/v4/namespaces?{query}"), "full_path");
    assert_eq!(
        list(""),
        ["dev", "acme", "open", "inside", "closed", "open/below"]
    );
    assert_eq!(list("owned_only=true&search=OW"), ["open/below"]);
    assert_eq!(server.anonymous().get("/api/v4/namespaces").status, 401);
    let reporter = server.reporter();
    for (path, status) in [("open", 200), ("dev", 200), ("closed", 404), ("4711", 404)] {
        let found = reporter.get(&format!("/api/v4/namespaces/{path}"));
        assert_eq!(found.status, status, "{path}");
    }
    let found = reporter
        .get(&format!("/api/v4/namespaces/{public}"))
        .expect(200);
    assert_eq!(
        (&found["kind"], &found["full_path"]),
        (&json!("group"), &json!("open"))
    );
    let projects = format!("/api/v4/groups/{public}/projects?include_subgroups=true");
    for (name, namespace) in [("One", public), ("Two", public)] {
        let body = json!({ "name": name, "namespace_id": namespace, "visibility": "public" });
        dev.post("/api/v4/projects", &body).expect(201);
    }
    assert_eq!(
        column(&server.anonymous(), &projects, "path"),
        ["two", "one"]
    );
}
