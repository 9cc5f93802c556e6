//! PostgreSQL specifics of lists over many projects.

use diesel::sql_types::{Array, BigInt};

use super::ProjectList;

/// Type of a list of ids as one parameter.
pub(crate) type ProjectIdArray = Array<BigInt>;

pub(crate) fn id_list(ids: impl Iterator<Item = i64>) -> Vec<i64> {
    ids.collect()
}

/// Selects the projects of the first `limit` heads of a list.
pub(crate) fn heads(list: &ProjectList, limit: i64) -> String {
    let (table, conditions) = (list.table, &list.conditions);
    format!(
        "SELECT h.project_id AS number FROM unnest(CAST($1 AS BIGINT[])) AS p (id) CROSS JOIN LATERAL \
         (SELECT e.* FROM {table} AS e WHERE e.project_id = p.id AND {conditions} {} LIMIT 1) AS h \
         {}, h.project_id LIMIT {limit}",
        list.sorted("e"),
        list.sorted("h")
    )
}
