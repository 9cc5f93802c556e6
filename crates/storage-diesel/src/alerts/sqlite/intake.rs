//! Alert intake on SQLite: one cached statement that runs repeatedly.
//! A statement costs no round trip here.

use alert_intake::model::{AlertIdentity, AlertNumbers, AlertProgress, AlertRevision};
use alert_intake::search::SearchPart;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::time::Timestamp;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::StoreError;

use super::statements::LatestByIdentity;
use crate::alerts::rows::receipts::{NewReceiptRow, alert_receipts};
use crate::alerts::rows::{KnownAlertRow, NewAlertRow, OPEN_SLOT, json_list};
use crate::alerts::tables::{alert_counters, alert_search, alerts};
use crate::cached_statement::cached;
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

diesel::table! {
    alert_ids (id) {
        id -> BigInt,
        next_id -> BigInt,
    }
}

/// Does nothing: there is one writer, so nothing else changes alerts in the meantime.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(crate) fn lock_alerts(_: &mut SqliteWriteTx<'_>, _: &[i64]) -> Result<(), StoreError> {
    Ok(())
}

pub(crate) fn latest_by_identity(
    tx: &mut SqliteWriteTx<'_>,
    identities: &[(ProjectId, AlertIdentity)],
) -> Result<Vec<KnownAlertRow>, StoreError> {
    use std::fmt::Write as _;

    let mut wanted = String::with_capacity(identities.len() * 90 + 2);
    for (project, identity) in identities {
        wanted.push(if wanted.is_empty() { '[' } else { ',' });
        // Writing to a string cannot fail.
        let _ = write!(wanted, "[{project},\"");
        for byte in identity.as_bytes() {
            let _ = write!(wanted, "{byte:02x}");
        }
        wanted.push_str("\"]");
    }
    wanted.push(']');
    tx.run("find alerts by identity", |connection| {
        LatestByIdentity { wanted }.load(connection)
    })
}

pub(crate) fn reserve_alert_numbers(
    tx: &mut SqliteWriteTx<'_>,
    wanted: &[(ProjectId, i64)],
) -> Result<Vec<AlertNumbers>, StoreError> {
    tx.run("reserve alert numbers", |connection| {
        let total: i64 = wanted.iter().map(|(_, count)| count).sum();
        let end: i64 = cached(
            diesel::update(alert_ids::table)
                .set(alert_ids::next_id.eq(alert_ids::next_id + total))
                .returning(alert_ids::next_id),
        )
        .get_result(connection)?;
        let mut next = end - total;
        let mut numbers = Vec::with_capacity(wanted.len());
        for (project_id, count) in wanted {
            let end: i64 = cached(
                diesel::insert_into(alert_counters::table)
                    .values((
                        alert_counters::project_id.eq(project_id.get()),
                        alert_counters::next_iid.eq(1 + count),
                    ))
                    .on_conflict(alert_counters::project_id)
                    .do_update()
                    .set(alert_counters::next_iid.eq(alert_counters::next_iid + count))
                    .returning(alert_counters::next_iid),
            )
            .get_result(connection)?;
            numbers.push(AlertNumbers {
                project_id: *project_id,
                first_id: AlertId::new(next),
                first_iid: AlertIid::new(end - count),
                count: *count,
            });
            next += count;
        }
        Ok(numbers)
    })
}

pub(crate) fn insert_alerts(
    tx: &mut SqliteWriteTx<'_>,
    rows: &[NewAlertRow<'_>],
) -> Result<(), StoreError> {
    tx.run("insert alerts", |connection| {
        for row in rows {
            diesel::insert_into(alerts::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}

pub(crate) fn insert_receipts(
    tx: &mut SqliteWriteTx<'_>,
    rows: Vec<NewReceiptRow<'_>>,
) -> Result<(), StoreError> {
    tx.run("insert receipts", |connection| {
        for row in rows {
            diesel::insert_into(alert_receipts::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}

#[declare_sql_function]
extern "SQL" {
    /// Returns the later of two timestamps.
    #[sql_name = "MAX"]
    fn later(one: BigInt, other: BigInt) -> BigInt;
}

pub(crate) fn advance_alerts(
    tx: &mut SqliteWriteTx<'_>,
    progress: &[AlertProgress],
) -> Result<(), StoreError> {
    tx.run("update alerts", |connection| {
        for step in progress {
            let advance = diesel::update(alerts::table.find(step.id.get()))
                .set((
                    alerts::deliveries.eq(alerts::deliveries + step.deliveries),
                    alerts::last_started_at.eq(step.last_start.at.as_micros()),
                    alerts::last_start_stated.eq(step.last_start.is_stated),
                    alerts::stale_at.eq(step.stale_at.map(Timestamp::as_micros)),
                    alerts::updated_at.eq(later(alerts::updated_at, step.updated_at.as_micros())),
                    alerts::resolved_by_hand
                        .eq(alerts::resolved_by_hand.and((!step.confirms_end).into_sql::<Bool>())),
                ))
                .returning(alerts::id);
            cached(advance).load::<i64>(connection)?;
            // SQLite writes a page of each index that has a column of the statement, even if its value stays.
            if (step.occurrences, step.flaps) != (0, 0) {
                let count = diesel::update(alerts::table.find(step.id.get()))
                    .set((
                        alerts::occurrences.eq(alerts::occurrences + step.occurrences),
                        alerts::flaps.eq(alerts::flaps + step.flaps),
                    ))
                    .returning(alerts::id);
                cached(count).load::<i64>(connection)?;
            }
            if let Some(end) = step.resolved_at {
                // An alert that is already resolved keeps its end.
                let open = alerts::closed_slot.eq(OPEN_SLOT);
                let resolve = diesel::update(alerts::table.find(step.id.get()).filter(open))
                    .set((
                        alerts::status.eq(2_i16),
                        alerts::ended_at.eq(end.as_micros()),
                        alerts::closed_slot.eq(step.id.get()),
                    ))
                    .returning(alerts::id);
                cached(resolve).load::<i64>(connection)?;
            }
        }
        Ok(())
    })
}

pub(crate) fn revise_alerts(
    tx: &mut SqliteWriteTx<'_>,
    revisions: &[AlertRevision],
) -> Result<(), StoreError> {
    tx.run("revise alerts", |connection| {
        for newest in revisions {
            let severity = newest.severity.number();
            let reported = newest.reported_severity.number();
            let mine = || alerts::table.find(newest.id.get());
            let is_same = alerts::title
                .eq(&newest.title)
                .and(alerts::description.eq(&newest.description))
                .and(alerts::service.eq(&newest.service))
                .and(alerts::monitoring_tool.eq(&newest.monitoring_tool));
            // Columns of indexes are in statements of their own, which change a row only if their values differ: SQLite writes a
            // page of each index that has a column of the statement.
            let is_unmarked = not(alerts::texts_changed).and(not(is_same));
            let mark = diesel::update(mine().filter(is_unmarked))
                .set(alerts::texts_changed.eq(true))
                .returning(alerts::id);
            cached(mark).load::<i64>(connection)?;
            let revise = diesel::update(mine())
                .set((
                    alerts::title.eq(&newest.title),
                    alerts::description.eq(&newest.description),
                    alerts::service.eq(&newest.service),
                    alerts::monitoring_tool.eq(&newest.monitoring_tool),
                    alerts::hosts.eq(json_list(&newest.hosts)),
                    alerts::reported_severity.eq((reported != severity).then_some(reported)),
                    alerts::report_digest.eq(newest.report.number()),
                    alerts::latest_payload.eq(&newest.payload),
                ))
                .returning(alerts::id);
            cached(revise).load::<i64>(connection)?;
            let environment = newest.environment_name.as_deref();
            let differs = alerts::severity
                .ne(severity)
                .or(alerts::environment_name.is_not(environment));
            let place = diesel::update(mine().filter(differs))
                .set((
                    alerts::severity.eq(severity),
                    alerts::environment_name.eq(environment),
                ))
                .returning(alerts::id);
            cached(place).load::<i64>(connection)?;
        }
        Ok(())
    })
}

pub(crate) fn insert_slices(
    connection: &mut SqliteConnection,
    part: &SearchPart,
) -> QueryResult<()> {
    for (slot, blocks) in &part.slices {
        diesel::insert_into(alert_search::table)
            .values((
                alert_search::project_id.eq(part.project_id.get()),
                alert_search::part.eq(part.number),
                alert_search::slot.eq(i32::from(*slot)),
                alert_search::blocks.eq(&blocks[..]),
            ))
            .on_conflict((
                alert_search::project_id,
                alert_search::part,
                alert_search::slot,
            ))
            .do_update()
            .set(alert_search::blocks.eq(&blocks[..]))
            .execute(connection)?;
    }
    Ok(())
}
