//! SQLite specifics of lists over many projects.

/// Type of a list of ids as one parameter.
pub(crate) use diesel::sql_types::Text as ProjectIdArray;

use super::ProjectList;

/// Formats ids as a JSON array.
pub(crate) fn id_list(ids: impl Iterator<Item = i64>) -> String {
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    format!("[{}]", ids.join(","))
}

/// Selects the projects of the first `limit` heads of a list.
pub(crate) fn heads(list: &ProjectList, limit: i64) -> String {
    let (table, conditions) = (list.table, &list.conditions);
    format!(
        "SELECT h.project_id AS number FROM json_each(?) AS p CROSS JOIN {table} AS h ON h.id = \
         (SELECT e.id FROM {table} AS e WHERE e.project_id = p.value AND {conditions} {} LIMIT 1) \
         {}, h.project_id LIMIT {limit}",
        list.sorted("e"),
        list.sorted("h")
    )
}
