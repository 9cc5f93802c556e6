//! Runners: their tokens, rights, and statuses by release (`DEPR-05`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::rows::{change, count, number};
use crate::support::{TestCaller, TestServer};

const RUNNERS: &str = "/api/v4/runners";
const CREATE: &str = "/api/v4/user/runners";
const HEADER: &str = "Gatehouse-Release";

/// The current time of the database in microseconds.
const NOW: &str = "(CAST(strftime('%s', 'now') AS INTEGER) * 1000000)";

fn anonymous(server: &TestServer) -> TestCaller {
    TestCaller::new(server.base_url(), None)
}

/// Creates a runner of the instance with these settings.
fn create(server: &TestServer, settings: &Value) -> Value {
    let mut new = json!({ "runner_type": "instance_type" });
    for (name, value) in settings.as_object().unwrap() {
        new[name.as_str()] = value.clone();
    }
    server.admin().post(CREATE, &new).expect(201)
}

/// Creates runners with these descriptions, contacted so many seconds ago, and paused ones with a `p` before it.
fn create_each(server: &TestServer) {
    for (name, created, contacted) in [
        ("never", 0, None),
        ("online", 9000, Some(60)),
        ("offline", 9000, Some(2 * 3600 + 60)),
        ("stale", 91 * 86400, Some(91 * 86400)),
        ("lost", 91 * 86400, None),
    ] {
        for paused in [false, true] {
            let prefix = if paused { "p" } else { "" };
            let settings = json!({ "description": format!("{prefix}{name}"), "paused": paused });
            let id = create(server, &settings)["id"].clone();
            let contacted = contacted.map_or_else(
                || "NULL".to_owned(),
                |seconds| format!("{NOW} - {seconds} * 1000000"),
            );
            change(
                server,
                &format!(
                    "UPDATE runners SET created_at = {NOW} - {created} * 1000000, contacted_at = {contacted} \
                     WHERE id = {id}"
                ),
            );
        }
    }
}

/// Lists runners by their descriptions.
fn listed(caller: &TestCaller, query: &str) -> BTreeMap<String, Value> {
    let answer = caller.get(&format!("{RUNNERS}/all?per_page=100&{query}"));
    let runners = answer.list().into_iter();
    let named = runners.map(|runner| (runner["description"].as_str().unwrap().to_owned(), runner));
    named.collect()
}

fn names(caller: &TestCaller, query: &str) -> String {
    let names: Vec<String> = listed(caller, query).into_keys().collect();
    names.join(" ")
}

/// Words for the status of each runner in version 4, and from version 5 on.
const STATUSES: [(&str, &str, &str); 10] = [
    ("never", "not_connected", "not_connected"),
    ("pnever", "not_connected", "not_connected"),
    ("online", "online", "online"),
    ("ponline", "paused", "online"),
    ("offline", "offline", "offline"),
    ("poffline", "paused", "offline"),
    ("stale", "stale", "offline"),
    ("pstale", "stale", "offline"),
    ("lost", "stale", "not_connected"),
    ("plost", "stale", "not_connected"),
];

/// DEPR-05.
#[test]
fn the_status_and_the_pause_of_a_runner_are_those_of_the_release() {
    let server = TestServer::start_configured("[api]\nv5_preview = true\n");
    create_each(&server);
    for (release, has_active, has_paused) in [
        ("13.10", true, false),
        ("14.7", true, false),
        ("14.8", true, true),
        ("16.11", true, true),
        ("18.0", true, true),
        ("v5", false, true),
    ] {
        let caller = server.admin().with(HEADER, release);
        let found = listed(&caller, "");
        for (name, v4, v5) in STATUSES {
            let runner = &found[name];
            let status = if release == "v5" { v5 } else { v4 };
            assert_eq!(runner["status"], json!(status), "{name} at {release}");
            let paused = name.starts_with('p');
            let active = has_active.then(|| json!(!paused));
            let expected = has_paused.then(|| json!(paused));
            assert_eq!(runner.get("active"), active.as_ref(), "{name} at {release}");
            assert_eq!(
                runner.get("paused"),
                expected.as_ref(),
                "{name} at {release}"
            );
            let id = &runner["id"];
            let detail = caller.get(&format!("{RUNNERS}/{id}")).expect(200);
            assert_eq!(detail["status"], json!(status), "{name} at {release}");
            assert_eq!(detail.get("active"), active.as_ref(), "{name} at {release}");
            let is_online = name.ends_with("online");
            assert_eq!(detail["online"], json!(is_online), "{name}");
        }
    }
    let preview = server
        .admin()
        .get("/api/v5/runners/all?per_page=100")
        .list();
    assert!(preview.iter().all(|runner| runner.get("active").is_none()));
    filters_are_those_of_the_release(&server);
    changes_are_those_of_the_release(&server);
}

fn filters_are_those_of_the_release(server: &TestServer) {
    let admin = server.admin();
    let v5 = server.admin().with(HEADER, "v5");
    let contact = [
        ("status=online", "online ponline"),
        ("status=offline", "offline poffline pstale stale"),
        ("status=not_connected", "lost never plost pnever"),
        ("status=online&paused=true", "ponline"),
        ("paused=false", "lost never offline online stale"),
        ("type=group_type", ""),
    ];
    for (query, expected) in contact {
        assert_eq!(names(&admin, query), expected, "{query}");
        assert_eq!(names(&v5, query), expected, "{query} at v5");
    }
    for (query, expected) in [
        ("status=paused", "plost pnever poffline ponline pstale"),
        ("status=active", "lost never offline online stale"),
        ("status=never_contacted", "lost never plost pnever"),
        ("status=stale", "lost plost pstale stale"),
        ("scope=paused", "plost pnever poffline ponline pstale"),
        ("scope=specific", ""),
    ] {
        assert_eq!(names(&admin, query), expected, "{query}");
        if let Some(word) = query.strip_prefix("status=") {
            let refused = v5.get(&format!("{RUNNERS}/all?{query}"));
            let error = json!({ "error": "status does not have a valid value" });
            assert_eq!(refused.expect(400), error, "{word} at v5");
        }
    }
    for query in [
        "status=asleep",
        "scope=online&paused=true",
        "status=paused&paused=false",
    ] {
        assert_eq!(
            admin.get(&format!("{RUNNERS}/all?{query}")).status,
            400,
            "{query}"
        );
    }
    // The filter is unknown to releases before it, so it has no effect.
    let old = server.admin().with(HEADER, "14.7");
    assert_eq!(listed(&old, "paused=true").len(), STATUSES.len());
}

fn changes_are_those_of_the_release(server: &TestServer) {
    let id = create(server, &json!({ "description": "changed" }))["id"].clone();
    let path = format!("{RUNNERS}/{id}");
    for (release, sent, paused) in [
        ("14.7", json!({ "active": false }), true),
        ("14.7", json!({ "active": true, "paused": true }), false),
        ("18.0", json!({ "active": false }), true),
        ("18.0", json!({ "active": false, "paused": false }), false),
        ("v5", json!({ "active": false, "description": "x" }), false),
        ("v5", json!({ "paused": true }), true),
    ] {
        let caller = server.admin().with(HEADER, release);
        caller.put(&path, &sent).expect(200);
        let shown = server.admin().get(&path).expect(200);
        assert_eq!(shown["paused"], json!(paused), "{sent} at {release}");
        assert_eq!(shown["active"], json!(!paused), "{sent} at {release}");
    }
    let warned = server.admin().put(&path, &json!({ "active": true }));
    let named = warned.header("gatehouse-deprecated").unwrap_or_default();
    assert!(named.contains("14-8-runner-active"), "{named}");
}

/// DEPR-05. Registration tokens end with release 17.0.
#[test]
fn a_runner_registers_contacts_and_leaves_by_its_token() {
    let server = TestServer::start();
    let program = anonymous(&server).with(HEADER, "16.11");
    let reset = |path: &str| {
        let caller = server.admin().with(HEADER, "16.11");
        let token = caller.post(&format!("{path}/reset_registration_token"), &json!({}));
        token.expect(201)["token"].as_str().unwrap().to_owned()
    };
    let first = reset("/api/v4/groups/acme/runners");
    let second = reset("/api/v4/groups/acme/runners");
    assert!(second.starts_with("ghrr_") && first != second, "{second}");
    let new = json!({
        "token": second, "description": "builder", "tag_list": "linux, big", "run_untagged": false,
        "locked": true, "access_level": "ref_protected", "maximum_timeout": 3600, "maintenance_note": "n",
        "info": { "name": "program", "version": "16.11.0", "revision": "abc", "platform": "linux",
                  "architecture": "amd64", "executor": "shell", "features": { "variables": true } },
    });
    let wrong = json!({ "token": first });
    program
        .post(RUNNERS, &wrong)
        .assert_is(403, &json!({ "message": "403 Forbidden" }));
    for release in ["17.0", "18.0", "v5"] {
        let late = anonymous(&server).with(HEADER, release);
        assert_eq!(late.post(RUNNERS, &new).status, 400, "{release}");
        let caller = server.admin().with(HEADER, release);
        for place in [
            "/api/v4",
            "/api/v4/groups/acme",
            "/api/v4/projects/acme%2Fweb-shop",
        ] {
            let path = format!("{place}/runners/reset_registration_token");
            assert_eq!(
                caller.post(&path, &json!({})).status,
                404,
                "{path} at {release}"
            );
        }
    }
    let registered = program.post(RUNNERS, &new).expect(201);
    let token = registered["token"].as_str().unwrap();
    assert!(token.starts_with("ghrt_"), "{token}");
    assert_eq!(registered["token_expires_at"], Value::Null);
    let path = format!("{RUNNERS}/{}", registered["id"]);
    let mut shown = server.admin().get(&path).expect(200);
    let group = json!([{ "id": shown["groups"][0]["id"], "name": shown["groups"][0]["name"],
        "web_url": format!("{}/groups/acme", server.base_url()) }]);
    let expected = json!({
        "id": registered["id"], "description": "builder", "ip_address": null, "active": true, "paused": false,
        "is_shared": false, "runner_type": "group_type", "name": "program", "online": false,
        "status": "not_connected", "tag_list": ["linux", "big"], "run_untagged": false, "locked": true,
        "maximum_timeout": 3600, "access_level": "ref_protected", "version": "16.11.0", "revision": "abc",
        "platform": "linux", "architecture": "amd64", "contacted_at": null, "maintenance_note": "n",
        "projects": [], "groups": group,
    });
    assert_eq!(shown, expected);

    // A contact is seen at once, although it is not stored on the path of the request.
    let own = json!({ "token": token, "info": { "version": "17" }, "last_update": "x" });
    let answer = program.post("/api/v4/jobs/request", &own);
    assert_eq!((answer.status, answer.text().as_str()), (204, ""));
    shown = server.admin().get(&path).expect(200);
    assert_eq!(
        (&shown["status"], &shown["online"]),
        (&json!("online"), &json!(true))
    );
    assert_ne!(shown["contacted_at"], Value::Null);
    let live = server
        .admin()
        .get("/api/v4/groups/acme/runners?status=online&tag_list=big");
    assert_eq!(live.list().len(), 1);
    server
        .admin()
        .put(&path, &json!({ "paused": true }))
        .expect(200);
    assert_eq!(program.post("/api/v4/jobs/request", &own).status, 204);
    let jobs = server.admin().get(&format!("{path}/jobs")).list();
    assert_eq!(jobs, Vec::<Value>::new());

    let verified = program.post("/api/v4/runners/verify", &json!({ "token": token }));
    assert_eq!(verified.expect(200), registered);
    let reset = server
        .admin()
        .post(&format!("{path}/reset_authentication_token"), &json!({}));
    let fresh = reset.expect(201)["token"].clone();
    for wrong in [json!({ "token": token }), json!({ "token": "ghrt_x" })] {
        for path in ["/api/v4/runners/verify", "/api/v4/jobs/request"] {
            assert_eq!(program.post(path, &wrong).status, 403, "{path}");
        }
    }
    // The API never accepts the token of a runner.
    let as_user = TestCaller::new(server.base_url(), fresh.as_str());
    assert_eq!(as_user.get(RUNNERS).status, 401);
    let digests = "SELECT count(*) FROM runners WHERE length(digest) = 32";
    assert_eq!(number(&server, digests), 1);
    let body = json!({ "token": fresh }).to_string();
    let leaver = anonymous(&server).with("Content-Type", "application/json");
    assert_eq!(leaver.send("DELETE", RUNNERS, body.as_bytes()).status, 204);
    assert_eq!(leaver.send("DELETE", RUNNERS, body.as_bytes()).status, 403);
    assert_eq!(server.admin().get(&path).status, 404);
    // Two resets, the registration, the pause, the reset of the token, and the deletion.
    let recorded = "SELECT count(*) FROM audit_entries WHERE event_name BETWEEN 70 AND 76";
    assert_eq!(number(&server, recorded), 6);
}

/// DEPR-05.
#[test]
fn runners_are_managed_by_administrators_owners_and_maintainers() {
    let server = TestServer::start();
    let admin = server.admin();
    let project = admin.get("/api/v4/projects/acme%2Fweb-shop").expect(200);
    let group = admin.get("/api/v4/groups/acme").expect(200)["id"].clone();
    let other = server.create_project("shared/other", "private", "root")["id"].clone();
    let ann = server.stranger("ann");
    let user = number(&server, "SELECT id FROM users WHERE username = 'ann'");
    let new = |kind: &str| match kind {
        "group_type" => json!({ "runner_type": kind, "group_id": group }),
        "project_type" => json!({ "runner_type": kind, "project_id": project["id"] }),
        _ => json!({ "runner_type": kind }),
    };
    let kinds = ["instance_type", "group_type", "project_type"];
    let ids = kinds.map(|kind| admin.post(CREATE, &new(kind)).expect(201)["id"].clone());
    let members = "/api/v4/groups/acme/members";
    for (level, allowed) in [
        (0, [403, 403, 403]),
        (30, [403; 3]),
        (40, [403, 403, 201]),
        (50, [403, 201, 201]),
    ] {
        if level > 0 {
            let member = format!("{members}/{user}");
            admin.delete(&member);
            let added = json!({ "user_id": user, "access_level": level });
            admin.post(members, &added).expect(201);
        }
        for ((kind, id), status) in kinds.into_iter().zip(&ids).zip(allowed) {
            assert_eq!(
                ann.post(CREATE, &new(kind)).status,
                status,
                "{kind} by {level}"
            );
            let shown = if status == 201 { 200 } else { 403 };
            let path = format!("{RUNNERS}/{id}");
            assert_eq!(ann.get(&path).status, shown, "{kind} by {level}");
            let changed = ann.put(&path, &json!({ "locked": false })).status;
            assert_eq!(changed, shown, "{kind} by {level}");
        }
        // Own lists hold what the caller manages by a role, and not the runners of the instance.
        let own = ann.get(&format!("{RUNNERS}?per_page=100")).list();
        let has = |id: &Value| own.iter().any(|runner| runner["id"] == *id);
        let expected = allowed.map(|status| status == 201);
        assert_eq!(
            [has(&ids[0]), has(&ids[1]), has(&ids[2])],
            expected,
            "{level}"
        );
    }
    let available = admin
        .get("/api/v4/projects/acme%2Fweb-shop/runners?per_page=100")
        .list();
    assert!(
        ids.iter()
            .all(|id| available.iter().any(|runner| runner["id"] == *id))
    );

    // A runner of several projects is deleted by administrators only, and keeps its last project.
    let path = format!("/api/v4/projects/{other}/runners");
    let assign = json!({ "runner_id": ids[2] });
    assert_eq!(ann.post(&path, &assign).status, 404);
    let assigned = admin.post(&path, &assign).expect(201);
    assert_eq!(assigned["projects"].as_array().unwrap().len(), 2);
    assert_eq!(admin.post(&path, &assign).status, 400);
    assert_eq!(
        admin.post(&path, &json!({ "runner_id": ids[0] })).status,
        400
    );
    let one = format!("{RUNNERS}/{}", ids[2]);
    assert_eq!(ann.delete(&one).status, 403);
    let assignment = format!("{path}/{}", ids[2]);
    assert_eq!(admin.delete(&assignment).status, 204);
    assert_eq!(admin.delete(&assignment).status, 404);
    let last = format!("/api/v4/projects/{}/runners/{}", project["id"], ids[2]);
    assert_eq!(ann.delete(&last).status, 400);
    // A locked runner stays where it is, except for administrators.
    ann.put(&one, &json!({ "locked": true })).expect(200);
    let bea = json!({ "user_id": user, "access_level": 40 });
    admin
        .post(&format!("/api/v4/projects/{other}/members"), &bea)
        .expect(201);
    assert_eq!(ann.post(&path, &assign).status, 403);
    // A blocked creator does not end a runner.
    let created = ann.post(CREATE, &new("project_type")).expect(201);
    server.block("ann");
    let token = json!({ "token": created["token"] });
    let verified = anonymous(&server).post("/api/v4/runners/verify", &token);
    assert_eq!(verified.status, 200);
    for refused in [
        json!({ "runner_type": "group_type" }),
        json!({ "runner_type": "instance_type", "group_id": group }),
        json!({ "runner_type": "fast_type" }),
        json!({ "runner_type": "instance_type", "run_untagged": false }),
        json!({ "runner_type": "instance_type", "maximum_timeout": 10 }),
        json!({}),
    ] {
        let before = count(&server, "runners");
        assert_eq!(admin.post(CREATE, &refused).status, 400, "{refused}");
        assert_eq!(count(&server, "runners"), before);
    }
    assert_eq!(admin.delete(&one).status, 204);
    assert_eq!(admin.get(&one).status, 404);
}
