//! Writing many rows at once, on PostgreSQL: one statement over arrays, because every statement costs a round trip.

#[cfg(feature = "alert-intake")]
use alert_intake::model::{AlertIdentity, AlertNumbers, AlertProgress};
#[cfg(feature = "alert-intake")]
use alert_intake::search::SearchPart;
#[cfg(feature = "alert-intake")]
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
#[cfg(feature = "alert-intake")]
use api_conventions::time::Timestamp;
#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use diesel::prelude::*;

#[cfg(feature = "events")]
use super::statements::InsertEvents;
#[cfg(feature = "projects")]
use super::statements::TouchProjects;
#[cfg(feature = "alert-intake")]
use super::statements::{
    AdvanceAlerts, InsertAlerts, InsertReceipts, InsertSlices, LatestByIdentity, NextAlertIds,
    ReserveIids,
};
#[cfg(feature = "alert-intake")]
use crate::rows::alerts::{KnownAlertRow, NewAlertRow, NewReceiptRow};
#[cfg(feature = "events")]
use crate::rows::events::NewEventRow;
#[cfg(feature = "alert-intake")]
use crate::schema::alert_counters;

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
    connection: &mut PgConnection,
    moments: &[(i64, i64)],
    grain_micros: i64,
) -> QueryResult<()> {
    let first = moments.iter().map(|(_, moment)| *moment).min();
    let last = moments.iter().map(|(_, moment)| *moment).max();
    let is_long = first
        .zip(last)
        .is_some_and(|(first, last)| last - first >= grain_micros);
    loop {
        let mut told = TouchProjects::default();
        for (project, moment) in moments {
            told.projects.push(*project);
            told.moments.push(*moment);
        }
        if told.execute(connection)? == 0 || !is_long {
            return Ok(());
        }
    }
}

/// Locks the counters of projects in the order of their ids, so that no two transactions wait for each other. A
/// project that has no counter yet gets one first.
#[cfg(feature = "alert-intake")]
pub(crate) fn lock_alerts(connection: &mut PgConnection, projects: &[i64]) -> QueryResult<()> {
    if try_lock(connection, projects)? == projects.len() {
        return Ok(());
    }
    let rows: Vec<_> = projects
        .iter()
        .map(|project| {
            (
                alert_counters::project_id.eq(project),
                alert_counters::next_iid.eq(1),
            )
        })
        .collect();
    diesel::insert_into(alert_counters::table)
        .values(rows)
        .on_conflict_do_nothing()
        .execute(connection)?;
    try_lock(connection, projects).map(drop)
}

#[cfg(feature = "alert-intake")]
fn try_lock(connection: &mut PgConnection, projects: &[i64]) -> QueryResult<usize> {
    let locked: Vec<i64> = alert_counters::table
        .filter(alert_counters::project_id.eq_any(projects))
        .order(alert_counters::project_id)
        .select(alert_counters::project_id)
        .for_update()
        .load(connection)?;
    Ok(locked.len())
}

#[cfg(feature = "alert-intake")]
pub(crate) fn latest_by_identity(
    connection: &mut PgConnection,
    identities: &[(ProjectId, AlertIdentity)],
) -> QueryResult<Vec<KnownAlertRow>> {
    let mut wanted = LatestByIdentity::default();
    for (project, identity) in identities {
        wanted.projects.push(project.get());
        wanted.identities.push(identity.as_bytes());
    }
    wanted.load(connection)
}

/// Ids come from a sequence, which no transaction waits for; another node may take some in between, so they come
/// in runs.
#[cfg(feature = "alert-intake")]
pub(crate) fn reserve_alert_numbers(
    connection: &mut PgConnection,
    wanted: &[(ProjectId, i64)],
) -> QueryResult<Vec<AlertNumbers>> {
    let total = wanted.iter().map(|(_, count)| count).sum();
    let mut ids = NextAlertIds { count: total }
        .load::<i64>(connection)?
        .into_iter();
    let mut counters = ReserveIids::default();
    for (project, count) in wanted {
        counters.projects.push(project.get());
        counters.counts.push(*count);
    }
    let ends: Vec<(i64, i64)> = counters.load(connection)?;
    let mut numbers: Vec<AlertNumbers> = Vec::with_capacity(wanted.len());
    for (project_id, count) in wanted {
        let end = ends
            .iter()
            .find(|(project, _)| *project == project_id.get())
            .map(|(_, end)| *end)
            // Without its counter nobody knows which numbers are taken.
            .ok_or(diesel::result::Error::NotFound)?;
        let mine = ids
            .by_ref()
            .take(usize::try_from(*count).unwrap_or_default());
        for (iid, id) in (end - count..end).zip(mine) {
            match numbers.last_mut() {
                Some(run)
                    if run.project_id == *project_id && run.first_id.get() + run.count == id =>
                {
                    run.count += 1;
                }
                _ => numbers.push(AlertNumbers {
                    project_id: *project_id,
                    first_id: AlertId::new(id),
                    first_iid: AlertIid::new(iid),
                    count: 1,
                }),
            }
        }
    }
    Ok(numbers)
}

#[cfg(feature = "alert-intake")]
pub(crate) fn insert_alerts(
    connection: &mut PgConnection,
    rows: &[NewAlertRow<'_>],
) -> QueryResult<()> {
    let mut columns = InsertAlerts::default();
    for row in rows {
        columns.id.push(row.id);
        columns.project_id.push(row.project_id);
        columns.iid.push(row.iid);
        columns.integration_id.push(row.integration_id);
        columns.identity.push(row.identity);
        columns.closed_slot.push(row.closed_slot);
        columns.source.push(row.source);
        columns.title.push(row.title);
        columns.description.push(row.description);
        columns.severity.push(row.severity);
        columns.status.push(row.status);
        columns.service.push(row.service);
        columns.monitoring_tool.push(row.monitoring_tool);
        columns.hosts.push(&row.hosts);
        columns.environment_name.push(row.environment_name);
        columns.started_at.push(row.started_at);
        columns.last_started_at.push(row.last_started_at);
        columns.last_start_stated.push(row.last_start_stated);
        columns.ended_at.push(row.ended_at);
        columns.occurrences.push(row.occurrences);
        columns.deliveries.push(row.deliveries);
        columns.payload.push(row.payload);
        columns.created_at.push(row.created_at);
        columns.updated_at.push(row.updated_at);
    }
    columns.execute(connection).map(drop)
}

#[cfg(feature = "alert-intake")]
pub(crate) fn insert_receipts(
    connection: &mut PgConnection,
    rows: &[NewReceiptRow<'_>],
) -> QueryResult<()> {
    let mut columns = InsertReceipts::default();
    for row in rows {
        columns.project_id.push(row.project_id);
        columns.integration_id.push(row.integration_id);
        columns.received_at.push(row.received_at);
        columns.body_bytes.push(row.body_bytes);
        columns.created.push(row.created);
        columns.counted.push(row.counted);
        columns.resolved.push(row.resolved);
        columns.repeated.push(row.repeated);
        columns.user_agent.push(row.user_agent);
        columns.group_key.push(row.group_key);
        columns.truncated_alerts.push(row.truncated_alerts);
        columns.skipped_alerts.push(row.skipped_alerts);
        columns.notes.push(&row.notes);
    }
    columns.execute(connection).map(drop)
}

#[cfg(feature = "alert-intake")]
pub(crate) fn advance_alerts(
    connection: &mut PgConnection,
    progress: &[AlertProgress],
) -> QueryResult<()> {
    let mut columns = AdvanceAlerts::default();
    for step in progress {
        columns.id.push(step.id.get());
        columns.occurrences.push(step.occurrences);
        columns.deliveries.push(step.deliveries);
        columns.last_started_at.push(step.last_start.at.as_micros());
        columns.last_start_stated.push(step.last_start.is_stated);
        columns.resolves.push(step.resolved_at.is_some());
        columns
            .resolved_at
            .push(step.resolved_at.map(Timestamp::as_micros));
        columns.updated_at.push(step.updated_at.as_micros());
    }
    columns.execute(connection).map(drop)
}

#[cfg(feature = "alert-intake")]
pub(crate) fn insert_slices(connection: &mut PgConnection, part: &SearchPart) -> QueryResult<()> {
    let mut columns = InsertSlices::default();
    for (slot, blocks) in &part.slices {
        columns.project_id.push(part.project_id.get());
        columns.part.push(part.number);
        columns.slot.push(i32::from(*slot));
        columns.blocks.push(&blocks[..]);
    }
    columns.execute(connection).map(drop)
}

#[cfg(feature = "events")]
pub(crate) fn insert_events(
    connection: &mut PgConnection,
    rows: &[NewEventRow<'_>],
) -> QueryResult<()> {
    let mut columns = InsertEvents::default();
    for row in rows {
        columns.project_id.push(row.project_id);
        columns.author_id.push(row.author_id);
        columns.action.push(row.action);
        columns.target_type.push(row.target_type);
        columns.target_id.push(row.target_id);
        columns.target_iid.push(row.target_iid);
        columns.target_title.push(row.target_title);
        columns.audience.push(row.audience);
        columns.created_at.push(row.created_at);
    }
    columns.execute(connection).map(drop)
}
