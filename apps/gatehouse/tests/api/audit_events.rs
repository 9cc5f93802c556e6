//! `/api/v4/audit_events`, and `audit_events` of projects and groups.

use serde_json::{Value, json};

use crate::pages::second_factor::switch_on;
use crate::releases::admin_at;
use crate::support::alertmanager::{AlertmanagerEndpoint, minutes};
use crate::support::pages::{follow, plain, rows};
use crate::support::relying_party::{RelyingPartyTokens, code_of};
use crate::support::rows::{change, number};
use crate::support::{TestCaller, TestResponse, TestServer};

const ALL: &str = "/api/v4/audit_events";
const PROJECT: &str = "/api/v4/projects/acme%2Fweb-shop";
const GROUP: &str = "/api/v4/groups/acme";

/// 2024-01-01, in microseconds.
const NEW_YEAR: i64 = 1_704_067_200_000_000;
const DAY: i64 = 86_400_000_000;

/// Inserts an entry of an entity, given by the number of its kind and its id, on a day of 2024, and returns its id.
fn insert(server: &TestServer, entity: &str, author: &str, day: i64) -> i64 {
    let time = NEW_YEAR + (day - 1) * DAY;
    change(
        server,
        &format!(
            "INSERT INTO audit_entries (entity_type, entity_id, author_id, event_name, details, created_at) \
             VALUES ({entity}, {author}, 9, '{{\"path\":\"a/b\"}}', {time})"
        ),
    );
    number(server, "SELECT max(id) FROM audit_entries")
}

/// The path of a list with the entries that [`insert`] wrote, and no others.
fn inserted(list: &str) -> String {
    format!("{list}?created_before=2024-02-01T00:00:00Z")
}

fn ids(caller: &TestCaller, path: &str) -> Vec<i64> {
    let listed = rows(caller, path).into_iter();
    listed.map(|event| event["id"].as_i64().unwrap()).collect()
}

/// Creates a user with a role in a place, and returns a caller and the user's id.
pub(crate) fn member(
    server: &TestServer,
    place: &str,
    username: &str,
    level: u8,
) -> (TestCaller, String) {
    let caller = server.stranger(username);
    let id = caller.get("/api/v4/user").expect(200)["id"].clone();
    let role = json!({ "user_id": id, "access_level": level });
    let added = server.admin().post(&format!("{place}/members"), &role);
    added.expect(201);
    (caller, id.to_string())
}

#[test]
fn managers_read_all_events_of_a_place_and_developers_their_own() {
    let server = TestServer::start();
    for (place, kind, manager) in [(PROJECT, 2, 40), (GROUP, 1, 50)] {
        let id = server.admin().get(place).expect(200)["id"].clone();
        let name = |role: &str| format!("{role}{kind}");
        let (developer, author) = member(&server, place, &name("developer"), 30);
        let (lower, _) = member(&server, place, &name("lower"), manager - 10);
        let (manager, _) = member(&server, place, &name("manager"), manager);
        let (reporter, _) = member(&server, place, &name("reporter"), 20);
        let entity = format!("{kind}, {id}");
        let by_server = insert(&server, &entity, "NULL", 1);
        let own = insert(&server, &entity, &author, 2);
        let events = format!("{place}/audit_events");
        let list = inserted(&events);
        assert_eq!(ids(&manager, &list), [own, by_server]);
        assert_eq!(ids(&server.admin(), &list), [own, by_server]);
        assert_eq!(ids(&developer, &list), [own]);
        assert!(ids(&lower, &list).is_empty());
        assert_eq!(reporter.get(&list).status, 403);
        // Others do not see a private place at all.
        let stranger = server.stranger(&name("nobody")).get(&list);
        assert!([403, 404].contains(&stranger.status), "{place}");
        assert_eq!(server.anonymous().get(&list).status, 401);
        manager.get(&format!("{events}/{by_server}")).assert_ok();
        developer.get(&format!("{events}/{own}")).assert_ok();
        developer
            .get(&format!("{events}/{by_server}"))
            .assert_is(404, &json!({ "message": "404 Audit Event Not Found" }));
    }
}

#[test]
fn an_event_of_another_place_is_not_found() {
    let server = TestServer::start();
    let admin = server.admin();
    let project = insert(&server, &format!("2, {}", server.project()), "NULL", 1);
    // A group with the id of the project is another place.
    let group = insert(&server, &format!("1, {}", server.project()), "NULL", 1);
    admin
        .get(&format!("{PROJECT}/audit_events/{project}"))
        .assert_ok();
    for path in [
        format!("{PROJECT}/audit_events/{group}"),
        format!("{GROUP}/audit_events/{project}"),
        format!("{PROJECT}/audit_events/999999"),
        format!("{PROJECT}/audit_events/first"),
        format!("{ALL}/999999"),
    ] {
        assert_eq!(admin.get(&path).status, 404, "{path}");
    }
    admin.get(&format!("{ALL}/{group}")).assert_ok();
}

#[test]
fn an_event_has_the_fields_of_the_api() {
    let server = TestServer::start();
    let admin = server.admin();
    let author = server.demo["developer"]["id"].to_string();
    let id = insert(&server, &format!("2, {}", server.project()), &author, 1);
    let name = server.developer().get("/api/v4/user").expect(200)["name"].clone();
    let project: i64 = server.project().parse().unwrap();
    let expected = json!({
        "id": id,
        "author_id": author.parse::<i64>().unwrap(),
        "entity_id": project,
        "entity_type": "Project",
        "details": {
            "event_name": "project_archived",
            "custom_message": "Project archived",
            "author_name": name,
            "author_class": "User",
            "target_id": project,
            "target_type": "Project",
            "target_details": "acme/web-shop",
            "entity_path": "acme/web-shop",
            "ip_address": null,
            "path": "a/b",
        },
        "created_at": "2024-01-01T00:00:00.000Z",
    });
    for path in [
        format!("{ALL}/{id}"),
        format!("{PROJECT}/audit_events/{id}"),
    ] {
        assert_eq!(admin.get(&path).expect(200), expected, "{path}");
    }
}

#[test]
fn administrators_filter_events_by_entity_and_time() {
    let server = TestServer::start();
    let admin = server.admin();
    let project = insert(&server, "2, 7000", "NULL", 1);
    let group = insert(&server, "1, 7000", "NULL", 2);
    let user = insert(&server, "3, 7000", "NULL", 3);
    for (query, expected) in [
        ("", &[user, group, project][..]),
        ("&entity_type=Project", &[project]),
        ("&entity_type=Group&entity_id=7000", &[group]),
        ("&entity_type=User&entity_id=7001", &[]),
        ("&created_after=2024-01-02T00:00:00Z", &[user, group]),
        ("&created_after=2024-01-02T00:00:00.000001Z", &[user]),
        (
            "&entity_type=User&created_after=2024-01-03T00:00:00Z",
            &[user],
        ),
    ] {
        let path = format!("{}{query}", inserted(ALL));
        assert_eq!(ids(&admin, &path), expected, "{query}");
    }
    let until = format!("{ALL}?created_before=2024-01-02T00:00:00Z");
    assert_eq!(ids(&admin, &until), [group, project]);
    for query in [
        "entity_id=7000",
        "entity_type=Issue",
        "entity_type=User&entity_id=first",
        "created_after=yesterday",
    ] {
        assert_eq!(admin.get(&format!("{ALL}?{query}")).status, 400, "{query}");
    }
    assert_eq!(server.developer().get(ALL).status, 403);
    assert_eq!(server.anonymous().get(ALL).status, 401);
    let one = format!("{ALL}/{project}");
    assert_eq!(server.developer().get(&one).status, 403);
}

/// PAGE-05, PAGE-06.
#[test]
fn events_are_paged_by_number_and_by_key() {
    let server = TestServer::start();
    let admin = server.admin();
    let entity = format!("2, {}", server.project());
    let mut written: Vec<i64> = (1..=5)
        .map(|day| insert(&server, &entity, "NULL", day))
        .collect();
    written.reverse();
    for list in [ALL.to_owned(), format!("{PROJECT}/audit_events")] {
        let list = inserted(&list);
        let by_number = admin.get(&format!("{list}&per_page=2&page=2"));
        assert_eq!(by_number.header("x-total"), Some("5"));
        assert_eq!(by_number.list()[0]["id"], json!(written[2]));
        let keyset = format!("{list}&pagination=keyset&order_by=id&sort=desc&per_page=2");
        let pages = follow(&admin, &keyset);
        assert_eq!(pages.len(), 3);
        let walked: Vec<i64> = pages
            .iter()
            .flat_map(TestResponse::list)
            .map(|event| event["id"].as_i64().unwrap())
            .collect();
        assert_eq!(walked, written);
        for page in &pages {
            assert_eq!(page.header("x-total"), None);
        }
        assert!(pages[0].link("next").unwrap().contains("cursor="));
        assert_eq!(pages[2].header("link"), None);
        for (query, status) in [
            ("pagination=keyset&order_by=id&sort=asc", 405),
            ("pagination=keyset&order_by=created_at", 405),
            ("pagination=keyset&cursor=first", 400),
            ("cursor=eyJpZCI6MX0", 400),
            ("order_by=created_at", 400),
        ] {
            let refused = admin.get(&format!("{list}&{query}"));
            assert_eq!(refused.status, status, "{query}");
        }
    }
}

/// Keyset pages came at different releases.
#[test]
fn keyset_pages_are_refused_by_earlier_releases() {
    let server = TestServer::start();
    for (path, before, since) in [
        (ALL.to_owned(), "15.10", "15.11"),
        (format!("{PROJECT}/audit_events"), "15.9", "15.10"),
        (format!("{GROUP}/audit_events"), "15.1", "15.2"),
    ] {
        let keyset = format!("{path}?pagination=keyset&order_by=id&sort=desc");
        assert_eq!(admin_at(&server, before).get(&keyset).status, 405, "{path}");
        admin_at(&server, since).get(&keyset).assert_ok();
        admin_at(&server, before).get(&path).assert_ok();
    }
}

/// Details of the event about a new group that a caller creates as the demo's developer.
fn details_of_a_new_group(server: &TestServer, caller: &TestCaller, path: &str) -> Value {
    let group = json!({ "name": path, "path": path });
    let created = caller.post("/api/v4/groups", &group).expect(201);
    let list = format!("/api/v4/groups/{}/audit_events", created["id"]);
    let events = rows(&server.admin(), &list).into_iter();
    let mut events = events.filter(|event| event["details"]["event_name"] == "group_created");
    let event = events.next().unwrap();
    assert_eq!(event["author_id"], server.demo["developer"]["id"]);
    event["details"].clone()
}

/// AUTH-04, AUTH-05.
#[test]
fn events_name_the_administrator_who_acted_as_the_author() {
    let server = TestServer::start();
    let sudo = server.admin().with("Sudo", "dev");
    let details = details_of_a_new_group(&server, &sudo, "by-sudo");
    assert_eq!(details["impersonated_by"], json!("root"));
    assert_eq!(details["impersonation_token_id"], Value::Null);
    let developer = &server.demo["developer"]["id"];
    let tokens = format!("/api/v4/users/{developer}/impersonation_tokens");
    let fields = json!({ "name": "support", "scopes": ["api"] });
    let token = server.admin().post(&tokens, &fields).expect(201);
    let impersonator = TestCaller::new(server.base_url(), token["token"].as_str());
    let details = details_of_a_new_group(&server, &impersonator, "by-token");
    assert_eq!(details["impersonated_by"], json!("root"));
    assert_eq!(
        details["impersonation_token_id"],
        json!(token["id"].to_string())
    );
    let details = details_of_a_new_group(&server, &server.developer(), "by-developer");
    assert_eq!(details["impersonated_by"], Value::Null);
    assert_eq!(details["impersonation_token_id"], Value::Null);
}

/// The events in a body of JSON lines.
fn lines(body: &str) -> Vec<Value> {
    body.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn an_export_has_every_matching_event_and_is_recorded_itself() {
    let server = TestServer::start();
    let (developer, author) = member(&server, PROJECT, "writer", 30);
    let project = format!("2, {}", server.project());
    let count = 250;
    for day in 1..=count {
        let by = if day % 50 == 0 {
            author.as_str()
        } else {
            "NULL"
        };
        insert(&server, &project, by, day % 28 + 1);
    }
    let export = inserted(&format!("{PROJECT}/audit_events/export"));
    let admin = server.admin();
    let answer = admin.get(&export);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let exported = lines(&answer.expect_text(200));
    assert_eq!(exported.len(), usize::try_from(count).unwrap());
    let listed = rows(&admin, &inserted(&format!("{PROJECT}/audit_events")));
    assert_eq!(exported, listed, "the same events in the same order");
    assert_eq!(lines(&developer.get(&export).expect_text(200)).len(), 5);
    let newest = rows(&admin, &format!("{PROJECT}/audit_events"));
    let details = &newest[0]["details"];
    assert_eq!(details["event_name"], json!("audit_exported"));
    assert_eq!(details["ip_address"], json!("127.0.0.1"));
    assert_eq!(newest[0]["author_id"].to_string(), author);
    let kind = format!("{ALL}/export?entity_type=Gitlab::Audit::InstanceScope");
    let instance = lines(&admin.get(&kind).expect_text(200));
    assert_eq!(
        instance[0]["details"]["event_name"],
        json!("audit_exported")
    );
    assert_eq!(
        instance[0]["entity_type"],
        json!("Gitlab::Audit::InstanceScope")
    );
    assert_eq!(
        instance[0]["details"]["entity_path"],
        json!("gitlab_instance")
    );
    assert_eq!(admin.get(&format!("{kind}&entity_id=2")).status, 400);
    assert_eq!(developer.get(&kind).status, 403);
    let page = server.signed_in("admin").open("/admin/audit_events");
    assert!(page.text().contains("href=\"/api/v4/audit_events/export\""));
}

/// AUTH-03. Many wrong passwords are one event: in the log of the account, which its owner reads, or of the instance.
#[test]
fn a_burst_of_wrong_passwords_is_one_event() {
    let server =
        TestServer::start_configured("[sign_in]\nmax_failures = 3\nmax_failures_per_address = 5");
    let mut owner = server.signed_in("developer");
    for _ in 0..5 {
        server.browser().try_sign_in("dev", "wrong password");
    }
    for login in ["a", "b", "c"] {
        server.browser().try_sign_in(login, "wrong password");
    }
    let bursts = |name: &str| {
        let events = rows(&server.admin(), ALL).into_iter();
        let events = events.filter(|event| event["details"]["event_name"] == name);
        events.collect::<Vec<Value>>()
    };
    let account = bursts("sign_in_limit_reached");
    assert_eq!(account.len(), 1, "{account:?}");
    assert_eq!(account[0]["entity_id"], server.demo["developer"]["id"]);
    assert_eq!(account[0]["author_id"], json!(-1));
    assert_eq!(account[0]["details"]["ip_address"], json!("127.0.0.1"));
    let address = bursts("address_limit_reached");
    assert_eq!(address.len(), 1, "{address:?}");
    assert_eq!(address[0]["details"]["address"], json!("127.0.0.1"));
    let page = owner.open("/profile/audit_log").expect_text(200);
    assert!(
        page.contains("Too many failed attempts to sign in"),
        "{page}"
    );
}

/// The events of the log of the demo's developer, newest first, except those of tokens.
fn own_events(server: &TestServer) -> Vec<Value> {
    let id = &server.demo["developer"]["id"];
    let log = format!("{ALL}?entity_type=User&entity_id={id}&per_page=100");
    let mut events = rows(&server.admin(), &log);
    let of_token = |event: &Value| plain(&event["details"]["event_name"]).starts_with("token_");
    events.retain(|event| !of_token(event));
    events
}

/// The names of events.
fn names(events: &[Value]) -> Vec<&str> {
    let names = events.iter().map(|event| &event["details"]["event_name"]);
    names.map(|name| name.as_str().unwrap()).collect()
}

/// A wrong password changes nothing, so it is no event.
#[test]
fn users_see_who_changed_the_credentials_of_their_account() {
    let server = TestServer::start();
    let password = server.password_of("developer");
    let mut dev = server.signed_in("developer");
    let other = server.signed_in("developer");
    let before = own_events(&server).len();
    dev.submit("/profile", "/profile/sessions/others", &[]);
    assert!(!other.clone().is_signed_in());
    assert_eq!(switch_on(&mut dev, &password).1.status, 200);
    let page = "/profile/two_factor";
    let current = |password| [("_method", "delete"), ("user[current_password]", password)];
    dev.submit(page, page, &current("wrong one"));
    let codes = format!("{page}/recovery_codes");
    dev.submit(page, &codes, &current(&password)[1..]);
    dev.submit(page, page, &current(&password));
    let fields = [
        ("user[current_password]", &*password),
        ("user[password]", "battery staple"),
        ("user[password_confirmation]", "battery staple"),
    ];
    dev.submit("/profile", "/profile/password", &fields);
    let mut events = own_events(&server);
    events.truncate(events.len() - before);
    assert_eq!(
        names(&events),
        [
            "password_changed",
            "second_factor_disabled",
            "recovery_codes_renewed",
            "second_factor_enabled",
            "sessions_ended",
        ]
    );
    for event in &events {
        assert_eq!(event["author_id"], server.demo["developer"]["id"]);
        assert_eq!(event["details"]["ip_address"], json!("127.0.0.1"));
    }
    assert_eq!(events[4]["details"]["sessions"], json!("1"));
    let log = dev.open("/profile/audit_log").expect_text(200);
    for sentence in ["Password changed", "Two-factor authentication enabled"] {
        assert!(log.contains(sentence), "{sentence}: {log}");
    }
}

/// A denied request and a second revocation change nothing.
#[test]
fn users_see_which_applications_they_authorized() {
    let server = TestServer::start();
    let mut dev = server.signed_in("developer");
    let party = server.relying_party("Shop");
    let before = own_events(&server).len();
    let handle = party.question(&mut dev);
    let denial = [("handle", &*handle), ("_method", "delete")];
    dev.submit("/profile", "/oauth/authorize", &denial);
    party.tokens(&mut dev);
    let path = format!("/oauth/authorized_applications/{}", party.id);
    for _ in 0..2 {
        dev.submit("/profile", &path, &[("_method", "delete")]);
    }
    let mut events = own_events(&server);
    events.truncate(events.len() - before);
    let expected = ["authorization_revoked", "application_authorized"];
    assert_eq!(names(&events), expected);
    let [revoked, authorized] = [0, 1].map(|index: usize| events[index]["details"].clone());
    assert_eq!(
        (&authorized["name"], &authorized["scopes"]),
        (&json!("Shop"), &json!("api read_user"))
    );
    assert_eq!(revoked["application_id"].as_str(), Some(&*party.id));
    assert_eq!(revoked["name"], json!("Shop"));
}

/// Number of events about authorizations in the log of the demo's developer.
fn authorizations(server: &TestServer) -> usize {
    let events = own_events(server);
    let events = names(&events).into_iter();
    events
        .filter(|name| *name == "application_authorized")
        .count()
}

/// Administrators trust such an application, so its users see no question.
#[test]
fn the_first_use_of_a_trusted_application_is_an_authorization() {
    let server = TestServer::start();
    let mut dev = server.signed_in("developer");
    let party = server.relying_party("Intranet");
    let trust = format!(
        "UPDATE oauth_applications SET trusted = 1 WHERE id = {}",
        party.id
    );
    change(&server, &trust);
    assert_eq!(authorizations(&server), 0);
    for _ in 0..2 {
        let answer = dev.open(&party.authorize_path(&[]));
        let code = code_of(&answer).unwrap();
        RelyingPartyTokens::of(&party.redeem(&code));
        assert_eq!(authorizations(&server), 1);
    }
}

#[test]
fn the_first_token_for_a_password_is_an_authorization() {
    let server = TestServer::start();
    let password = server.password_of("developer");
    let party = server.relying_party("Script");
    for _ in 0..2 {
        party.by_password("dev", &password).assert_ok();
        assert_eq!(authorizations(&server), 1);
    }
}

#[test]
fn silences_are_recorded_with_their_author_or_key() {
    let server = TestServer::start();
    let endpoint = AlertmanagerEndpoint::of(&server);
    let silences = "/api/v2/silences";
    let matchers = json!([{ "name": "service", "value": "billing", "isRegex": false }]);
    let others = json!([{ "name": "service", "value": "search", "isRegex": false }]);
    let with = |id: &str, matchers: &Value| {
        json!({
            "id": id, "matchers": matchers, "startsAt": minutes(0), "endsAt": minutes(240),
            "createdBy": "erin", "comment": "longer",
        })
    };
    let first = endpoint.silence(&matchers);
    let updated = endpoint
        .post(silences, &with(&first, &matchers))
        .expect(200);
    assert_eq!(updated["silenceID"].as_str(), Some(&*first));
    let replaced = endpoint.post(silences, &with(&first, &others)).expect(200);
    let second = plain(&replaced["silenceID"]);
    for _ in 0..2 {
        let end = format!("/api/v2/silence/{second}");
        endpoint.delete(&end).expect_text(200);
    }
    let manages = json!({ "key_manages": true });
    server.admin().put(&endpoint.endpoint, &manages).expect(200);
    let path = format!("{}{silences}", endpoint.below);
    let new = with("", &others);
    endpoint.sender.post(&path, &new).expect(200);
    let mut events = rows(&server.admin(), &format!("{PROJECT}/audit_events"));
    let of_silence = |event: &Value| plain(&event["details"]["event_name"]).starts_with("silence_");
    events.retain(of_silence);
    let expected = [
        "silence_created",
        "silence_ended",
        "silence_created",
        "silence_updated",
        "silence_created",
    ];
    assert_eq!(names(&events), expected);
    let [by_key, ended, replacing] = [0, 1, 2].map(|index: usize| events[index].clone());
    assert_eq!(by_key["author_id"], json!(-1));
    assert_eq!(by_key["details"]["key"], json!("key of Prometheus"));
    assert_eq!(by_key["details"]["ip_address"], json!("127.0.0.1"));
    assert_eq!(ended["author_id"], server.demo["developer"]["id"]);
    let matchers = ended["details"]["matchers"].as_str().unwrap();
    assert!(matchers.contains("search"), "{matchers}");
    assert_eq!(replacing["details"]["replaced_silence_id"], json!("1"));
    let page = server
        .signed_in("admin")
        .open("/acme/web-shop/-/audit_events");
    assert!(page.text().contains("Silence ended"), "{}", page.text());
}

#[test]
fn each_changed_setting_of_a_place_is_an_event() {
    let server = TestServer::start();
    let admin = server.admin();
    let of_project =
        json!({ "snippets_access_level": "private", "public_jobs": true, "description": "x" });
    let of_group = json!({ "mentions_disabled": true, "description": "x" });
    for (place, edit, expected) in [
        (
            PROJECT,
            of_project,
            &[
                ["snippets_access_level", "enabled", "private"],
                ["public_jobs", "false", "true"],
            ][..],
        ),
        (
            GROUP,
            of_group,
            &[["mentions_disabled", "false", "true"]][..],
        ),
    ] {
        for _ in 0..2 {
            admin.put(place, &edit).expect(200);
        }
        let events = rows(&admin, &format!("{place}/audit_events")).into_iter();
        let changes = events.filter(|event| {
            // Error tracking of the sample data was switched on, which has no such field.
            let details = &event["details"];
            details["event_name"] == "setting_changed" && details["change"].is_string()
        });
        let changes: Vec<[String; 3]> = changes
            .map(|event| ["change", "from", "to"].map(|field| plain(&event["details"][field])))
            .collect();
        assert_eq!(changes, expected, "{place}");
    }
}
