//! Deletion of the rows of a project, and of references to a user, in batches.

use api_conventions::ids::{ProjectId, UserId};

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

/// References of one column to a user, as a table, the columns of a key of the table, and the column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserReference {
    pub(crate) table: &'static str,
    pub(crate) key: &'static str,
    pub(crate) column: &'static str,
}

impl UserReference {
    pub(crate) const fn new(table: &'static str, key: &'static str, column: &'static str) -> Self {
        Self { table, key, column }
    }

    fn some(self, user: UserId) -> String {
        let Self { table, key, column } = self;
        format!("({key}) IN (SELECT {key} FROM {table} WHERE {column} = {user} LIMIT ")
    }

    /// Returns a statement that deletes rows that refer to a user, to be completed with a limit and a parenthesis.
    pub(crate) fn delete(self, user: UserId) -> String {
        format!("DELETE FROM {} WHERE {}", self.table, self.some(user))
    }

    /// Returns a statement that replaces references to a user, to be completed with a limit and a parenthesis.
    pub(crate) fn replace(self, user: UserId, successor: Option<UserId>) -> String {
        let value = successor.map_or_else(|| "NULL".to_owned(), |id| id.to_string());
        let (table, column) = (self.table, self.column);
        format!(
            "UPDATE {table} SET {column} = {value} WHERE {}",
            self.some(user)
        )
    }
}
