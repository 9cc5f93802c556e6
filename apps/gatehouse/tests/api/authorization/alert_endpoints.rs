//! Valid requests for alert endpoints.

use serde_json::{Value, json};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::change;

/// A valid request for an operation of the area; `None` for any other.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let with = |path: String, body: &Value| SampleRequest {
        path,
        body: body.to_string(),
    };
    let all = fixture
        .server
        .below_project("/alert_management/integrations");
    let one = || {
        // A project has at most 100 endpoints.
        change(
            fixture.server,
            "DELETE FROM alert_integrations WHERE name = 'Sample'",
        );
        let new = json!({ "name": "Sample" });
        let created = fixture.server.admin().post(&all, &new).expect(201);
        format!("{all}/{}", created["id"])
    };
    Some(match operation {
        "listAlertIntegrations" => get(all),
        "createAlertIntegration" => {
            change(
                fixture.server,
                "DELETE FROM alert_integrations WHERE name = 'Kuma'",
            );
            with(all, &json!({ "name": "Kuma", "type": "http" }))
        }
        "showAlertIntegration" | "deleteAlertIntegration" => get(one()),
        "showHeartbeat" => {
            let one = one();
            let expects = json!({ "heartbeat_interval": 3600 });
            fixture.server.admin().put(&one, &expects).expect(200);
            get(format!("{one}/heartbeat"))
        }
        "updateAlertIntegration" => with(one(), &json!({ "ignored_labels": ["replica"] })),
        "rotateAlertIntegrationKey" => with(format!("{}/rotate", one()), &json!({})),
        "listAlertPayloadFields" => {
            let fields = fixture
                .server
                .below_project("/alert_management/payload_fields");
            with(fields, &json!({ "payload_example": "{\"a\": 1}" }))
        }
        _ => return None,
    })
}
