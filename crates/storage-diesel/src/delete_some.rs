//! Deletion of what a project has, some rows at a time.

use api_conventions::ids::ProjectId;

/// A statement that deletes rows of a project from a table, to be ended with how many and a parenthesis. `key` are the columns of a
/// key of the table, all of them.
///
/// The project is named where the rows are chosen and nowhere else: were it named beside the key as well, the planner would rather
/// walk through all that the project has than look each row up.
pub(crate) fn delete_some(table: &str, key: &str, project: ProjectId) -> String {
    format!(
        "DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE project_id = {project} LIMIT "
    )
}
