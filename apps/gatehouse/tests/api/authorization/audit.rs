//! Valid requests for audit events.

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::{change, number};

/// A valid request for an operation of the area; `None` for any other.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let of_project = fixture.server.below_project("/audit_events");
    let of_group = format!("/api/v4/groups/{}/audit_events", fixture.group);
    let all = "/api/v4/audit_events".to_owned();
    Some(get(match operation {
        "listAuditEvents" => all,
        "listProjectAuditEvents" => of_project,
        "listGroupAuditEvents" => of_group,
        "exportAuditEvents" => format!("{all}/export"),
        "exportProjectAuditEvents" => format!("{of_project}/export"),
        "exportGroupAuditEvents" => format!("{of_group}/export"),
        "showAuditEvent" => format!("{all}/{}", event(fixture, 1, &fixture.group.to_string())),
        "showProjectAuditEvent" => {
            format!(
                "{of_project}/{}",
                event(fixture, 2, &fixture.server.project())
            )
        }
        "showGroupAuditEvent" => {
            format!(
                "{of_group}/{}",
                event(fixture, 1, &fixture.group.to_string())
            )
        }
        _ => return None,
    }))
}

/// The id of a fresh event of an entity, given by the number of its kind and its id. The server is its author.
fn event(fixture: &AuthorizationFixture<'_>, kind: u8, id: &str) -> i64 {
    change(
        fixture.server,
        &format!(
            "INSERT INTO audit_entries (entity_type, entity_id, event_name, details, created_at) \
             VALUES ({kind}, {id}, 22, '', 1700000000000000)"
        ),
    );
    number(fixture.server, "SELECT max(id) FROM audit_entries")
}
