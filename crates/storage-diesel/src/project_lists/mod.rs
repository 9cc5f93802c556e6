//! First rows of a list over many projects, each of which has the list in an index.
//!
//! The index of each project gives its first row, its head. As many projects as the list has rows, those with the first
//! heads, have all rows of the list. So the cost depends on the number of projects, and not on the number of their rows.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use api_conventions::ids::ProjectId;
use diesel::sql_types::BigInt;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::transaction::row_limit;

/// List that every project has in an index, which begins with the project and the columns of the conditions.
#[derive(Debug, Clone)]
pub(crate) struct ProjectList {
    /// Table of the rows.
    pub(crate) table: &'static str,
    /// Conditions on the columns of `e`, a row of the table.
    pub(crate) conditions: String,
    /// Columns by which the list is sorted; the last is unique within a project.
    pub(crate) columns: &'static [&'static str],
    /// Direction of all columns: `ASC` or `DESC`.
    pub(crate) direction: &'static str,
}

impl ProjectList {
    /// Returns the clause that sorts rows of the table `of`, within one project.
    pub(crate) fn sorted(&self, of: &str) -> String {
        let direction = self.direction;
        let column = |column: &&str| format!("{of}.{column} {direction}");
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("ORDER BY {}", columns.join(", "))
    }

    /// Selects the first rows of one project, with the columns of the order.
    fn first_of(&self, project: i64, limit: i64) -> String {
        let (table, conditions, order) = (self.table, &self.conditions, self.sorted("e"));
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|name| format!("e.{name}"))
            .collect();
        format!(
            "SELECT * FROM (SELECT e.id, e.project_id, {} FROM {table} AS e WHERE e.project_id = {project} AND {conditions} \
             {order} LIMIT {limit}) AS of_{project}",
            columns.join(", ")
        )
    }

    /// Selects the first rows of all of these projects, of which there is at least one.
    fn first_of_all(&self, projects: &[i64], limit: i64) -> String {
        let parts: Vec<String> = projects
            .iter()
            .map(|project| self.first_of(*project, limit))
            .collect();
        let (parts, order) = (parts.join(" UNION ALL "), self.sorted("f"));
        format!("SELECT f.id AS number FROM ({parts}) AS f {order}, f.project_id LIMIT {limit}")
    }
}

/// Number in a result: the project of a head, or the id of a row.
#[derive(Debug, diesel::QueryableByName)]
struct ListNumber {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

#[for_each_database(dialect = crate::project_lists)]
mod database {
    impl ReadTx<'_> {
        /// Returns the ids of the first rows of a list of these projects, at most `limit`, in no particular order.
        pub(crate) fn first_ids_of_projects(
            &mut self,
            operation: &'static str,
            list: &ProjectList,
            projects: &[ProjectId],
            limit: usize,
        ) -> Result<Vec<i64>, StoreError> {
            let (projects, limit) = (projects.iter().map(|id| id.get()), row_limit(limit));
            let heads = diesel::sql_query(dialect::heads(list, limit));
            let heads = heads.bind::<dialect::ProjectIdArray, _>(dialect::id_list(projects));
            let heads: Vec<ListNumber> = self.values(operation, heads)?;
            let heads: Vec<i64> = heads.into_iter().map(|head| head.number).collect();
            if heads.is_empty() {
                return Ok(Vec::new());
            }
            let rows = diesel::sql_query(list.first_of_all(&heads, limit));
            let rows: Vec<ListNumber> = self.values(operation, rows)?;
            Ok(rows.into_iter().map(|row| row.number).collect())
        }
    }
}
