//! Writing many rows at once, on PostgreSQL: one statement over arrays, because every statement costs a round trip.

#[cfg(feature = "projects")]
use diesel::prelude::*;
#[cfg(any(feature = "events", feature = "projects"))]
use storage::StoreError;

#[cfg(any(feature = "events", feature = "projects"))]
use super::PgWriteTx;

#[cfg(feature = "events")]
use super::statements::InsertEvents;
#[cfg(feature = "projects")]
use super::statements::TouchProjects;
#[cfg(feature = "projects")]
use crate::error::from_diesel;
#[cfg(feature = "projects")]
use crate::repo::Transaction as _;
#[cfg(feature = "events")]
use crate::rows::events::NewEventRow;

/// The visibility of projects in the conditions of lists. The planner knows how many projects have which.
#[cfg(feature = "projects")]
pub(crate) const PROJECT_VISIBILITY: &str = "projects.visibility";

/// One of several lists that are merged. The order has to stand in each of them, because only there the planner knows
/// that a column is always the same; and the limit, because without it the planner would take the lists apart again.
#[cfg(feature = "alert-intake")]
pub(crate) fn sorted_list(list: &str, order: &str, limit: i64) -> String {
    format!("({list} ORDER BY {order} LIMIT {limit})")
}

/// A query, which has conditions, over several ranges of a column. It is planned once and run for each range, because
/// many queries in one are planned one by one, which takes several times as long as running them.
#[cfg(feature = "alert-intake")]
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

/// Notes the activity of projects in the order in which it is told. One statement, unless the moments of a project lie
/// further apart than the activity is noted: then it is repeated until nothing is left to note.
#[cfg(feature = "projects")]
pub(crate) fn touch_projects(
    tx: &mut PgWriteTx<'_>,
    moments: &[(i64, i64)],
    grain_micros: i64,
) -> Result<(), StoreError> {
    const OPERATION: &str = "touch projects";
    let statement = || {
        let mut told = TouchProjects::default();
        for (project, moment) in moments {
            told.projects.push(*project);
            told.moments.push(*moment);
        }
        told
    };
    let first = moments.iter().map(|(_, moment)| *moment).min();
    let last = moments.iter().map(|(_, moment)| *moment).max();
    let is_long = first
        .zip(last)
        .is_some_and(|(first, last)| last - first >= grain_micros);
    if !is_long {
        let bytes = size_of_val(moments);
        return tx.write_rows(OPERATION, "projects", statement(), bytes);
    }
    let connection = tx.connection()?;
    let mut noted = 1;
    while noted > 0 {
        noted = statement()
            .execute(connection)
            .map_err(|e| from_diesel(OPERATION, e))?;
    }
    Ok(())
}

#[cfg(feature = "events")]
pub(crate) fn insert_events(
    tx: &mut PgWriteTx<'_>,
    rows: &[NewEventRow<'_>],
) -> Result<(), StoreError> {
    let mut columns = InsertEvents::default();
    let mut bytes = size_of_val(rows);
    for row in rows {
        columns.project_id.push(row.project_id);
        columns.author_id.push(row.author_id);
        columns.action.push(row.action);
        columns.target_type.push(row.target_type);
        columns.target_id.push(row.target_id);
        columns.target_iid.push(row.target_iid);
        columns
            .target_title
            .push(row.target_title.map(str::to_owned));
        columns.audience.push(row.audience);
        columns.created_at.push(row.created_at);
        bytes += row.target_title.map_or(0, str::len);
    }
    tx.write_rows("insert events", "events", columns, bytes)
}
