//! Valid requests for notification channels.

use serde_json::json;

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::change;

/// A valid request for an operation of the area; `None` for any other.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let server = fixture.server;
    let all = server.below_project("/notification_channels");
    let new = json!({ "kind": "webhook", "name": "Sample", "url": "http://127.0.0.1:1/" });
    let fresh = || {
        // A project has at most 20 channels.
        change(server, "DELETE FROM notification_channels");
    };
    let one = |rest: &str| {
        fresh();
        let created = server.admin().post(&all, &new).expect(201);
        format!("{all}/{}{rest}", created["id"])
    };
    let with = |path: String, body: String| SampleRequest { path, body };
    Some(match operation {
        "listNotificationChannels" => get(all.clone()),
        "listNotificationMessages" => get(server.below_project("/notification_messages")),
        "createNotificationChannel" => {
            fresh();
            with(all.clone(), new.to_string())
        }
        "showNotificationChannel" | "deleteNotificationChannel" => get(one("")),
        "updateNotificationChannel" => with(one(""), json!({ "hourly_limit": 5 }).to_string()),
        "testNotificationChannel" => with(one("/test"), "{}".to_owned()),
        "rotateNotificationSecret" => with(one("/rotate"), "{}".to_owned()),
        _ => return None,
    })
}
