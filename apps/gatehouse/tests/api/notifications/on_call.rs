//! On-call schedules over the API and on their pages.

use api_conventions::time::{Clock as _, Timestamp};
use gatehouse_core::clock::SystemClock;
use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

const PAGE: &str = "/acme/web-shop/-/alert_management/on_call";

fn schedules(server: &TestServer) -> String {
    server.below_project("/on_call_schedules")
}

fn after(days: i64) -> Timestamp {
    SystemClock.now().plus_seconds(days * 86_400)
}

/// A schedule of the administrator and the developer that began ten days ago.
fn new(server: &TestServer) -> Value {
    let user = |caller: TestCaller| caller.get("/api/v4/user").expect(200)["id"].clone();
    json!({
        "name": "Primary",
        "time_zone": "Europe/Berlin",
        "first_handoff": after(-10).date().to_string(),
        "handoff_time": "09:30",
        "participant_ids": [user(server.admin()), user(server.developer())],
    })
}

#[test]
fn a_schedule_is_created_changed_and_deleted() {
    let server = TestServer::start();
    let (all, new) = (schedules(&server), new(&server));
    let created = server.admin().post(&all, &new).expect(201);
    for name in ["name", "time_zone", "first_handoff", "handoff_time"] {
        assert_eq!(created[name], new[name], "{name}");
    }
    assert_eq!(created["turn_weeks"], 1);
    assert_eq!(created["unavailable_ids"], json!([]));
    // The second turn of a week began three days ago.
    let developer = server.developer().get("/api/v4/user").expect(200);
    assert_eq!(created["on_call"]["id"], developer["id"]);
    assert_eq!(created["on_call"]["username"], developer["username"]);
    let next = created["next_handoff_at"].as_str().unwrap();
    let next = Timestamp::parse_rfc3339(next).unwrap();
    assert!(after(2) < next && next < after(6), "{created}");

    let one = format!("{all}/{}", created["id"]);
    assert_eq!(server.developer().get(&one).expect(200), created);
    let listed = server.developer().get(&all).list();
    assert_eq!(listed, std::slice::from_ref(&created));
    let edit = json!({ "turn_weeks": 2, "name": "Second" });
    let changed = server.admin().put(&one, &edit).expect(200);
    assert_eq!(changed["name"], "Second");
    assert_eq!(changed["participants"], created["participants"]);
    assert_ne!(changed["on_call"], created["on_call"]);
    server.developer().put(&one, &edit).expect(403);
    server.developer().post(&all, &new).expect(403);
    server.reporter().get(&all).expect(403);
    server.admin().delete(&one).expect(204);
    server.admin().get(&one).expect(404);
    let audit = server.admin().get(&server.below_project("/audit_events"));
    let audit = audit.text();
    assert!(audit.contains("on_call_schedule"), "{audit}");
}

#[test]
fn an_override_replaces_the_turn_while_it_lasts() {
    let server = TestServer::start();
    let created = server.admin().post(&schedules(&server), &new(&server));
    let one = format!("{}/{}", schedules(&server), created.expect(201)["id"]);
    let admin = server.admin().get("/api/v4/user").expect(200);
    let overrides = format!("{one}/overrides");
    let until = after(1);
    let wanted = json!({ "user_id": admin["id"], "from": after(-5), "until": until });
    let added = server.developer().post(&overrides, &wanted).expect(201);
    assert_eq!(added["user"]["id"], admin["id"]);
    assert_eq!(added["until"], json!(until));
    let from = Timestamp::parse_rfc3339(added["from"].as_str().unwrap()).unwrap();
    assert!(from > after(-1), "a start in the past is now: {added}");
    let shown = server.developer().get(&one).expect(200);
    assert_eq!(shown["on_call"]["id"], admin["id"]);
    let listed = server.developer().get(&overrides).list();
    assert_eq!(listed, std::slice::from_ref(&added));

    let shifts = server.developer().get(&format!("{one}/shifts")).list();
    let is_override: Vec<bool> = shifts
        .iter()
        .map(|shift| shift["is_override"].as_bool().unwrap())
        .collect();
    assert_eq!(is_override[..2], [true, false], "{shifts:?}");
    for pair in shifts.windows(2) {
        assert_eq!(pair[0]["until"], pair[1]["from"], "{shifts:?}");
    }
    let path = format!("{overrides}/{}", added["id"]);
    server.developer().delete(&path).expect(204);
    server.developer().delete(&path).expect(404);
    let shown = server.developer().get(&one).expect(200);
    assert_ne!(shown["on_call"]["id"], admin["id"]);
}

#[test]
fn the_turn_of_a_blocked_participant_goes_to_the_next_one() {
    let server = TestServer::start();
    let created = server.admin().post(&schedules(&server), &new(&server));
    let created = created.expect(201);
    let one = format!("{}/{}", schedules(&server), created["id"]);
    let developer = &created["on_call"];
    let block = format!("/api/v4/users/{}/block", developer["id"]);
    server.admin().post(&block, &json!({})).expect(201);
    let shown = server.admin().get(&one).expect(200);
    assert_eq!(shown["on_call"]["username"], "root");
    assert_eq!(shown["unavailable_ids"], json!([developer["id"]]));
    let page = server.signed_in("admin").open(PAGE).expect_text(200);
    assert!(page.contains("No end planned"), "{page}");
    let path = format!("{PAGE}/{}", created["id"]);
    let page = server.signed_in("admin").open(&path).expect_text(200);
    assert!(page.contains("cannot be on call"), "{page}");
    // The participant may stay, but nobody adds one who cannot be on call.
    let edit = json!({ "name": "Renamed" });
    server.admin().put(&one, &edit).expect(200);
    let values = json!({ "user_id": developer["id"], "until": after(1) });
    let refused = server.admin().post(&format!("{one}/overrides"), &values);
    let text = refused.expect(400).to_string();
    assert!(text.contains("cannot be on call"), "{text}");
}

#[test]
fn what_cannot_work_is_refused() {
    let server = TestServer::start();
    let (all, new) = (schedules(&server), new(&server));
    let created = server.admin().post(&all, &new).expect(201);
    server.admin().post(&all, &new).expect(409);
    let reporter = server.reporter().get("/api/v4/user").expect(200);
    let first = new["participant_ids"][0].clone();
    for (name, value, problem) in [
        ("name", json!(" "), "name"),
        ("time_zone", json!("Berlin"), "time_zone must be"),
        (
            "first_handoff",
            json!("1999-12-31"),
            "first_handoff must be",
        ),
        ("handoff_time", json!("25:00"), "handoff_time must be"),
        ("turn_weeks", json!(53), "turn_weeks"),
        ("participant_ids", json!([]), "participant"),
        ("participant_ids", json!([first, first]), "only once"),
        (
            "participant_ids",
            json!([reporter["id"]]),
            "cannot be on call",
        ),
        (
            "participant_ids",
            json!([99_999]),
            "user 99999 cannot be on call",
        ),
        ("participant_ids", json!(["x"]), "participant_ids"),
    ] {
        let mut wrong = new.clone();
        wrong["name"] = json!("Other");
        wrong[name] = value;
        let refused = server.admin().post(&all, &wrong).expect(400).to_string();
        assert!(refused.contains(problem), "{problem}: {refused}");
    }
    let one = format!("{all}/{}", created["id"]);
    server.admin().put(&one, &json!({})).expect(400);
    let overrides = format!("{one}/overrides");
    for (from, until, problem) in [
        (after(2), after(1), "until must be later than from"),
        (after(-2), after(-1), "until must be in the future"),
        (after(1), after(92), "at most 90 days"),
    ] {
        let wrong = json!({ "user_id": first, "from": from, "until": until });
        let refused = server.developer().post(&overrides, &wrong).expect(400);
        let refused = refused.to_string();
        assert!(refused.contains(problem), "{problem}: {refused}");
    }
    for query in [
        "from=2026-12-01&until=2026-12-01",
        "from=2026-12-01&until=2027-03-02",
        "from=yesterday",
    ] {
        let refused = server.developer().get(&format!("{one}/shifts?{query}"));
        refused.expect(400);
    }
}

#[test]
fn the_pages_create_change_and_delete_schedules_and_swap_turns() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let page = admin.open(PAGE).expect_text(200);
    assert!(page.contains("No on-call schedules"), "{page}");
    let first = after(-1).date().to_string();
    let (maintainer, developer) = (server.name_of("admin"), server.name_of("developer"));
    let participants = format!("@{maintainer}, {developer}");
    let fields = |name, participants| {
        [
            ("event", "settings"),
            ("name", name),
            ("participants", participants),
            ("first_handoff", first.as_str()),
            ("handoff_time", "09:00"),
            ("time_zone", "America/New_York"),
            ("turn_weeks", "1"),
        ]
    };
    let refused = admin.submit(PAGE, PAGE, &fields("Primary", "nobody.here"));
    assert_eq!(refused.status, 422);
    let text = refused.text();
    assert!(text.contains("There is no user nobody.here."), "{text}");
    let created = admin.submit(PAGE, PAGE, &fields("<i>Primary</i>", &participants));
    let one = created.header("location").unwrap().to_owned();
    let page = admin.open(&one).expect_text(200);
    for part in [
        "Schedule created.",
        "&#60;i&#62;Primary",
        "Times in America/New_York",
        "Next eight weeks",
        "Save",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let mut member = server.signed_in("developer");
    let page = member.open(&one).expect_text(200);
    assert!(!page.contains("Delete the schedule"), "{page}");
    let overrides = format!("{one}/overrides");
    let swap = |until| {
        [
            ("event", "add"),
            ("user", developer.as_str()),
            ("from", ""),
            ("until", until),
        ]
    };
    let refused = member.submit(&one, &overrides, &swap("tomorrow"));
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains("Write the times as"));
    let until = format!("{}T09:00", after(3).date());
    let added = member.submit(&one, &overrides, &swap(&until));
    assert_eq!(added.header("location"), Some(one.as_str()));
    let page = member.open(&one).expect_text(200);
    for part in ["Override added.", "Added by", "Remove"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let id = page.split(r#"name="override" value=""#).nth(1).unwrap();
    let id = id.split('"').next().unwrap().to_owned();
    let removal = [("event", "remove"), ("override", id.as_str())];
    member.submit(&one, &overrides, &removal);
    let page = member.open(&one).expect_text(200);
    assert!(page.contains("Override removed."), "{page}");
    let forbidden = member.submit(&one, &one, &[("event", "delete")]);
    assert_eq!(forbidden.status, 403);
    let changed = admin.submit(&one, &one, &fields("Second", &participants));
    assert_eq!(changed.header("location"), Some(one.as_str()));
    assert!(admin.open(&one).text().contains("Schedule updated."));
    admin.submit(&one, &one, &[("event", "delete")]);
    let page = admin.open(PAGE).expect_text(200);
    assert!(page.contains("Schedule deleted."), "{page}");
    assert_eq!(admin.open(&one).status, 404);
    assert_eq!(server.signed_in("reporter").open(PAGE).status, 404);
}
