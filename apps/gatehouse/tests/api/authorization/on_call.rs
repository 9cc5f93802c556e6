//! Valid requests for on-call schedules.

use serde_json::json;

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::change;

/// A valid request for an operation of the area; `None` for any other.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let server = fixture.server;
    let all = server.below_project("/on_call_schedules");
    let fresh = || {
        // A project has at most 20 schedules.
        change(server, "DELETE FROM on_call_schedules");
    };
    let user = || server.admin().get("/api/v4/user").expect(200)["id"].clone();
    let new = || {
        json!({
            "name": "Sample",
            "time_zone": "UTC",
            "first_handoff": "2026-11-30",
            "handoff_time": "09:00",
            "participant_ids": [user()],
        })
    };
    let one = |rest: &str| {
        fresh();
        let created = server.admin().post(&all, &new()).expect(201);
        format!("{all}/{}{rest}", created["id"])
    };
    let of_override = || json!({ "user_id": user(), "from": "2099-01-01", "until": "2099-01-02" });
    let with = |path: String, body: String| SampleRequest { path, body };
    Some(match operation {
        "listOnCallSchedules" => get(all.clone()),
        "createOnCallSchedule" => {
            fresh();
            with(all.clone(), new().to_string())
        }
        "showOnCallSchedule" | "deleteOnCallSchedule" => get(one("")),
        "updateOnCallSchedule" => with(one(""), json!({ "turn_weeks": 2 }).to_string()),
        "listOnCallShifts" => get(one("/shifts")),
        "listOnCallOverrides" => get(one("/overrides")),
        "createOnCallOverride" => with(one("/overrides"), of_override().to_string()),
        "deleteOnCallOverride" => {
            let overrides = one("/overrides");
            let created = server.admin().post(&overrides, &of_override()).expect(201);
            get(format!("{overrides}/{}", created["id"]))
        }
        _ => return None,
    })
}
