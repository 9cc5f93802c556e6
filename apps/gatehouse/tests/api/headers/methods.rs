//! Methods of each path, as its operations declare them (`API-09`).

use std::collections::BTreeMap;

use gatehouse::areas::api_help::declarations;
use serde_json::{Value, json};
use web_conventions::operations::Access;

use crate::support::TestServer;

/// A server of the last release that has all operations: later ones have no registration tokens of runners.
fn start() -> TestServer {
    TestServer::start_configured("[api]\nrelease = \"16.11\"\n")
}

/// A declared path.
struct DeclaredPath {
    /// The path with resources of the demo in place of its parameters.
    filled: String,
    /// Query of a request for it: a stream ends with what is known.
    query: &'static str,
    /// The value of `Allow`.
    allowed: String,
    /// True for paths of the API, of alert intake or of health, whose refusals have the body of the API.
    speaks_json: bool,
    /// True if the path only receives forms of pages, so that a browser finds nothing there.
    is_form: bool,
}

impl DeclaredPath {
    fn has(&self, method: &str) -> bool {
        self.allowed.split(", ").any(|one| one == method)
    }
}

/// Every path of the program, with its methods in the order of `Allow`.
fn paths(server: &TestServer) -> Vec<DeclaredPath> {
    let mut found: BTreeMap<&'static str, (Vec<String>, bool, bool)> = BTreeMap::new();
    for declared in declarations() {
        let paths = declared.aliases.iter().chain([&declared.path]);
        for path in paths {
            let (methods, speaks_json, is_of_pages) = found.entry(*path).or_default();
            methods.push(declared.method.to_string());
            let is_page = matches!(declared.access, Access::Page(_));
            *is_of_pages = is_page;
            *speaks_json = !is_page && !path.starts_with("/oauth/") && !path.starts_with("/.well");
        }
    }
    let paths = found.into_iter();
    paths
        .map(|(path, (methods, speaks_json, is_of_pages))| {
            let has = |method: &&str| methods.iter().any(|one| one == method);
            let listed = ["GET", "POST", "PUT", "PATCH", "DELETE"];
            let mut allowed = vec!["OPTIONS"];
            for method in listed.into_iter().filter(has) {
                allowed.push(method);
                allowed.extend((method == "GET").then_some("HEAD"));
            }
            let is_stream = path.ends_with("/stream");
            DeclaredPath {
                filled: filled(server, path),
                query: if is_stream { "?duration=0" } else { "" },
                is_form: is_of_pages && !has(&"GET"),
                allowed: allowed.join(", "),
                speaks_json,
            }
        })
        .collect()
}

/// A path with resources of the demo in place of its parameters.
fn filled(server: &TestServer, path: &str) -> String {
    let project = server.project();
    path.replace("/projects/{id}", &format!("/projects/{project}"))
        .replace("{*project}", "acme/web-shop")
        .replace("{iid}", "1")
        .replace("{name}", "none")
        .split('/')
        .map(|segment| {
            if segment.starts_with('{') {
                "1"
            } else {
                segment
            }
        })
        .collect::<Vec<_>>()
        .join("/")
}

/// Body of a refusal at a path. Programs that report errors read it in their own format.
fn refusal_at(path: &str) -> Value {
    let sentence = "405 Not Allowed";
    if path.contains("/collector/") {
        json!({ "detail": sentence, "causes": [] })
    } else {
        json!({ "error": sentence })
    }
}

/// API-09, D25. Secrets are sent only in bodies, so an endpoint that takes one has no GET.
#[test]
fn a_method_that_a_path_lacks_is_refused_with_those_that_it_has() {
    let server = start();
    let mut wrong = Vec::new();
    for path in paths(&server) {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
            if path.has(method) {
                continue;
            }
            let answer = server.developer().send(method, &path.filled, b"");
            if path.is_form && ["GET", "HEAD"].contains(&method) {
                if answer.status != 404 {
                    wrong.push(format!("{method} {}: {}", path.filled, answer.status));
                }
                continue;
            }
            let allowed = answer.header("allow");
            let is_right = answer.status == 405 && allowed == Some(&path.allowed);
            let is_reported =
                !path.speaks_json || method == "HEAD" || answer.json() == refusal_at(&path.filled);
            if !is_right || !is_reported || answer.header("location").is_some() {
                let (name, expected) = (&path.filled, &path.allowed);
                wrong.push(format!(
                    "{method} {name}: {} {allowed:?}, not {expected}",
                    answer.status
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/introspect"] {
        let all = paths(&server);
        let found = all.iter().find(|one| one.filled == path).unwrap();
        assert_eq!(found.allowed, "OPTIONS, POST", "{path}");
    }
}

#[test]
fn options_lists_the_allowed_methods_without_authentication() {
    let server = start();
    for path in paths(&server) {
        let answer = server.anonymous().send("OPTIONS", &path.filled, b"");
        let found = (answer.status, answer.body.len(), answer.header("allow"));
        assert_eq!(found, (204, 0, Some(&*path.allowed)), "{}", path.filled);
    }
}

#[test]
fn head_is_get_without_the_body() {
    let server = start();
    let mut compared = 0;
    for path in paths(&server) {
        if !path.has("HEAD") {
            continue;
        }
        let name = &format!("{}{}", path.filled, path.query);
        let head = server.developer().send("HEAD", name, b"");
        let get = server.developer().get(name);
        assert_eq!((head.status, head.body.len()), (get.status, 0), "{name}");
        for header in ["content-type", "content-length", "etag", "link", "x-total"] {
            if path.speaks_json {
                assert_eq!(
                    head.header(header),
                    get.header(header),
                    "{header} of {name}"
                );
            }
        }
        compared += usize::from(get.status == 200);
    }
    assert!(compared > 12, "{compared}");
}

/// A redirect would turn a POST into a GET.
#[test]
fn a_trailing_slash_does_not_change_the_status() {
    let server = start();
    for path in paths(&server) {
        if path.has("GET") {
            let (name, query) = (&path.filled, path.query);
            let plain = server.developer().get(&format!("{name}{query}"));
            let slashed = server.developer().get(&format!("{name}/{query}"));
            assert_eq!(slashed.status, plain.status, "{name}");
        }
    }
}
