//! Valid requests for notification channels.

use serde_json::json;

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::change;

const OWN: &str = "/api/v4/user/notification_channels";

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
    let hooks = server.below_project("/hooks");
    let new_hook = json!({ "url": "http://127.0.0.1:1/" });
    let hook = |rest: &str| {
        fresh();
        let created = server.admin().post(&hooks, &new_hook).expect(201);
        format!("{hooks}/{}{rest}", created["id"])
    };
    // Of an administrator.
    let own = |rest: &str| {
        fresh();
        let created = server.admin().post(OWN, &new).expect(201);
        format!("{OWN}/{}{rest}", created["id"])
    };
    Some(match operation {
        "listUserNotificationChannels" => get(OWN.to_owned()),
        "createUserNotificationChannel" => {
            fresh();
            with(OWN.to_owned(), new.to_string())
        }
        "showUserNotificationChannel" | "deleteUserNotificationChannel" => get(own("")),
        "updateUserNotificationChannel" => with(own(""), json!({ "hourly_limit": 5 }).to_string()),
        "testUserNotificationChannel" => with(own("/test"), "{}".to_owned()),
        "listUserNotificationMessages" => get(own("/messages")),
        "listNotificationChannels" => get(all.clone()),
        "listNotificationMessages" => get(server.below_project("/notification_messages")),
        "createNotificationChannel" => {
            fresh();
            with(all.clone(), new.to_string())
        }
        "showNotificationChannel" | "deleteNotificationChannel" => get(one("")),
        "updateNotificationChannel" => with(one(""), json!({ "hourly_limit": 5 }).to_string()),
        "listProjectHooks" => get(hooks.clone()),
        "createProjectHook" => {
            fresh();
            with(hooks.clone(), new_hook.to_string())
        }
        "showProjectHook" | "deleteProjectHook" => get(hook("")),
        "updateProjectHook" => with(hook(""), json!({ "alert_events": true }).to_string()),
        "testProjectHook" => {
            let issue = json!({ "title": "Sample" });
            let issues = server.below_project("/issues");
            server.admin().post(&issues, &issue).expect(201);
            with(hook("/test/issues_events"), "{}".to_owned())
        }
        "testNotificationChannel" => with(one("/test"), "{}".to_owned()),
        "rotateNotificationSecret" => with(one("/rotate"), "{}".to_owned()),
        _ => return None,
    })
}
