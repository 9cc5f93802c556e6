//! A client's script against several editions: they differ in announced changes, and in nothing else (`DEPR-04`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::HEADER;
use crate::support::{TestCaller, TestServer};

const COMMIT: &str = "4a1f3c0e5b6d7a8990c1b2d3e4f5a6b7c8d9e0f1";

/// The steps of the script, by name: the method, the path below the project, and the body.
fn steps() -> Vec<(&'static str, &'static str, String, Value)> {
    let status = format!("/statuses/{COMMIT}");
    let long = json!({"state": "success", "name": "lint", "description": "d".repeat(300)});
    let since = "updated_after=2023-01-01T00:00:00Z";
    vec![
        ("project", "GET", String::new(), Value::Null),
        (
            "settings",
            "GET",
            "/error_tracking/settings".to_owned(),
            Value::Null,
        ),
        (
            "replaced settings",
            "PUT",
            "/error_tracking/settings".to_owned(),
            json!({"active": true, "integrated": true}),
        ),
        (
            "client keys",
            "GET",
            "/error_tracking/client_keys".to_owned(),
            Value::Null,
        ),
        ("a long description", "POST", status.clone(), long),
        (
            "a status",
            "POST",
            status,
            json!({"state": "success", "name": "build"}),
        ),
        (
            "a short search",
            "GET",
            "/environments?search=pr".to_owned(),
            Value::Null,
        ),
        (
            "a search",
            "GET",
            "/environments?search=pro".to_owned(),
            Value::Null,
        ),
        (
            "changed deployments",
            "GET",
            format!("/deployments?{since}"),
            Value::Null,
        ),
        (
            "changed deployments in order",
            "GET",
            format!("/deployments?{since}&order_by=updated_at"),
            Value::Null,
        ),
        (
            "jobs by key",
            "GET",
            "/jobs?pagination=keyset&order_by=id&sort=desc".to_owned(),
            Value::Null,
        ),
        ("issues", "GET", "/issues".to_owned(), Value::Null),
    ]
}

/// The result of each step: the status, and the names of the fields of an object.
fn play(server: &TestServer, caller: &TestCaller) -> BTreeMap<&'static str, String> {
    let results = steps().into_iter().map(|(name, method, rest, body)| {
        let path = server.below_project(&rest);
        let answer = match (method, &body) {
            ("GET", _) => caller.get(&path),
            ("PUT", body) => caller.put(&path, body),
            (_, body) => caller.post(&path, body),
        };
        let fields = match serde_json::from_slice(&answer.body) {
            Ok(Value::Object(fields)) if answer.status < 400 => {
                let names: Vec<String> = fields.keys().cloned().collect();
                format!(" {}", names.join(","))
            }
            _ => String::new(),
        };
        (name, format!("{}{fields}", answer.status))
    });
    results.collect()
}

/// The steps with different results, each with its status in both editions.
fn differences(
    old: &BTreeMap<&'static str, String>,
    new: &BTreeMap<&'static str, String>,
) -> Vec<String> {
    let differing = old.iter().filter(|(name, result)| new[*name] != **result);
    let shown =
        differing.map(|(name, result)| format!("{name}: {} {}", &result[..3], &new[name][..3]));
    shown.collect()
}

#[test]
fn releases_differ_only_in_announced_changes() {
    let server = TestServer::start();
    let at = |edition: &str| play(&server, &server.admin().with(HEADER, edition));
    let [oldest, old, major, later, preview] = ["14.1", "15.9", "16.0", "17.0", "v5"].map(at);
    assert_eq!(
        differences(&oldest, &old),
        [
            "client keys: 404 200",
            "jobs by key: 405 200",
            "settings: 200 200"
        ]
    );
    assert_eq!(
        differences(&old, &major),
        [
            "a long description: 201 400",
            "a short search: 200 400",
            "changed deployments: 200 400",
            "replaced settings: 405 200",
        ]
    );
    assert_eq!(differences(&major, &later), ["project: 200 200"]);
    let rest = major["project"].replace(",runners_token", "");
    assert_eq!(rest, later["project"]);
    assert_eq!(differences(&later, &preview), ["project: 200 200"]);
    let fields = |result: &str| result.replace(",operations_access_level", "");
    assert_eq!(fields(&later["project"]), preview["project"]);
    assert_eq!(
        later["settings"].replace("integrated,", ""),
        oldest["settings"]
    );
    let newest = play(&server, &server.admin());
    assert_eq!(
        differences(&later, &newest),
        [""; 0],
        "the server runs as the newest"
    );
}
