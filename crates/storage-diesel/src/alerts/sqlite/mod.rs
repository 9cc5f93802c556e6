//! SQLite specifics of alerts.

mod idempotency_records;
mod intake;
mod statements;

use api_conventions::ids::ProjectId;

use super::statements::pairs;

pub(super) use idempotency_records::{
    delete_idempotency_records, list_idempotency_records, put_idempotency_records,
};
pub(super) use intake::{
    advance_alerts, insert_alerts, insert_receipts, insert_slices, latest_by_identity, lock_alerts,
    reserve_alert_numbers, revise_alerts,
};

/// Returns the text of one of several lists that are merged.
/// SQLite applies the order of the whole to each of them.
pub(crate) fn sorted_list(list: &str, _: &str, _: i64) -> String {
    list.to_owned()
}

/// Returns the condition that an alert of a project has one of these numbers.
pub(crate) fn numbered(project: ProjectId, iids: &[i64]) -> String {
    let wanted: Vec<String> = iids.iter().map(i64::to_string).collect();
    let wanted = wanted.join(", ");
    format!("alerts.project_id = {project} AND alerts.iid IN ({wanted})")
}

/// Selects columns of the alerts that fulfil some conditions and have a number in one of these ranges.
/// The query is planned once and run for each range: planning a query for each of them takes as long as the reads.
pub(crate) fn in_ranges(columns: &str, conditions: &str, ranges: &[(i64, i64)]) -> String {
    format!(
        "WITH ranges (low, high) AS (VALUES {}) SELECT {columns} FROM ranges CROSS JOIN alerts \
         WHERE {conditions} AND iid BETWEEN low AND high",
        pairs(ranges)
    )
}
