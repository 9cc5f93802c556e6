//! A good request for each operation. An operation without one fails the test.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

use super::subjects::Fixture;

/// A request without credentials.
pub(super) struct Sample {
    pub(super) path: String,
    pub(super) body: String,
}

fn get(path: String) -> Sample {
    Sample {
        path,
        body: String::new(),
    }
}

/// A good request for the operation; `None` where nobody wrote one.
pub(super) fn sample(fixture: &Fixture<'_>, operation: &str) -> Option<Sample> {
    let server = fixture.server;
    let alert = format!("{}/{}", server.alerts(), fixture.alert);
    Some(match operation {
        "listAlerts" => get(server.alerts()),
        "showAlert" => get(alert),
        "updateAlert" => Sample {
            path: alert,
            body: json!({ "status": "acknowledged" }).to_string(),
        },
        "listAlertReceipts" => get(server.below_project("/alert_receipts")),
        "showVersion" => get("/api/v4/version".to_owned()),
        "showMetadata" => get("/api/v4/metadata".to_owned()),
        "showCurrentUser" => get("/api/v4/user".to_owned()),
        "revokeOwnToken" => get("/api/v4/personal_access_tokens/self".to_owned()),
        "listProjects" => get("/api/v4/projects".to_owned()),
        "showProject" => get(server.below_project("")),
        "listProjectEvents" => get(server.below_project("/events")),
        "listApplications" => get("/api/v4/applications".to_owned()),
        "createApplication" => Sample {
            path: "/api/v4/applications".to_owned(),
            body:
                json!({ "name": "Shop", "redirect_uri": "https://shop.example/", "scopes": "api" })
                    .to_string(),
        },
        "deleteApplication" => get(format!("/api/v4/applications/{}", application(fixture))),
        "renewApplicationSecret" => get(format!(
            "/api/v4/applications/{}/renew-secret",
            application(fixture)
        )),
        "listLabels" => get(server.below_project("/labels")),
        "showLabel" | "deleteLabel" => get(label(fixture)),
        "createLabel" => Sample {
            path: server.below_project("/labels"),
            body: fresh_label(),
        },
        "updateLabel" => Sample {
            path: label(fixture),
            body: json!({ "color": "#fff" }).to_string(),
        },
        "listMilestones" => get(server.below_project("/milestones")),
        "createMilestone" => Sample {
            path: server.below_project("/milestones"),
            body: json!({ "title": fresh_title(fixture) }).to_string(),
        },
        "showMilestone" | "updateMilestone" | "deleteMilestone" => get(milestone(fixture)),
        _ => return None,
    })
}

/// The number of a fresh application.
fn application(fixture: &Fixture<'_>) -> String {
    fixture.server.relying_party("Shop").id
}

/// The body of a label with a name of its own.
fn fresh_label() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("label {}", NUMBER.fetch_add(1, Ordering::Relaxed));
    json!({ "name": name, "color": "#abc" }).to_string()
}

/// The path of a fresh label.
fn label(fixture: &Fixture<'_>) -> String {
    let labels = fixture.server.below_project("/labels");
    let made = fixture
        .server
        .admin()
        .post_bytes(&labels, fresh_label().as_bytes());
    format!("{labels}/{}", made.expect(201)["id"])
}

/// The path of a fresh milestone.
fn milestone(fixture: &Fixture<'_>) -> String {
    let path = fixture.server.below_project("/milestones");
    let title = json!({ "title": fresh_title(fixture) });
    let made = fixture.server.admin().post(&path, &title).expect(201);
    format!("{path}/{}", made["id"])
}

/// A title that no milestone has.
fn fresh_title(fixture: &Fixture<'_>) -> String {
    format!("M{}", crate::support::rows::count(fixture.server, "events"))
}
