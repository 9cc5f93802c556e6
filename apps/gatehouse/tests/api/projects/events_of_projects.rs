//! `/api/v4/events?scope=all`: events of all projects of the caller, and the filters that the feeds of users share.

use serde_json::{Value, json};

use crate::support::rows::{change, number};
use crate::support::{TestCaller, TestServer};

const ALL: &str = "/api/v4/events?scope=all";
const OF_MAX: &str = "/api/v4/users/max/events?";

/// A server with projects of Max: a private one in a group of which Ann is a Guest, a private one in which Ann's role
/// has expired, and a public one. Ann has a project of her own.
fn server_with_projects() -> (TestServer, [TestCaller; 2]) {
    let server = TestServer::start();
    let [max, ann] = ["max", "ann"].map(|name| server.stranger(name));
    let create = |caller: &TestCaller, path: &str, body: &Value| {
        caller.post(&format!("/api/v4{path}"), body).expect(201)
    };
    let club = json!({ "name": "club", "path": "club", "visibility": "private" });
    let club = create(&max, "/groups", &club)["id"].clone();
    let ann_as = |level: i64| json!({ "username": "ann", "access_level": level, "expires_at": "2999-01-01" });
    create(&max, "/groups/club/members", &ann_as(10));
    let project = |name: &str, visibility: &str| json!({ "name": name, "path": name, "visibility": visibility });
    let mut inner = project("inner", "private");
    inner["namespace_id"] = club;
    create(&max, "/projects", &inner);
    for (name, visibility) in [("over", "private"), ("open", "public")] {
        create(&max, "/projects", &project(name, visibility));
    }
    create(&max, "/projects/max%2Fover/members", &ann_as(30));
    // Only the events from here on stay.
    change(&server, "DELETE FROM events");
    let issues = |place: &str| format!("/projects/{place}/issues");
    let issue = |title: &str| json!({ "title": title });
    create(&max, &issues("club%2Finner"), &issue("Plan"));
    let secret = json!({ "title": "Secret", "confidential": true });
    create(&max, &issues("club%2Finner"), &secret);
    create(&max, &issues("max%2Fopen"), &issue("Public"));
    create(&max, &issues("max%2Fover"), &issue("Over"));
    create(&ann, "/projects", &project("mine", "private"));
    create(&ann, &issues("club%2Finner"), &issue("Question"));
    let plan = "/projects/club%2Finner/issues/1";
    create(&max, &format!("{plan}/notes"), &json!({ "body": "Soon" }));
    let closed = max.put(
        &format!("/api/v4{plan}"),
        &json!({ "state_event": "close" }),
    );
    closed.expect(200);
    (server, [max, ann])
}

/// Entries of a feed, in short: the author, the action, and the title.
fn feed_entries(caller: &TestCaller, path: &str) -> Vec<String> {
    let answer = caller.get(path).expect(200);
    let events = answer.as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    events
        .map(|event| {
            ["author_username", "action_name", "target_title"]
                .map(|field| word(&event[field]))
                .join(" ")
        })
        .collect()
}

/// EVT-01.
#[test]
fn a_member_lists_the_events_of_all_projects() {
    let (server, [max, ann]) = server_with_projects();
    let guest = [
        "max closed Plan",
        "max commented on Plan",
        "ann opened Question",
        "ann created -",
        "max opened Plan",
    ];
    let over = "max opened Over";
    let with_over: Vec<&str> = [&guest[..4], &[over], &guest[4..]].concat();
    assert_eq!(feed_entries(&ann, ALL), with_over);
    change(
        &server,
        "UPDATE project_members SET expires_on = 0 WHERE expires_on IS NOT NULL",
    );
    assert_eq!(feed_entries(&ann, ALL), guest);
    // Other values have no effect.
    for scope in ["mine", "All", ""] {
        let own = feed_entries(&ann, &format!("/api/v4/events?scope={scope}"));
        assert_eq!(own, guest[2..4], "{scope}");
    }
    // A user without a role anywhere has no such events, although one project is public.
    assert_eq!(feed_entries(&server.stranger("eve"), ALL), [""; 0]);
    assert_eq!(server.anonymous().get(ALL).status, 401);
    // The project of Max's namespace and the confidential issue are those of Max.
    assert_eq!(feed_entries(&max, ALL).len(), 7);
    // An administrator lists those of its own memberships.
    let of_admin = feed_entries(&server.admin(), ALL);
    assert!(!of_admin.contains(&guest[0].to_owned()), "{of_admin:?}");

    let id = number(&server, "SELECT id FROM users WHERE username = 'ann'");
    let member = format!("/api/v4/groups/club/members/{id}");
    max.put(&member, &json!({ "access_level": 20 })).expect(200);
    let reporter: Vec<&str> = [&guest[..4], &["max opened Secret"], &guest[4..]].concat();
    assert_eq!(feed_entries(&ann, ALL), reporter);
    let page = ann.get(&format!("{ALL}&per_page=4&page=2"));
    let headers = ["x-total", "x-total-pages", "x-next-page", "x-prev-page"];
    let headers = headers.map(|name| page.header(name).unwrap_or("-").to_owned());
    assert_eq!(headers, ["6", "2", "", "1"]);
    assert_eq!(page.list().len(), 2);
    max.delete(&member).expect(204);
    // The own events in a project that the caller no longer sees are hidden, too.
    assert_eq!(feed_entries(&ann, ALL), ["ann created -"]);
    max.delete("/api/v4/projects/max%2Fopen").expect(202);
    assert_eq!(feed_entries(&max, ALL).len(), 6);
}

/// EVT-04. Both named days are left out, in all feeds of users.
#[test]
fn the_filters_hold_in_the_feeds_of_all_projects_and_of_users() {
    let (server, [max, ann]) = server_with_projects();
    // Two events a day, at midnight and in the last microsecond: of 10 to 13 May.
    let first = "(SELECT min(id) FROM events)";
    let midnight = format!(
        "(CAST(strftime('%s', '2024-05-10') AS INTEGER) + (id - {first}) / 2 * 86400) * 1000000"
    );
    let last = format!("(id - {first}) % 2 * 86399999999");
    change(
        &server,
        &format!("UPDATE events SET created_at = {midnight} + {last}"),
    );
    let [plan, secret, public, over] =
        ["Plan", "Secret", "Public", "Over"].map(|title| format!("max opened {title}"));
    let [plan, secret, public, over] = [&plan, &secret, &public, &over].map(String::as_str);
    let (mine, question) = ("ann created -", "ann opened Question");
    let (note, closed) = ("max commented on Plan", "max closed Plan");
    // Max sees everything but Ann's project.
    let cases: [(&str, &[&str], &[&str]); 11] = [
        (
            "sort=asc",
            &[plan, secret, public, over, question, note, closed],
            &[plan, secret, public, over, note, closed],
        ),
        (
            "action=created",
            &[question, over, public, secret, plan],
            &[over, public, secret, plan],
        ),
        ("action=closed", &[closed], &[closed]),
        ("action=merged", &[], &[]),
        ("target_type=note", &[note], &[note]),
        (
            "target_type=issue&action=created&sort=asc",
            &[plan, secret, public, over, question],
            &[plan, secret, public, over],
        ),
        ("before=2024-05-11", &[secret, plan], &[secret, plan]),
        (
            "after=2024-05-11&sort=asc",
            &[question, note, closed],
            &[note, closed],
        ),
        (
            "after=2024-05-10&before=2024-05-13",
            &[question, over, public],
            &[over, public],
        ),
        (
            "after=2024-05-10&before=2024-05-12&sort=asc&target_type=issue",
            &[public, over],
            &[public, over],
        ),
        ("after=2024-05-12&before=2024-05-12", &[], &[]),
    ];
    for (query, of_projects, of_max) in cases {
        let all = feed_entries(&max, &format!("{ALL}&{query}"));
        assert_eq!(all, of_projects, "{query}");
        let own = feed_entries(&max, &format!("{OF_MAX}{query}"));
        assert_eq!(own, of_max, "{query}");
    }
    let of_ann = feed_entries(&ann, "/api/v4/events?after=2024-05-11&before=2024-05-13");
    assert_eq!(of_ann, [question, mine]);
    // The filters reveal nothing that is hidden from the caller.
    let open = feed_entries(&ann, &format!("{OF_MAX}action=created&sort=asc"));
    assert_eq!(open, [plan, public, over]);
    for path in [&format!("{ALL}&"), OF_MAX] {
        let wrong = ann.get(&format!(
            "{path}action=opened&target_type=epic&after=x&sort=up"
        ));
        let text = "action does not have a valid value, target_type does not have a valid value, \
                    after is invalid, sort does not have a valid value";
        wrong.assert_is(400, &json!({ "error": text }));
    }
}

/// EVT-01, PAGE-03. A caller who may not see most of the events gets an answer at bounded cost.
#[test]
fn a_feed_of_hidden_events_continues_with_a_cursor() {
    let (server, [_, ann]) = server_with_projects();
    let inner = "(SELECT id FROM projects WHERE full_path = 'club/inner')";
    change(
        &server,
        &format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) \
             INSERT INTO events (project_id, author_id, action, audience, created_at) \
             SELECT {inner}, 1, 1, 30, (SELECT MAX(created_at) FROM events) FROM n"
        ),
    );
    let hidden = ann.get(&format!("{ALL}&per_page=5"));
    assert_eq!((hidden.status, hidden.list().len()), (200, 0));
    let headers = ["x-total", "x-next-page"].map(|name| hidden.header(name));
    assert_eq!(headers, [None, Some("")]);
    let cursor = hidden.header("x-next-cursor").unwrap();
    let link = hidden.header("link").unwrap();
    assert!(link.contains("scope=all"), "{link}");
    let rest = ann.get(&format!("{ALL}&per_page=5&cursor={cursor}"));
    assert_eq!(rest.list().len(), 5);
    // From the other end, the page is full at once.
    let oldest = feed_entries(&ann, &format!("{ALL}&sort=asc&per_page=2"));
    assert_eq!(oldest, ["max opened Plan", "max opened Over"]);
}
