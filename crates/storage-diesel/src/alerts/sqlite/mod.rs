//! SQLite specifics of alerts.

mod idempotency_records;
mod intake;
mod statements;

use api_conventions::ids::ProjectId;

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

/// Applies a query, which has conditions, to several ranges of a column, once for each range.
pub(crate) fn in_ranges(query: &str, column: &str, ranges: &[(i64, i64)]) -> String {
    let queries: Vec<String> = ranges
        .iter()
        .map(|(first, last)| format!("{query} AND {column} BETWEEN {first} AND {last}"))
        .collect();
    queries.join(" UNION ALL ")
}
