//! PostgreSQL specifics of alerts.

mod idempotency_records;
mod intake;
mod statements;

use api_conventions::ids::ProjectId;

use super::statements::pairs;

pub(super) use idempotency_records::{
    delete_idempotency_records, list_idempotency_records, put_idempotency_records,
};
pub(crate) use intake::ReadAhead;
pub(super) use intake::{
    advance_alerts, insert_alerts, insert_receipts, insert_slices, latest_by_identity, lock_alerts,
    reserve_alert_numbers, revise_alerts,
};

/// Returns the text of one of several lists that are merged.
/// Each list repeats the order, because only there does the planner know that a column is constant, and the limit,
/// because the planner would flatten the lists without it.
pub(crate) fn sorted_list(list: &str, order: &str, limit: i64) -> String {
    format!("({list} ORDER BY {order} LIMIT {limit})")
}

/// Returns the condition that an alert of a project has one of these numbers.
/// Each number is looked up separately: for a single number, the planner uses the key even if it has no statistics of
/// the table, while for a list of numbers it considers any index of the project as good.
pub(crate) fn numbered(project: ProjectId, iids: &[i64]) -> String {
    let wanted: Vec<String> = iids.iter().map(|iid| format!("({iid})")).collect();
    if wanted.is_empty() {
        return "FALSE".to_owned();
    }
    format!(
        "alerts.id = ANY (ARRAY(SELECT (SELECT a.id FROM alerts AS a WHERE a.project_id = {project} AND a.iid = wanted.iid) \
         FROM (VALUES {}) AS wanted (iid)))",
        wanted.join(", ")
    )
}

/// Selects columns of the alerts that fulfil some conditions and have a number in one of these ranges.
/// The query is planned once and run for each range, because many queries in one are planned one by one, which takes several
/// times as long as running them.
pub(crate) fn in_ranges(columns: &str, conditions: &str, ranges: &[(i64, i64)]) -> String {
    format!(
        "SELECT found.* FROM (VALUES {}) AS ranges (low, high) CROSS JOIN LATERAL (SELECT {columns} FROM alerts \
         WHERE {conditions} AND iid BETWEEN ranges.low AND ranges.high OFFSET 0) AS found",
        pairs(ranges)
    )
}
