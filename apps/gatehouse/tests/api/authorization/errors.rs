//! Valid requests for error tracking.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;

/// A URL that receives no request, because connecting a tracker does not contact it.
const API_URL: &str = "https://tracker.example.com/api/0/projects/acme/web-shop";

/// A valid request for an operation of error tracking; `None` for any other. Destructive operations get fresh
/// resources.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let server = fixture.server;
    let below = |rest: &str| server.below_project(&format!("/error_tracking{rest}"));
    let with = |path: String, body: Value| SampleRequest {
        path,
        body: body.to_string(),
    };
    let switched = json!({ "active": true, "integrated": true });
    let key = || {
        let created = server.admin().post(&below("/client_keys"), &json!({}));
        below(&format!("/client_keys/{}", created.expect(201)["id"]))
    };
    let error = || below(&format!("/errors/{}", fresh_error(fixture)));
    if operation == "connectExternalTracker" {
        let tracker = json!({ "api_url": API_URL, "token": "a-token" });
        return Some(with(below("/external_tracker"), tracker));
    }
    // The operation above connects the project to an external tracker.
    let here = server.admin().put(&below("/settings"), &switched);
    here.expect(200);
    Some(match operation {
        // This server also serves the tracker's web API.
        "listExternalProjects" => with(
            below("/external_tracker/projects"),
            json!({ "api_url": server.base_url(), "token": server.text("/admin/token") }),
        ),
        "showErrorTrackingSettings" => get(below("/settings")),
        "replaceErrorTrackingSettings" | "updateErrorTrackingSettings" => {
            with(below("/settings"), switched)
        }
        "showErrorTrackingOptions" => get(below("/options")),
        "updateErrorTrackingOptions" => with(below("/options"), json!({ "retention_days": 30 })),
        "listClientKeys" | "createClientKey" => get(below("/client_keys")),
        "updateClientKey" => with(key(), json!({ "active": false })),
        "deleteClientKey" => get(key()),
        "listErrors" => get(below("/errors")),
        "showError" | "deleteError" => get(error()),
        "updateError" => with(error(), json!({ "status": "resolved" })),
        "mergeError" => {
            let into = json!({ "into_iid": fresh_error(fixture) });
            with(format!("{}/merge", error()), into)
        }
        "splitError" => get(merged(fixture)),
        "listErrorEvents" => get(format!("{}/events", error())),
        "showErrorEvent" => get(format!("{}/events/latest", error())),
        "findErrorEvent" => get(below(&format!("/events/{}", sdk_id(fixture)))),
        "downloadErrorAttachment" => get(attachment(fixture)),
        "listErrorComments" => get(format!("{}/comments", error())),
        "listErrorStatistics" => get(below("/statistics")),
        "listTrackerProjects" => get("/api/0/projects/".to_owned()),
        "listTrackerIssues" => get("/api/0/projects/acme/web-shop/issues/".to_owned()),
        "showTrackerIssue" => get("/api/0/issues/1/".to_owned()),
        "showTrackerEvent" => get("/api/0/issues/1/events/latest/".to_owned()),
        "showTrackerProjectEvent" => get(format!(
            "/api/0/projects/acme/web-shop/events/{}/",
            sdk_id(fixture)
        )),
        "findTrackerEvent" => get(format!(
            "/api/0/organizations/acme/eventids/{}/",
            sdk_id(fixture)
        )),
        "updateTrackerIssue" => with(
            "/api/0/issues/1/".to_owned(),
            json!({ "status": "unresolved" }),
        ),
        "listReleaseHealth" => get(below("/releases")),
        "listMonitors" => get(below("/monitors")),
        "deleteMonitor" => get(below(&format!("/monitors/{}", fresh_monitor(fixture)))),
        _ => return None,
    })
}

/// A fresh error, which no other sample uses.
fn fresh_error(fixture: &AuthorizationFixture<'_>) -> Value {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let word = format!("word{}", letters(NUMBER.fetch_add(1, Ordering::Relaxed)));
    let server = fixture.server;
    let tracker = server.tracker();
    tracker.store(&json!({ "message": word })).expect(200);
    let path = server.below_project(&format!("/error_tracking/errors?search={word}"));
    server.admin().get(&path).list()[0]["iid"].clone()
}

/// The id of a fresh monitor.
fn fresh_monitor(fixture: &AuthorizationFixture<'_>) -> Value {
    let (server, tracker) = (fixture.server, fixture.server.tracker());
    let path = format!("{}/cron/job/{}/?status=ok", tracker.base, tracker.key);
    tracker.caller.get(&path).expect(202);
    let path = server.below_project("/error_tracking/monitors");
    server.admin().get(&path).list()[0]["id"].clone()
}

/// The id of a fresh event, as returned to an SDK.
fn sdk_id(fixture: &AuthorizationFixture<'_>) -> String {
    let accepted = fixture
        .server
        .tracker()
        .store(&json!({ "message": "found by its id" }));
    accepted.expect(200)["id"].as_str().unwrap().to_owned()
}

/// A number in letters, because grouping ignores digits in messages.
fn letters(number: u32) -> String {
    let digits = number.to_string();
    let letter = |digit: u8| char::from(b'a' + (digit - b'0'));
    digits.bytes().map(letter).collect()
}

/// The path that splits a key off a merged error.
fn merged(fixture: &AuthorizationFixture<'_>) -> String {
    let server = fixture.server;
    let [from, into] = [fresh_error(fixture), fresh_error(fixture)];
    let errors = server.below_project("/error_tracking/errors");
    let merge = server.admin().post(
        &format!("{errors}/{from}/merge"),
        &json!({ "into_iid": into }),
    );
    merge.expect(200);
    let error = server.admin().get(&format!("{errors}/{into}")).expect(200);
    format!(
        "{errors}/{into}/grouping/{}/split",
        error["grouping"][1]["id"]
    )
}

/// The path of an attachment of a fresh error.
fn attachment(fixture: &AuthorizationFixture<'_>) -> String {
    let server = fixture.server;
    let id = uuid::Uuid::new_v4().simple().to_string();
    let envelope = format!(
        "{{\"event_id\":\"{id}\"}}\n{{\"type\":\"event\"}}\n{{\"message\":\"with a file\"}}\n\
         {{\"type\":\"attachment\",\"length\":3,\"filename\":\"a.txt\"}}\nabc\n"
    );
    let accepted = server.tracker().envelope(envelope.as_bytes());
    accepted.expect(200);
    let errors = server.below_project("/error_tracking/errors");
    let found = server
        .admin()
        .get(&format!("{errors}?search=with%20a%20file"));
    let error = found.list()[0]["iid"].clone();
    let event = format!("{errors}/{error}/events/{id}");
    let files = server.admin().get(&event).expect(200)["attachments"].clone();
    format!("{event}/attachments/{}", files[0]["id"])
}
