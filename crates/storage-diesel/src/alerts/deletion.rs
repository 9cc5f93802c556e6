//! Deletion of the alerts of a project.

use api_conventions::ids::ProjectId;

use crate::delete_some::delete_some;

/// Returns the statements that delete the rows of a project, each to be completed with a limit and a parenthesis.
/// Referencing rows are deleted before the rows that they refer to.
pub(super) fn rows_of(project: ProjectId) -> [(&'static str, String); 10] {
    let by = |table: &str, key: &str| delete_some(table, key, project);
    let answers = format!(
        "DELETE FROM alert_kept_answers WHERE id IN (SELECT k.id FROM alert_kept_answers AS k \
         JOIN alert_integrations AS i ON i.id = k.integration_id WHERE i.project_id = {project} LIMIT "
    );
    [
        ("delete alerts", by("alerts", "id")),
        ("delete incident links", by("alert_incidents", "alert_id")),
        (
            "delete incident settings",
            by("incident_settings", "project_id"),
        ),
        ("delete receipts", by("alert_receipts", "project_id, id")),
        (
            "delete search index",
            by("alert_search", "project_id, part, slot"),
        ),
        (
            "delete search index",
            by("alert_search_progress", "project_id"),
        ),
        ("delete counter", by("alert_counters", "project_id")),
        ("delete idempotency records", answers),
        (
            "delete heartbeats",
            by("alert_heartbeats", "integration_id"),
        ),
        ("delete endpoints", by("alert_integrations", "id")),
    ]
}
