//! `/api/v4/projects`: visibility, filters and orders.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{redacted, snapshot_of};
use crate::support::pages::column;
use crate::support::{TestCaller, TestServer, rows};

/// The names that a caller lists, in alphabetical order.
fn listed_paths(caller: &TestCaller, query: &str) -> Vec<String> {
    let path = format!("/api/v4/projects?order_by=path&sort=asc&{query}");
    column(caller, &path, "path_with_namespace")
}

/// A server with one more project of each visibility, all owned by `dev`.
fn server_with_projects() -> TestServer {
    let server = TestServer::start();
    server.create_project("tools/hammer", "private", "dev");
    server.create_project("tools/inner", "internal", "dev");
    server.create_project("tools/open", "public", "dev");
    server
}

/// PATH-01.
#[test]
fn anonymous_callers_list_public_projects_in_simple_form() {
    let server = TestServer::start();
    server.create_project("tools/open", "public", "dev");
    let answer = server.anonymous().get("/api/v4/projects");
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": [
        {
          "avatar_url": null,
          "created_at": "[time]",
          "default_branch": null,
          "description": null,
          "forks_count": 0,
          "http_url_to_repo": "{base}/tools/open.git",
          "id": 2,
          "last_activity_at": "[time]",
          "name": "open",
          "name_with_namespace": "tools / open",
          "namespace": {
            "avatar_url": null,
            "full_path": "tools",
            "id": 6,
            "kind": "group",
            "name": "tools",
            "parent_id": null,
            "path": "tools",
            "web_url": "{base}/groups/tools"
          },
          "path": "open",
          "path_with_namespace": "tools/open",
          "readme_url": null,
          "ssh_url_to_repo": "git@127.0.0.1:tools/open.git",
          "star_count": 0,
          "tag_list": [],
          "topics": [],
          "web_url": "{base}/tools/open"
        }
      ],
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "gatehouse-deprecated": "15-8-operations-access-level",
        "link": "<{base}/api/v4/projects?page=1&per_page=20>; rel=\"first\", <{base}/api/v4/projects?page=1&per_page=20>; rel=\"last\"",
        "vary": "Origin, Gatehouse-Release",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-next-page": "",
        "x-page": "1",
        "x-per-page": "20",
        "x-prev-page": "",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]",
        "x-total": "1",
        "x-total-pages": "1"
      },
      "status": 200
    }
    "#);
}

/// PATH-01, API-16, AUTH-10.
#[test]
fn callers_list_only_projects_visible_to_them() {
    let server = server_with_projects();
    assert_eq!(listed_paths(&server.anonymous(), ""), ["tools/open"]);
    assert_eq!(
        listed_paths(&server.stranger("sam"), ""),
        ["tools/inner", "tools/open"]
    );
    assert_eq!(
        listed_paths(&server.reporter(), ""),
        ["tools/inner", "tools/open", "acme/web-shop"]
    );
    let all = ["tools/hammer", "tools/inner", "tools/open", "acme/web-shop"];
    assert_eq!(listed_paths(&server.developer(), ""), all);
    assert_eq!(listed_paths(&server.admin(), ""), all);
}

/// PATH-01.
#[test]
fn filters_narrow_the_list() {
    let server = server_with_projects();
    server.create_project("dev/notes", "private", "dev");
    let dev = server.developer();
    assert_eq!(listed_paths(&dev, "visibility=public"), ["tools/open"]);
    assert_eq!(listed_paths(&dev, "visibility=internal"), ["tools/inner"]);
    assert_eq!(listed_paths(&dev, "search=SHOP"), ["acme/web-shop"]);
    assert_eq!(listed_paths(&dev, "search=no+such+thing").len(), 0);
    let owned = ["tools/hammer", "tools/inner", "dev/notes", "tools/open"];
    assert_eq!(listed_paths(&dev, "owned=true"), owned);
    assert_eq!(listed_paths(&server.anonymous(), "owned=true").len(), 0);
    assert_eq!(
        listed_paths(&dev, "min_access_level=40"),
        ["tools/hammer", "tools/inner", "dev/notes", "tools/open"]
    );
    assert_eq!(listed_paths(&dev, "min_access_level=30").len(), 5);
    assert_eq!(
        listed_paths(&server.reporter(), "membership=true"),
        ["acme/web-shop"]
    );
    assert_eq!(
        listed_paths(&server.reporter(), "membership=false"),
        ["tools/inner", "tools/open", "acme/web-shop"]
    );
    let first = server.project();
    assert_eq!(listed_paths(&dev, &format!("id_after={first}")).len(), 4);
    assert_eq!(listed_paths(&dev, &format!("id_before={first}")).len(), 0);
}

/// PATH-01.
#[test]
fn the_list_is_sorted_as_requested_and_newest_first_by_default() {
    let server = server_with_projects();
    let dev = server.developer();
    let order = |query: &str| column(&dev, &format!("/api/v4/projects?{query}"), "path");
    let newest_first = ["open", "inner", "hammer", "web-shop"];
    assert_eq!(order(""), newest_first);
    assert_eq!(order("order_by=id"), newest_first);
    assert_eq!(order("order_by=created_at&sort=desc"), newest_first);
    assert_eq!(
        order("order_by=id&sort=asc"),
        ["web-shop", "hammer", "inner", "open"]
    );
    assert_eq!(
        order("order_by=path&sort=desc"),
        ["web-shop", "open", "inner", "hammer"]
    );
    assert_eq!(
        order("order_by=name&sort=asc"),
        ["hammer", "inner", "open", "web-shop"]
    );
    // Activity is recorded once an hour.
    let long_ago = "UPDATE projects SET last_activity_at = last_activity_at - 7200000000";
    rows::change(&server, long_ago);
    assert_eq!(order("order_by=last_activity_at"), newest_first);
    server.raise(&json!({ "title": "activity" }));
    assert_eq!(order("order_by=last_activity_at")[0], "web-shop");
}

/// PATH-01.
#[test]
fn the_short_form_is_given_on_request() {
    let server = TestServer::start();
    let short = server.developer().get("/api/v4/projects?simple=true");
    assert!(short.expect(200)[0].get("_links").is_none());
    let whole = server.developer().get("/api/v4/projects?simple=false");
    assert!(whole.expect(200)[0].get("_links").is_some());
}

#[test]
fn wrong_values_are_reported_together() {
    let server = TestServer::start();
    let query =
        "visibility=secret&owned=perhaps&min_access_level=31&id_after=x&order_by=size&sort=up";
    let answer = server.developer().get(&format!("/api/v4/projects?{query}"));
    let problems = [
        "visibility does not have a valid value",
        "owned is invalid",
        "min_access_level does not have a valid value",
        "id_after is invalid",
        "order_by does not have a valid value",
        "sort does not have a valid value",
    ];
    answer.assert_is(400, &json!({ "error": problems.join(", ") }));
}

/// PATH-01. A filter that narrows is never ignored: a client that acts on the list would act on everything.
#[test]
fn a_filter_that_is_not_built_is_refused_where_it_narrows() {
    let server = TestServer::start();
    let ask = |query: &str| server.developer().get(&format!("/api/v4/projects?{query}"));
    for query in [
        "imported=1",
        "repository_checksum_failed=true",
        "starred=yes",
        "wiki_checksum_failed=true",
        "topic_id=1",
        "with_programming_language=Rust",
        "custom_attributes[a]=b",
        "repository_storage=default",
    ] {
        let (name, _) = query.split_once(['=', '[']).unwrap();
        let text = format!("{name} is a filter that this server does not support: leave it out");
        ask(query).assert_is(400, &json!({ "error": text }));
    }
    let all = server.developer().get("/api/v4/projects").json();
    for query in [
        "archived=false",
        "starred=false",
        "search_namespaces=0",
        "with_issues_enabled=false",
        "with_issues_enabled=true",
        "topic=",
        "statistics=true",
    ] {
        ask(query).assert_is(200, &all);
    }
    ask("archived=perhaps").assert_is(400, &json!({ "error": "archived is invalid" }));
}

/// PATH-01.
#[test]
fn activity_narrows_the_list() {
    let server = server_with_projects();
    let change = "UPDATE projects SET last_activity_at = 1714564800000000 WHERE path = 'hammer'";
    rows::change(&server, change);
    let dev = server.developer();
    let hammer = ["tools/hammer"];
    assert_eq!(
        listed_paths(&dev, "last_activity_before=2024-05-02"),
        hammer
    );
    assert_eq!(
        listed_paths(&dev, "last_activity_before=2024-05-01T12:00:00Z").len(),
        0
    );
    assert_eq!(
        listed_paths(&dev, "last_activity_before=2024-05-01T12:00:00.001Z"),
        hammer
    );
    assert_eq!(
        listed_paths(&dev, "last_activity_after=2024-05-01T12:00:00Z").len(),
        3
    );
    let wrong = dev.get("/api/v4/projects?last_activity_after=yesterday");
    wrong.assert_is(400, &json!({ "error": "last_activity_after is invalid" }));
}

/// PATH-01. In lists of any length and for a single project, in both forms.
#[test]
fn the_name_with_its_namespaces_has_the_names_of_all() {
    let server = TestServer::start();
    for path in ["a/b/c/one", "a/b/two", "x/y/three"] {
        server.create_project(path, "public", "dev");
    }
    let names = "UPDATE namespaces SET name = 'The ' || path";
    rows::change(&server, names);
    let path = "/api/v4/projects?order_by=id&sort=asc";
    let expected = [
        "The a / The b / The c / one",
        "The a / The b / two",
        "The x / The y / three",
    ];
    let mut everywhere = vec!["The acme / Web shop"];
    everywhere.extend(expected);
    let response = |caller: &TestCaller| column(caller, path, "name_with_namespace");
    assert_eq!(response(&server.anonymous()), expected);
    assert_eq!(response(&server.developer()), everywhere);
    for caller in [server.anonymous(), server.developer()] {
        let shown = caller.get("/api/v4/projects/a%2Fb%2Fc%2Fone").expect(200);
        assert_eq!(shown["name_with_namespace"], expected[0]);
    }
}
