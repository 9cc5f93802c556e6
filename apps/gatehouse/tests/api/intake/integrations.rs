//! Named endpoints: their keys, rules and mappings over the API, and dry runs (`ALRT-01`, `ALRT-09`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

const ALL: &str = "/alert_management/integrations";

/// Path of a URL of the server.
fn path_of(url: &Value) -> String {
    let url = url::Url::parse(url.as_str().unwrap()).unwrap();
    url.path().to_owned()
}

fn status(server: &TestServer, key: &Value, path: &str, body: &Value) -> u16 {
    let sender = TestCaller::bearer(server.base_url(), key.as_str().unwrap());
    sender.post(path, body).status
}

/// ALRT-01, ALRT-14.
#[test]
fn endpoints_have_keys_urls_and_states_of_their_own() {
    let server = TestServer::start();
    let (owner, developer) = (server.admin(), server.developer());
    let all = server.below_project(ALL);
    assert_eq!(developer.post(&all, &json!({ "name": "Kuma" })).status, 403);
    let created = owner
        .post(&all, &json!({ "name": "Uptime Kuma" }))
        .expect(201);
    let (one, key) = (format!("{all}/{}", created["id"]), created["token"].clone());
    let path = path_of(&created["url"]);
    let end = created["endpoint_identifier"].as_str().unwrap();
    assert!(
        path.ends_with(&format!("/alerts/notify/uptime-kuma/{end}.json")),
        "{path}"
    );
    assert_eq!(end.len(), 16);
    let listed = developer.get(&all).expect(200);
    let names: Vec<&Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["HTTP endpoint", "Alertmanager", "Uptime Kuma"]);
    assert!(
        !listed.to_string().contains("ghak_"),
        "a key is shown only once"
    );
    let alert = json!({ "title": "Down" });
    assert_eq!(status(&server, &key, &path, &alert), 200);
    let other_name = path.replace("uptime-kuma", "anything").replace(".json", "");
    assert_eq!(status(&server, &key, &other_name, &alert), 200);
    let other_end = path.replace(end, "0123456789abcdef");
    assert_eq!(status(&server, &key, &other_end, &alert), 401);
    assert_eq!(status(&server, &key, &server.generic(), &alert), 401);
    // The same alert through another endpoint of the project is one alert.
    let again = server.sender().post(&server.generic(), &alert).expect(200);
    let shown = server.alert(&again[0]["iid"]);
    assert_eq!(
        (&shown["title"], &shown["event_count"]),
        (&json!("Down"), &json!(3))
    );

    let rotated = owner
        .post(&format!("{one}/rotate"), &json!({ "grace_seconds": 3600 }))
        .expect(200);
    let new_key = rotated["token"].clone();
    assert!(rotated["retired_key_expires_at"].is_string(), "{rotated}");
    for key in [&key, &new_key] {
        assert_eq!(status(&server, key, &path, &alert), 200);
    }
    let last = owner.post(&format!("{one}/rotate"), &json!({})).expect(200)["token"].clone();
    for (key, expected) in [(&key, 401), (&new_key, 401), (&last, 200)] {
        assert_eq!(status(&server, key, &path, &alert), expected);
    }
    let off = owner
        .put(&one, &json!({ "active": false, "name": "Kuma" }))
        .expect(200);
    assert_eq!(
        (&off["name"], &off["active"]),
        (&json!("Kuma"), &json!(false))
    );
    assert_eq!(status(&server, &last, &path, &alert), 403);
    owner.put(&one, &json!({ "active": true })).expect(200);
    assert_eq!(
        status(&server, &last, &path, &alert),
        200,
        "the old name in the URL stays valid"
    );
    assert_eq!(developer.delete(&one).status, 403);
    assert_eq!(owner.delete(&one).status, 204);
    assert_eq!(status(&server, &last, &path, &alert), 401);
    assert_eq!(owner.get(&one).status, 404);
    let first = format!("{all}/{}", listed[0]["id"]);
    assert_eq!(
        owner.delete(&first).status,
        400,
        "the first endpoint can be turned off only"
    );
    for refused in [
        json!({ "name": " " }),
        json!({ "name": "x", "type": "email" }),
        json!({ "name": "x", "severities": [{ "word": "bad", "severity": "worse" }] }),
        json!({ "name": "x", "payload_attribute_mappings": [{ "field_name": "title", "path": "a..b" }] }),
        json!({ "name": "x", "payload_attribute_mappings": [{ "field_name": "name", "path": "a" }] }),
        json!({ "name": "x", "payload_attribute_mappings": "title" }),
        json!({ "name": "x", "type": "prometheus", "payload_attribute_mappings": [{ "field_name": "title", "path": "a" }] }),
    ] {
        assert_eq!(owner.post(&all, &refused).status, 400, "{refused}");
    }
    assert_eq!(owner.put(&first, &json!({})).status, 400);
    assert_eq!(developer.get(&all).expect(200).as_array().unwrap().len(), 2);
}

/// ALRT-09. A dry run shows the effect, and the delivery then has it.
#[test]
fn a_mapping_reads_payloads_and_a_dry_run_stores_nothing() {
    let server = TestServer::start();
    let owner = server.admin();
    let sample = json!({ "check": { "label": "Disk full", "hosts": ["db1"] }, "lage": "rot", "seit": "2026-01-02T03:04:05Z" });
    let fields = server.below_project("/alert_management/payload_fields");
    let found = owner
        .post(&fields, &json!({ "payload_example": sample.to_string() }))
        .expect(200);
    let paths: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "check.hosts",
            "check.hosts[0]",
            "check.label",
            "lage",
            "seit"
        ]
    );
    for bad in ["[1]", "{", "7"] {
        assert_eq!(
            owner
                .post(&fields, &json!({ "payload_example": bad }))
                .status,
            400,
            "{bad}"
        );
    }
    let mappings = json!([
        { "field_name": "title", "path": "check.label" },
        { "field_name": "hosts", "path": "check.hosts" },
        { "field_name": "severity", "path": "lage", "values": "rot=high, weg=low" },
        { "field_name": "state", "path": "lage", "values": "rot=firing\nweg=resolved" },
        { "field_name": "start_time", "path": "seit" },
        { "field_name": "end_time", "path": "bis" },
    ]);
    let new = json!({ "name": "Eigenbau", "payload_attribute_mappings": mappings, "ignored_labels": ["replica"] });
    let created = owner.post(&server.below_project(ALL), &new).expect(201);
    assert_eq!(
        created["payload_attribute_mappings"][2]["values"],
        "rot=high\nweg=low"
    );
    let path = path_of(&created["url"]);
    let sender = || TestCaller::bearer(server.base_url(), created["token"].as_str().unwrap());
    let dry = sender().with("Dry-Run", "true");
    let before = super::stored(&server);
    let effect = dry.post(&path, &sample).expect(200);
    assert_eq!(
        (&effect["created"], &effect["alerts"][0]["title"]),
        (&json!(1), &json!("Disk full"))
    );
    assert_eq!(effect["alerts"][0]["severity"], "high");
    assert_eq!(super::stored(&server), before, "a dry run stores nothing");
    assert_eq!(
        sender()
            .with("Dry-Run", "maybe")
            .post(&path, &sample)
            .status,
        400
    );

    let iid = sender().post(&path, &sample).expect(200)[0]["iid"].clone();
    let alert = server.alert(&iid);
    let shown = [
        &alert["title"],
        &alert["severity"],
        &alert["hosts"],
        &alert["started_at"],
        &alert["status"],
    ];
    let expected = [
        &json!("Disk full"),
        &json!("high"),
        &json!(["db1"]),
        &json!("2026-01-02T03:04:05.000Z"),
        &json!("triggered"),
    ];
    assert_eq!(shown, expected);
    let over = json!({ "check": { "label": "Disk full", "hosts": ["db1"] }, "lage": "weg", "bis": "2026-01-02T04:00:00Z" });
    assert_eq!(dry.post(&path, &over).expect(200)["resolved"], 1);
    let ended = sender().post(&path, &over).expect(200);
    assert_eq!(ended[0]["iid"], iid);
    let alert = server.alert(&iid);
    assert_eq!(
        (&alert["status"], &alert["ended_at"]),
        (&json!("resolved"), &json!("2026-01-02T04:00:00.000Z"))
    );
}
