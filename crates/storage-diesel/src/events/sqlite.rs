//! SQLite specifics of the feed: one cached statement that runs repeatedly.
//! A statement costs no round trip here, so this is as fast as one statement for many rows, whose text would depend on
//! their number.

use std::collections::BTreeMap;

use ::events::ContributionGroup;
use diesel::prelude::*;
/// Type of a list of ids as one parameter.
pub(crate) use diesel::sql_types::Text as ProjectIdList;
use storage::StoreError;

use super::contributions::row_of;
use super::projects::EventSlice;
use super::rows::{NewEventRow, events};
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

/// Selects the last assigned id. The database keeps it for the table, so deleted events count, too.
pub(crate) const LAST_ASSIGNED: &str =
    "SELECT coalesce(max(seq), 0) AS id FROM sqlite_sequence WHERE name = 'events'";

/// Transactions write one after the other, and a snapshot has all ids of those that ended.
pub(crate) const WRITERS: Option<&str> = None;

pub(crate) fn insert_events(
    tx: &mut SqliteWriteTx<'_>,
    rows: Vec<NewEventRow<'_>>,
) -> Result<(), StoreError> {
    tx.run("insert events", |connection| {
        for row in rows {
            diesel::insert_into(events::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}

/// Adds to the contributions of groups.
pub(crate) fn add_contributions(
    tx: &mut SqliteWriteTx<'_>,
    counts: &BTreeMap<ContributionGroup, u64>,
) -> Result<(), StoreError> {
    use super::contributions::contributions::dsl;
    tx.run("count contributions", |connection| {
        for (group, count) in counts {
            let (user, day, project, audience, is_push, count) = row_of(group, *count);
            diesel::insert_into(dsl::contributions)
                .values((
                    dsl::user_id.eq(user),
                    dsl::day.eq(day),
                    dsl::project_id.eq(project),
                    dsl::audience.eq(audience),
                    dsl::is_push.eq(is_push),
                    dsl::count.eq(count),
                ))
                .on_conflict((
                    dsl::user_id,
                    dsl::day,
                    dsl::project_id,
                    dsl::audience,
                    dsl::is_push,
                ))
                .do_update()
                .set(dsl::count.eq(dsl::count + count))
                .execute(connection)?;
        }
        Ok(())
    })
}

/// Formats ids as a JSON array.
pub(crate) fn id_list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

/// True if a range of ids is read without its projects: here the id is the key of the table.
pub(crate) const READS_BY_ID: bool = true;

/// Selects the head of each project of a list, and of these the first `limit`. Only these are read from the table, the
/// others from the index.
pub(crate) fn heads(slice: &EventSlice, limit: i64) -> String {
    let (conditions, direction) = (slice.conditions("e"), slice.direction());
    format!(
        "SELECT h.project_id, h.id, h.created_at FROM (SELECT (SELECT e.id FROM events AS e \
         WHERE e.project_id = p.value{conditions} ORDER BY e.id {direction} LIMIT 1) AS id FROM json_each(?) AS p \
         ORDER BY 1 {direction} NULLS LAST LIMIT {limit}) AS found \
         CROSS JOIN events AS h ON h.id = found.id ORDER BY h.id {direction}"
    )
}

/// Selects the first `limit` events of the projects of a list, which is between the two texts, with their audience.
/// Each project gives no more than `limit` of them: SQLite has no limit for each row of a join, so the last of them is
/// the end of the part of the index that is read. There is no other end, which the database might choose instead.
pub(crate) fn first_events(columns: &str, slice: &EventSlice, limit: i64) -> [String; 2] {
    let (conditions, direction) = (slice.conditions("e"), slice.direction());
    let (last, rest) = slice.split_off_last();
    let rest = rest.conditions("f");
    let (operator, open) = match direction {
        "ASC" => ("<=", i64::MAX),
        _ => (">=", i64::MIN),
    };
    let last = last.unwrap_or(open);
    let before = format!("SELECT {columns}, events.audience FROM (SELECT f.id FROM json_each(");
    let after = format!(
        ") AS p CROSS JOIN events AS f ON f.project_id = p.value{rest} AND f.id {operator} COALESCE(\
         (SELECT e.id FROM events AS e WHERE e.project_id = p.value{conditions} ORDER BY e.id {direction} \
         LIMIT 1 OFFSET {}), {last}) ORDER BY f.id {direction} LIMIT {limit}) AS found \
         CROSS JOIN events ON events.id = found.id ORDER BY events.id {direction}",
        limit - 1
    );
    [before, after]
}
