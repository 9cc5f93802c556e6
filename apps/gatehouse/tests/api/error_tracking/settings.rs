//! `/api/v4/projects/:id/error_tracking/settings` and `options` (`ERR-01`, `ERR-07`).

use serde_json::{Value, json};

use super::{below, event};
use crate::support::TestServer;
use crate::support::script::play;

fn settings(active: bool, integrated: bool) -> Value {
    json!({
        "active": active, "project_name": null, "tracker_external_url": null, "api_url": null, "integrated": integrated,
    })
}

/// A project with default settings.
fn create_project(server: &TestServer) -> String {
    let created = server
        .admin()
        .post("/api/v4/projects", &json!({ "name": "fresh" }));
    format!(
        "/api/v4/projects/{}/error_tracking",
        created.expect(201)["id"]
    )
}

#[test]
fn settings_are_created_by_put_and_changed_by_put_and_patch() {
    let server = TestServer::start();
    let [on, off, external] = [(true, true), (false, true), (false, false)]
        .map(|(active, integrated)| settings(active, integrated));
    let required = json!({ "message": { "api_url": ["is a required field"], "token": ["is a required field"] } });
    let script = format!(
        r#"
        GET /settings
        404 {{"message": "404 Error Tracking Setting Not Found"}}
        PATCH /settings {{"active": true}}
        404 {{"message": "404 Error Tracking Setting Not Found"}}
        PUT /settings {{"active": true}}
        400 {{"message": "400 (Bad request) \"integrated\" not given"}}
        PUT /settings {{"integrated": true}}
        400 {{"message": "400 (Bad request) \"active\" not given"}}
        PUT /settings {{"active": "often", "integrated": true}}
        400 {{"error": "active is invalid"}}
        PUT /settings {{"active": true, "integrated": false}}
        400 {required}
        GET /settings
        404 {{"message": "404 Error Tracking Setting Not Found"}}
        PUT /settings {{"active": true, "integrated": true}}
        200 {on}
        GET /settings
        200 {on}
        PATCH /settings {{"active": false}}
        200 {off}
        PATCH /settings {{"active": false, "integrated": false}}
        200 {external}
        PATCH /settings {{"active": true}}
        400 {required}
        PATCH /settings {{"active": true, "integrated": true}}
        200 {on}
        PATCH /settings {{"integrated": true}}
        400 {{"message": "400 (Bad request) \"active\" not given"}}
        "#
    );
    let base = create_project(&server);
    play(&server.admin(), &base, &script);
    let keys = server.admin().get(&format!("{base}/client_keys")).list();
    assert_eq!(keys.len(), 1, "the first key is made once");
}

#[test]
fn the_word_for_the_tracker_is_the_configured_one() {
    let server = TestServer::start_configured("[naming]\ntracker = \"sentry\"\n");
    let admin = server.admin();
    let settings = admin.get(&below(&server, "/settings")).expect(200);
    assert_eq!(settings.get("sentry_external_url"), Some(&Value::Null));
    let keys = admin.get(&below(&server, "/client_keys")).list();
    assert_eq!(keys[0]["sentry_dsn"], server.demo["tracker"]["dsn"]);
}

#[test]
fn a_disabled_tracker_refuses_events_at_once() {
    let server = TestServer::start();
    let tracker = server.tracker();
    for (active, integrated, status) in [(false, true, 403), (true, true, 200)] {
        let switched = json!({ "active": active, "integrated": integrated });
        let admin = server.admin();
        admin
            .put(&below(&server, "/settings"), &switched)
            .expect(200);
        tracker.store(&event("Switched")).expect(status);
    }
}

#[test]
fn options_are_changed_one_by_one_within_their_bounds() {
    let server = TestServer::start();
    let usual = json!({
        "events_per_minute": 60_000, "error_events_per_minute": null, "events_per_day": null, "events_per_error": 500, "retention_days": 90,
        "opens_alerts": false, "scrub_defaults": true, "scrub_ip_addresses": false, "sensitive_fields": [],
        "safe_fields": [],
    });
    let mut changed = usual.clone();
    changed["events_per_day"] = json!(7);
    changed["sensitive_fields"] = json!(["iban"]);
    let mut back = changed.clone();
    back["events_per_day"] = Value::Null;
    let script = format!(
        r#"
        GET .
        200 {usual}
        PATCH . {{"events_per_day": 7, "sensitive_fields": ["iban"]}}
        200 {changed}
        PATCH . {{"events_per_day": null}}
        200 {back}
        PATCH . {{"retention_days": 0}}
        400 {{"error": "retention_days does not have a valid value"}}
        PATCH . {{"events_per_error": 19}}
        400 {{"error": "events_per_error does not have a valid value"}}
        GET .
        200 {back}
        "#
    );
    play(&server.admin(), &below(&server, "/options"), &script);
}

#[test]
fn sensitive_fields_of_the_project_are_filtered() {
    let server = TestServer::start();
    let options = json!({ "sensitive_fields": ["iban"], "safe_fields": ["token_count"], "scrub_ip_addresses": true });
    let admin = server.admin().with("Content-Type", "application/json");
    let answer = admin.send(
        "PATCH",
        &below(&server, "/options"),
        options.to_string().as_bytes(),
    );
    answer.expect(200);
    let mut sent = event("Scrubbed");
    sent["extra"] =
        json!({ "iban": "DE89", "token_count": "3", "password": "hunter2", "plain": "seen" });
    sent["user"] = json!({ "id": "7", "ip_address": "192.0.2.7" });
    server.tracker().store(&sent).expect(200);
    let error = super::error(&server, "Scrubbed");
    let latest = format!("{}/events/latest", super::path_of(&server, &error));
    let report = server.reporter().get(&latest).expect(200)["report"].clone();
    let filtered = json!({ "iban": "[Filtered]", "token_count": "3", "password": "[Filtered]", "plain": "seen" });
    assert_eq!(report["extra"], filtered);
    assert_eq!(report["user"]["ip_address"], Value::Null);
    assert!(!report["notes"].as_array().unwrap().is_empty());
}
