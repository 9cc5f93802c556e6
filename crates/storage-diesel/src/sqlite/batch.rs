//! What SQLite does in its own way, above all writing many rows at once: one cached statement, run again and again. A statement costs no round
//! trip here, so this is as fast as one statement of many rows, whose text would change with their number.

#[cfg(feature = "alert-intake")]
use alert_intake::model::{AlertIdentity, AlertNumbers, AlertProgress};
#[cfg(feature = "alert-intake")]
use alert_intake::search::SearchPart;
#[cfg(feature = "alert-intake")]
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
#[cfg(any(feature = "alert-intake", feature = "events", feature = "projects"))]
use diesel::prelude::*;

#[cfg(feature = "alert-intake")]
use super::statements::LatestByIdentity;
#[cfg(feature = "alert-intake")]
use crate::fixed::fixed;
#[cfg(feature = "alert-intake")]
use crate::rows::alerts::{KnownAlertRow, NewAlertRow, NewReceiptRow, OPEN_SLOT};
#[cfg(feature = "events")]
use crate::rows::events::NewEventRow;
#[cfg(feature = "events")]
use crate::schema::events;
#[cfg(feature = "projects")]
use crate::schema::projects;
#[cfg(feature = "alert-intake")]
use crate::schema::{alert_counters, alert_receipts, alert_search, alerts};

/// The visibility of projects in the conditions of lists. The sign keeps the planner from the index of visibilities: it
/// would take that one and sort, where the order's own index gives a page at once.
#[cfg(feature = "projects")]
pub(crate) const PROJECT_VISIBILITY: &str = "+projects.visibility";

/// One of several lists that are merged. The order of the whole reaches each of them by itself.
#[cfg(feature = "alert-intake")]
pub(crate) fn sorted_list(list: &str, _: &str, _: i64) -> String {
    list.to_owned()
}

/// A query, which has conditions, over several ranges of a column: as often as there are ranges.
#[cfg(feature = "alert-intake")]
pub(crate) fn in_ranges(query: &str, column: &str, ranges: &[(i64, i64)]) -> String {
    let queries: Vec<String> = ranges
        .iter()
        .map(|(first, last)| format!("{query} AND {column} BETWEEN {first} AND {last}"))
        .collect();
    queries.join(" UNION ALL ")
}

diesel::table! {
    alert_ids (id) {
        id -> BigInt,
        next_id -> BigInt,
    }
}

/// Notes the activity of projects in the order in which it is told. There is one writer, so a project is read, and
/// written only when there is something to note.
#[cfg(feature = "projects")]
pub(crate) fn touch_projects(
    connection: &mut SqliteConnection,
    moments: &[(i64, i64)],
    grain_micros: i64,
) -> QueryResult<()> {
    let mut told: std::collections::BTreeMap<i64, Vec<i64>> = std::collections::BTreeMap::new();
    for (project, moment) in moments {
        told.entry(*project).or_default().push(*moment);
    }
    for (project, moments) in told {
        let row = projects::table.find(project);
        let noted: Option<i64> = row
            .select(projects::last_activity_at)
            .get_result(connection)
            .optional()?;
        let Some(noted) = noted else { continue };
        let note = moments.into_iter().fold(noted, |noted, moment| {
            if noted <= moment - grain_micros {
                moment
            } else {
                noted
            }
        });
        if note != noted {
            diesel::update(row)
                .set(projects::last_activity_at.eq(note))
                .execute(connection)?;
        }
    }
    Ok(())
}

/// There is one writer, so nothing else changes alerts meanwhile.
#[cfg(feature = "alert-intake")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database has something to do here"
)]
pub(crate) fn lock_alerts(_: &mut SqliteConnection, _: &[i64]) -> QueryResult<()> {
    Ok(())
}

#[cfg(feature = "alert-intake")]
pub(crate) fn latest_by_identity(
    connection: &mut SqliteConnection,
    identities: &[(ProjectId, AlertIdentity)],
) -> QueryResult<Vec<KnownAlertRow>> {
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
    LatestByIdentity { wanted }.load(connection)
}

#[cfg(feature = "alert-intake")]
pub(crate) fn reserve_alert_numbers(
    connection: &mut SqliteConnection,
    wanted: &[(ProjectId, i64)],
) -> QueryResult<Vec<AlertNumbers>> {
    let total: i64 = wanted.iter().map(|(_, count)| count).sum();
    let end: i64 = fixed(
        diesel::update(alert_ids::table)
            .set(alert_ids::next_id.eq(alert_ids::next_id + total))
            .returning(alert_ids::next_id),
    )
    .get_result(connection)?;
    let mut next = end - total;
    let mut numbers = Vec::with_capacity(wanted.len());
    for (project_id, count) in wanted {
        let end: i64 = fixed(
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
}

#[cfg(feature = "alert-intake")]
pub(crate) fn insert_alerts(
    connection: &mut SqliteConnection,
    rows: &[NewAlertRow<'_>],
) -> QueryResult<()> {
    for row in rows {
        diesel::insert_into(alerts::table)
            .values(row)
            .execute(connection)?;
    }
    Ok(())
}

#[cfg(feature = "alert-intake")]
pub(crate) fn insert_receipts(
    connection: &mut SqliteConnection,
    rows: &[NewReceiptRow<'_>],
) -> QueryResult<()> {
    for row in rows {
        diesel::insert_into(alert_receipts::table)
            .values(row)
            .execute(connection)?;
    }
    Ok(())
}

#[cfg(feature = "alert-intake")]
#[declare_sql_function]
extern "SQL" {
    /// The later of two moments.
    #[sql_name = "MAX"]
    fn later(
        one: diesel::sql_types::BigInt,
        other: diesel::sql_types::BigInt,
    ) -> diesel::sql_types::BigInt;
}

#[cfg(feature = "alert-intake")]
pub(crate) fn advance_alerts(
    connection: &mut SqliteConnection,
    progress: &[AlertProgress],
) -> QueryResult<()> {
    for step in progress {
        let advance = diesel::update(alerts::table.find(step.id.get()))
            .set((
                alerts::occurrences.eq(alerts::occurrences + step.occurrences),
                alerts::deliveries.eq(alerts::deliveries + step.deliveries),
                alerts::last_started_at.eq(step.last_start.at.as_micros()),
                alerts::last_start_stated.eq(step.last_start.is_stated),
                alerts::updated_at.eq(later(alerts::updated_at, step.updated_at.as_micros())),
            ))
            .returning(alerts::id);
        fixed(advance).load::<i64>(connection)?;
        if let Some(end) = step.resolved_at {
            // An alert that is resolved already keeps its end.
            let open = alerts::closed_slot.eq(OPEN_SLOT);
            let resolve = diesel::update(alerts::table.find(step.id.get()).filter(open))
                .set((
                    alerts::status.eq(2_i16),
                    alerts::ended_at.eq(end.as_micros()),
                    alerts::closed_slot.eq(step.id.get()),
                ))
                .returning(alerts::id);
            fixed(resolve).load::<i64>(connection)?;
        }
    }
    Ok(())
}

#[cfg(feature = "alert-intake")]
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
            .execute(connection)?;
    }
    Ok(())
}

#[cfg(feature = "events")]
pub(crate) fn insert_events(
    connection: &mut SqliteConnection,
    rows: &[NewEventRow<'_>],
) -> QueryResult<()> {
    for row in rows {
        diesel::insert_into(events::table)
            .values(row)
            .execute(connection)?;
    }
    Ok(())
}
