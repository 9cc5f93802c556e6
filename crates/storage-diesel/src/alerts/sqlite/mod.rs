//! What SQLite does in its own way for alerts.

mod intake;
mod kept_answers;
mod statements;

use api_conventions::ids::ProjectId;

pub(super) use intake::{
    advance_alerts, insert_alerts, insert_receipts, insert_slices, latest_by_identity, lock_alerts,
    reserve_alert_numbers,
};
pub(super) use kept_answers::{delete_kept_answers, list_kept_answers, put_kept_answers};

/// One of several lists that are merged. The order of the whole reaches each of them by itself.
pub(crate) fn sorted_list(list: &str, _: &str, _: i64) -> String {
    list.to_owned()
}

/// That an alert of a project has one of these numbers.
pub(crate) fn numbered(project: ProjectId, iids: &[i64]) -> String {
    let wanted: Vec<String> = iids.iter().map(i64::to_string).collect();
    let wanted = wanted.join(", ");
    format!("alerts.project_id = {project} AND alerts.iid IN ({wanted})")
}

/// A query, which has conditions, over several ranges of a column: as often as there are ranges.
pub(crate) fn in_ranges(query: &str, column: &str, ranges: &[(i64, i64)]) -> String {
    let queries: Vec<String> = ranges
        .iter()
        .map(|(first, last)| format!("{query} AND {column} BETWEEN {first} AND {last}"))
        .collect();
    queries.join(" UNION ALL ")
}
