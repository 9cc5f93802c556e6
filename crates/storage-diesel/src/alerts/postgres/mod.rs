//! What PostgreSQL does in its own way for alerts.

mod intake;
mod kept_answers;
mod statements;

pub(crate) use intake::ReadAhead;
pub(super) use intake::{
    advance_alerts, insert_alerts, insert_receipts, insert_slices, latest_by_identity, lock_alerts,
    reserve_alert_numbers,
};
pub(super) use kept_answers::{delete_kept_answers, list_kept_answers, put_kept_answers};

/// One of several lists that are merged. The order has to stand in each of them, because only there the planner knows
/// that a column is always the same; and the limit, because without it the planner would take the lists apart again.
pub(crate) fn sorted_list(list: &str, order: &str, limit: i64) -> String {
    format!("({list} ORDER BY {order} LIMIT {limit})")
}

/// A query, which has conditions, over several ranges of a column. It is planned once and run for each range, because
/// many queries in one are planned one by one, which takes several times as long as running them.
pub(crate) fn in_ranges(query: &str, column: &str, ranges: &[(i64, i64)]) -> String {
    let values: Vec<String> = ranges
        .iter()
        .map(|(first, last)| format!("({first}, {last})"))
        .collect();
    format!(
        "SELECT found.* FROM (VALUES {}) AS ranges (low, high) CROSS JOIN LATERAL \
         ({query} AND {column} BETWEEN ranges.low AND ranges.high OFFSET 0) AS found",
        values.join(", ")
    )
}
