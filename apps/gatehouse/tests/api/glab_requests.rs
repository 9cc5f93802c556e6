//! Requests of the command line client glab, as its commands send them. The program itself is in no package registry.

use api_conventions::time::{CalendarDate, Timestamp};
use serde_json::{Value, json};

use crate::support::TestServer;

/// Query of `glab issue list` without flags.
const ISSUES: &str =
    "in=title%2Cdescription&order_by=created_at&page=1&per_page=30&sort=desc&state=opened";

/// Checks the fields of a token that the client reads, with its types: it refuses a time or a date in another form.
#[track_caller]
fn assert_token(token: &Value) {
    let is_date = |value: &Value| value.as_str().and_then(CalendarDate::parse).is_some();
    let is_time = |value: &Value| value.as_str().and_then(Timestamp::parse_rfc3339).is_some();
    assert!(token["id"].is_i64() && token["name"].is_string(), "{token}");
    assert!(
        token["active"].is_boolean() && token["revoked"].is_boolean(),
        "{token}"
    );
    assert!(
        is_time(&token["created_at"]) && token["scopes"].is_array(),
        "{token}"
    );
    assert!(
        token["expires_at"].is_null() || is_date(&token["expires_at"]),
        "{token}"
    );
    let used = &token["last_used_at"];
    assert!(used.is_null() || is_time(used), "{token}");
}

#[test]
fn commands_of_glab_get_what_they_list() {
    let server = TestServer::start();
    let admin = server.admin();
    let issues = server.below_project("/issues");
    for title in ["first", "second"] {
        admin.post(&issues, &json!({ "title": title })).expect(201);
    }
    // glab auth status
    let me = admin.get("/api/v4/user").expect(200);
    assert_eq!(me["username"], "root");
    // glab issue list, with and without --assignee=@me, --not-author and --group
    let project = "/api/v4/projects/acme%2Fweb-shop";
    let titles = |path: &str| {
        let listed = admin.get(path).list();
        let titles = listed.iter().map(|issue| issue["title"].as_str().unwrap());
        titles.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        titles(&format!("{project}/issues?{ISSUES}")),
        "second first"
    );
    let mine = format!("{project}/issues?assignee_id={}&{ISSUES}", me["id"]);
    assert_eq!(titles(&mine), "");
    let others = format!("{project}/issues?{ISSUES}&not%5Bauthor_id%5D={}", me["id"]);
    assert_eq!(titles(&others), "");
    assert_eq!(
        titles(&format!("/api/v4/groups/acme/issues?{ISSUES}")),
        "second first"
    );
    // glab repo list, which prints the totals of the headers, and the same with --user, --member and --group
    let page = "order_by=last_activity_at&page=1&per_page=30";
    let group = admin.get("/api/v4/groups/acme").expect(200)["id"].clone();
    for path in [
        format!("/api/v4/projects?{page}&owned=true"),
        format!("/api/v4/projects?membership=true&{page}"),
        format!("/api/v4/users/root/projects?{page}"),
        format!("/api/v4/groups/{group}/projects?include_subgroups=true&{page}"),
    ] {
        let answer = admin.get(&path);
        let header = |name: &str| answer.header(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(header("x-total"), answer.list().len(), "{path}");
        assert_eq!(
            (header("x-page"), header("x-total-pages")),
            (1, 1),
            "{path}"
        );
        for one in answer.list() {
            assert!(one["path_with_namespace"].is_string(), "{one}");
            assert!(
                one["description"].is_string() || one["description"].is_null(),
                "{one}"
            );
        }
    }
    // glab token create and glab token list, of a project, a group and a user
    let fields = json!({
        "name": "glab", "scopes": ["read_api"], "access_level": 30, "expires_at": expiry(),
    });
    for place in [project, "/api/v4/groups/acme"] {
        let path = format!("{place}/access_tokens");
        assert_token(&admin.post(&path, &fields).expect(201));
        let listed = admin.get(&format!("{path}?per_page=100")).list();
        assert_eq!(listed.len(), 1, "{place}");
        assert_token(&listed[0]);
        assert_eq!(listed[0]["access_level"], 30);
    }
    let own = format!(
        "/api/v4/personal_access_tokens?per_page=100&user_id={}",
        me["id"]
    );
    let own = admin.get(&own).list();
    assert!(!own.is_empty());
    own.iter().for_each(assert_token);
    let found = admin.get("/api/v4/users?username=dev").list();
    assert_eq!((found.len(), &found[0]["username"]), (1, &json!("dev")));
}

/// A day on which tokens of the test end.
fn expiry() -> String {
    use api_conventions::time::Clock as _;
    let now = gatehouse_core::clock::SystemClock.now();
    now.plus_seconds(30 * 86_400).date().to_string()
}
