//! Deletion of an error, and of the errors of a project.

use api_conventions::ids::{ErrorId, ProjectId};

use crate::delete_some::delete_some;

/// Returns the statement that deletes the rows of a table that belong to events, which a condition on the table of
/// events selects.
pub(super) fn rows_of_events(table: &str, events: &str) -> String {
    format!(
        "DELETE FROM {table} WHERE id IN (SELECT c.id FROM (SELECT project_id, event_id FROM error_events WHERE {events}) AS e \
         CROSS JOIN {table} AS c WHERE c.project_id = e.project_id AND c.event_id = e.event_id)"
    )
}

/// Returns the statements that delete an error with all its rows.
/// Referencing rows are deleted before the rows that they refer to.
pub(super) fn rows_of_error(error: ErrorId) -> Vec<String> {
    let keys = format!("(SELECT id FROM error_keys WHERE error_id = {error})");
    let events = format!("error_events AS e WHERE e.key_id IN {keys}");
    let mut all = Vec::new();
    for table in ["error_comments", "error_attachments"] {
        all.push(format!(
            "DELETE FROM {table} WHERE id IN (SELECT c.id FROM {table} AS c JOIN error_events AS e \
             ON e.project_id = c.project_id AND e.event_id = c.event_id WHERE e.key_id IN {keys})"
        ));
    }
    all.push(format!(
        "DELETE FROM error_events WHERE id IN (SELECT e.id FROM {events})"
    ));
    for table in ["error_shared", "error_hours", "error_users", "error_tags"] {
        all.push(format!("DELETE FROM {table} WHERE key_id IN {keys}"));
    }
    for table in ["error_keys", "error_redirects"] {
        all.push(format!("DELETE FROM {table} WHERE error_id = {error}"));
    }
    all.push(format!("DELETE FROM errors WHERE id = {error}"));
    all
}

/// Returns the statements that delete the rows of a project, each to be completed with a limit and a parenthesis.
pub(super) fn rows_of(project: ProjectId) -> Vec<String> {
    let by = |table: &str, key: &str| delete_some(table, key, project);
    let of_keys = |table: &str, key: &str| {
        format!(
            "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE key_id IN \
             (SELECT id FROM error_keys WHERE project_id = {project}) LIMIT "
        )
    };
    vec![
        by("error_attachments", "id"),
        by("error_comments", "id"),
        by("error_events", "id"),
        by("error_shared", "id"),
        of_keys("error_hours", "key_id, hour"),
        of_keys("error_users", "key_id, mark"),
        of_keys("error_tags", "key_id, name, value"),
        by("error_keys", "id"),
        by("error_redirects", "id"),
        by("errors", "id"),
        by(
            "error_tallies",
            "project_id, day, key_id, category, outcome",
        ),
        by("error_sessions", "project_id, day, release, environment"),
        by("error_releases", "project_id, release"),
        by("monitors", "id"),
        by("error_counters", "project_id"),
        by("error_client_keys", "id"),
        by("error_links", "project_id, external_id"),
        by("error_settings", "project_id"),
    ]
}
