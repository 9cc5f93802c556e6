//! Errors of an external tracker (`ERR-06`): one server reads and changes those of another.

mod changes;
mod failures;
mod settings;

use serde_json::{Value, json};

use super::below;
use crate::support::{TestCaller, TestServer};

/// Allows tests to connect a server to trackers on the loopback network.
const LOOPBACK: &str = "[errors]\nallowed_networks = \"127.0.0.0/8\"\n";

/// A server whose project reads its errors from the demo's project of another server.
struct ConnectedServers {
    near: TestServer,
    far: TestServer,
}

impl ConnectedServers {
    fn start() -> Self {
        let servers = Self {
            near: TestServer::start_configured(LOOPBACK),
            far: TestServer::start(),
        };
        let token = servers.far.text("/developer/token").to_owned();
        connect(
            &servers.near,
            &format!("{}/api/0/projects/acme/web-shop", servers.far.base_url()),
            &token,
        );
        servers
    }
}

/// Connects the demo's project to a tracker.
#[track_caller]
fn connect(server: &TestServer, api_url: &str, token: &str) -> Value {
    let body = json!({ "api_url": api_url, "token": token });
    let path = below(server, "/external_tracker");
    server.admin().put(&path, &body).expect(200)
}

/// The titles of a list.
#[track_caller]
fn titles(caller: &TestCaller, path: &str) -> Vec<String> {
    let list = caller.get(path).list().into_iter();
    list.map(|error| error["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_list_is_that_of_the_other_server() {
    let servers = ConnectedServers::start();
    let (near, far) = (servers.near.reporter(), servers.far.reporter());
    for query in [
        "",
        "?order_by=first_seen",
        "?order_by=id",
        "?order_by=frequency",
        "?order_by=users",
        "?level=warning",
        "?environment=production",
        "?environment=nowhere",
        "?release=web-shop@1.5.0",
        "?tags[]=browser:Firefox%20128.0",
        "?search=price",
        "?status=all",
        "?status=resolved",
        "?last_seen_after=2020-01-01T00:00:00Z",
        "?last_seen_after=2100-01-01T00:00:00Z",
        "?first_seen_before=2020-01-01T00:00:00Z",
        "?pagination=keyset",
    ] {
        let path = below(&servers.near, &format!("/errors{query}"));
        let other = path.replace("?pagination=keyset", "");
        assert_eq!(titles(&near, &path), titles(&far, &other), "{query}");
    }
    let of = |caller: &TestCaller, server: &TestServer| {
        let mut first = caller.get(&below(server, "/errors")).list().remove(0);
        let fields = [
            "web_url",
            "external_url",
            "location",
            "platform",
            "regressed_at",
        ];
        let fields = fields.map(|name| first[name].take());
        (first, fields)
    };
    let (shown, [web_url, external_url, ..]) = of(&near, &servers.near);
    let (there, [page, ..]) = of(&far, &servers.far);
    assert_eq!(shown, there);
    assert_eq!(external_url, page);
    let own = format!(
        "{}/acme/web-shop/-/error_tracking/",
        servers.near.base_url()
    );
    assert!(web_url.as_str().unwrap().starts_with(&own), "{web_url}");
    for query in [
        "?assignee_id=1",
        "?sort=asc",
        "?page=2",
        "?pagination=keyset&id_after=1",
        "?tags[]=a%20b:c",
    ] {
        let path = below(&servers.near, &format!("/errors{query}"));
        near.get(&path).expect(400);
    }
    // A cursor of the tracker is not valid for a list of this server.
    let path = below(&servers.far, "/errors?cursor=0:20:0");
    far.get(&path).expect(400);
}

#[test]
fn pages_follow_each_other_by_the_link_in_the_header() {
    let servers = ConnectedServers::start();
    let caller = servers.near.reporter();
    let all = titles(&caller, &below(&servers.near, "/errors?status=all"));
    let mut path = below(&servers.near, "/errors?status=all&per_page=2");
    let mut seen = Vec::new();
    for has_next in [true, false] {
        let answer = caller.get(&path);
        seen.extend(titles(&caller, &path));
        let link = answer.header("link").unwrap();
        let relations: Vec<&str> = link.split(", ").collect();
        let next = relations.iter().find(|link| link.contains("rel=\"next\""));
        assert_eq!(next.is_some(), has_next, "{link}");
        assert_eq!(link.contains("rel=\"prev\""), !has_next, "{link}");
        if let Some(next) = next {
            let (url, _) = next.trim_start_matches('<').split_once('>').unwrap();
            path = url.trim_start_matches(servers.near.base_url()).to_owned();
        }
    }
    assert_eq!(seen, all);
}

#[test]
fn an_error_and_its_events_are_those_of_the_other_server() {
    let servers = ConnectedServers::start();
    let (near, far) = (servers.near.reporter(), servers.far.reporter());
    let get = |caller: &TestCaller, server: &TestServer, rest: &str| {
        caller
            .get(&below(server, &format!("/errors/1{rest}")))
            .expect(200)
    };
    let (shown, there) = (get(&near, &servers.near, ""), get(&far, &servers.far, ""));
    for name in [
        "title",
        "culprit",
        "level",
        "status",
        "count",
        "user_count",
        "tags",
        "frequency",
    ] {
        assert_eq!(shown[name], there[name], "{name}");
    }
    assert_eq!(shown["grouping"], json!([]));
    let event = |json: &Value| json["latest_event"]["event_id"].clone();
    assert_eq!(event(&shown), event(&there));
    for position in ["latest", "oldest"] {
        let rest = format!("/events/{position}");
        let (shown, there) = (
            get(&near, &servers.near, &rest),
            get(&far, &servers.far, &rest),
        );
        assert_eq!(shown["event_id"], there["event_id"]);
        let neighbours = ["previous_event_id", "next_event_id"];
        for name in neighbours {
            assert_eq!(shown[name], there[name], "{name}");
        }
        for name in ["exceptions", "breadcrumbs", "request", "user"] {
            assert_eq!(shown["report"][name], there["report"][name], "{name}");
        }
    }
    for rest in [
        "/errors/999",
        "/errors/999/events/latest",
        "/errors/1/events/none",
    ] {
        near.get(&below(&servers.near, rest)).expect(404);
    }
    // Features that the tracker's API lacks are refused, and events collected here earlier are not shown in their
    // place.
    for rest in ["/errors/1/events", "/errors/1/comments"] {
        near.get(&below(&servers.near, rest)).expect(400);
    }
}

#[test]
fn an_error_of_another_project_is_not_shown_although_the_token_sees_it() {
    let servers = ConnectedServers::start();
    servers.far.create_project("acme/other", "private", "dev");
    let token = servers.far.text("/developer/token").to_owned();
    let api_url = format!("{}/api/0/projects/acme/other", servers.far.base_url());
    connect(&servers.near, &api_url, &token);
    assert_eq!(
        titles(
            &servers.near.reporter(),
            &below(&servers.near, "/errors?status=all")
        ),
        [""; 0]
    );
    let path = below(&servers.near, "/errors/1");
    servers.near.developer().get(&path).expect(404);
    let resolve = json!({ "status": "resolved" });
    servers.near.developer().put(&path, &resolve).expect(404);
    let there = servers
        .far
        .developer()
        .get(&below(&servers.far, "/errors/1"));
    assert_eq!(there.expect(200)["status"], "unresolved");
}
