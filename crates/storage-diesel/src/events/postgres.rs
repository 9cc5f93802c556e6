//! PostgreSQL specifics of the feed: one statement over arrays, because every statement costs a round trip.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ::events::ContributionGroup;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, SmallInt, Text};
use storage::StoreError;

use super::contributions::row_of;
use super::projects::EventSlice;
use super::rows::NewEventRow;
use crate::postgres::{PgWriteTx, over_arrays};

/// Selects the last id of the sequence. Sequences belong to no transaction, so ids that are not committed count, too.
pub(crate) const LAST_ASSIGNED: &str = "SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence('events', 'id') AS regclass)), 0) AS id";

/// Selects the transactions that hold the lock of a writer on the table.
/// A statement takes this lock before it takes ids from the sequence, and the lock ends after the changes are visible.
/// Locks, too, belong to no snapshot. Deletions hold the same lock and are among the writers.
pub(crate) const WRITERS: Option<&str> = Some(
    "SELECT DISTINCT virtualtransaction AS name FROM pg_locks WHERE locktype = 'relation' \
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
     AND relation = CAST('events' AS regclass) AND mode = 'RowExclusiveLock' AND granted \
     AND pid IS DISTINCT FROM pg_backend_pid()",
);

over_arrays! {
    /// Inserts entries of the feed, in their order.
    InsertEvents {
        project_id: BigInt => i64,
        author_id: BigInt => i64,
        action: SmallInt => i16,
        target_type: Nullable<SmallInt> => Option<i16>,
        target_id: Nullable<BigInt> => Option<i64>,
        target_iid: Nullable<BigInt> => Option<i64>,
        target_title: Nullable<Text> => Option<String>,
        push_data: Nullable<Text> => Option<String>,
        audience: SmallInt => i16,
        created_at: BigInt => i64,
    }
    "INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, target_title, \
     push_data, audience, created_at) SELECT * FROM unnest(",
    ")"
}

pub(crate) fn insert_events(
    tx: &mut PgWriteTx<'_>,
    rows: Vec<NewEventRow<'_>>,
) -> Result<(), StoreError> {
    let mut columns = InsertEvents::default();
    let mut bytes = size_of_val(&rows[..]);
    for row in rows {
        bytes += row.target_title.as_ref().map_or(0, |title| title.len());
        bytes += row.push_data.as_ref().map_or(0, |push| push.len());
        columns.project_id.push(row.project_id);
        columns.author_id.push(row.author_id);
        columns.action.push(row.action);
        columns.target_type.push(row.target_type);
        columns.target_id.push(row.target_id);
        columns.target_iid.push(row.target_iid);
        columns
            .target_title
            .push(row.target_title.map(Cow::into_owned));
        columns.push_data.push(row.push_data.map(Cow::into_owned));
        columns.audience.push(row.audience);
        columns.created_at.push(row.created_at);
    }
    tx.write_rows("insert events", "events", columns, bytes)
}

over_arrays! {
    /// Adds to the contributions of groups.
    AddContributions {
        user_id: BigInt => i64,
        day: Integer => i32,
        project_id: BigInt => i64,
        audience: SmallInt => i16,
        is_push: Bool => bool,
        count: BigInt => i64,
    }
    "INSERT INTO contributions (user_id, day, project_id, audience, is_push, count) SELECT * FROM unnest(",
    ") ON CONFLICT (user_id, day, project_id, audience, is_push) DO UPDATE SET count = contributions.count + excluded.count"
}

/// Adds to the contributions of groups, in the order of their keys.
pub(crate) fn add_contributions(
    tx: &mut PgWriteTx<'_>,
    counts: &BTreeMap<ContributionGroup, u64>,
) -> Result<(), StoreError> {
    if counts.is_empty() {
        return Ok(());
    }
    let mut columns = AddContributions::default();
    for (group, count) in counts {
        let (user, day, project, audience, is_push, count) = row_of(group, *count);
        columns.user_id.push(user);
        columns.day.push(day);
        columns.project_id.push(project);
        columns.audience.push(audience);
        columns.is_push.push(is_push);
        columns.count.push(count);
    }
    let bytes = counts.len() * size_of::<ContributionGroup>();
    tx.write_rows("count contributions", "contributions", columns, bytes)
}

/// Type of a list of ids as one parameter.
pub(crate) type ProjectIdList = Array<BigInt>;

pub(crate) fn id_list(ids: &[i64]) -> Vec<i64> {
    ids.to_vec()
}

/// True if a range of ids is read without its projects: here no index begins with the id.
pub(crate) const READS_BY_ID: bool = false;

/// Selects the head of each project of a list, and of these the first `limit`.
pub(crate) fn heads(slice: &EventSlice, limit: i64) -> String {
    let (conditions, direction) = (slice.conditions("e"), slice.direction());
    format!(
        "SELECT h.project_id, h.id, h.created_at FROM unnest(CAST($1 AS BIGINT[])) AS p (id) CROSS JOIN LATERAL \
         (SELECT e.project_id, e.id, e.created_at FROM events AS e WHERE e.project_id = p.id{conditions} \
         ORDER BY e.id {direction} LIMIT 1) AS h ORDER BY h.id {direction} LIMIT {limit}"
    )
}

/// Selects the first `limit` events of the projects of a list, which is between the two texts, with their audience.
/// Each project gives no more than `limit` of them.
pub(crate) fn first_events(columns: &str, slice: &EventSlice, limit: i64) -> [String; 2] {
    let (conditions, direction) = (slice.conditions("e"), slice.direction());
    let before = format!(
        "SELECT {columns}, events.audience FROM (SELECT f.project_id, f.id FROM unnest(CAST("
    );
    let after = format!(
        " AS BIGINT[])) AS p (id) CROSS JOIN LATERAL (SELECT e.project_id, e.id FROM events AS e \
         WHERE e.project_id = p.id{conditions} ORDER BY e.id {direction} LIMIT {limit}) AS f \
         ORDER BY f.id {direction} LIMIT {limit}) AS found CROSS JOIN LATERAL (SELECT * FROM events AS e \
         WHERE e.project_id = found.project_id AND e.id = found.id LIMIT 1) AS events ORDER BY events.id {direction}"
    );
    [before, after]
}
