//! Deletion of the rows of a project, in batches.

use api_conventions::ids::ProjectId;

/// Returns a statement that deletes rows of a project from a table, to be completed with a limit and a parenthesis.
/// `key` lists all columns of a key of the table.
///
/// Only the inner query names the project: with a second condition next to the key, the planner would rather scan all
/// rows of the project than look up each row.
pub(crate) fn delete_some(table: &str, key: &str, project: ProjectId) -> String {
    format!(
        "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE project_id = {project} LIMIT "
    )
}
