//! PostgreSQL specifics of errors.

use std::borrow::Cow;
use std::fmt::Write as _;

use diesel::sql_types::{BigInt, Binary, Nullable, SmallInt, Text};
use storage::StoreError;

use super::rows::events::NewEventRow;
use crate::bulk::Bulk;
use crate::postgres::{PgWriteTx, over_arrays};

over_arrays! {
    /// Inserts events, in their order.
    InsertEvents {
        project_id: BigInt => i64,
        key_id: BigInt => i64,
        event_id: Binary => Vec<u8>,
        number: BigInt => i64,
        received_at: BigInt => i64,
        occurred_at: BigInt => i64,
        title: Text => String,
        level: SmallInt => i16,
        release: Nullable<Text> => Option<String>,
        environment: Nullable<Text> => Option<String>,
        body: Nullable<Binary> => Option<Vec<u8>>,
        shared_digest: Nullable<Binary> => Option<Vec<u8>>,
        shared: Nullable<Binary> => Option<Vec<u8>>,
    }
    "INSERT INTO error_events (project_id, key_id, event_id, number, received_at, occurred_at, title, level, release, \
     environment, body, shared_digest, shared) SELECT * FROM unnest(",
    ")"
}

/// Locks the counters of projects in the order of their ids, so that no two transactions wait for each other.
/// A project without a counter gets one first.
pub(super) fn lock_errors(tx: &mut PgWriteTx<'_>, projects: &[i64]) -> Result<(), StoreError> {
    if projects.is_empty() {
        return Ok(());
    }
    let mut rows = String::new();
    let mut ids = String::new();
    for project in projects {
        let separator = if rows.is_empty() { "" } else { "," };
        // Writing to a string cannot fail. Only numbers are written, so nothing has to be quoted.
        let _ = write!(rows, "{separator}({project},1)");
        let _ = write!(ids, "{separator}{project}");
    }
    tx.run_text(
        "lock errors",
        &format!(
            "INSERT INTO error_counters (project_id, next_iid) VALUES {rows} ON CONFLICT DO NOTHING; \
             SELECT FROM error_counters WHERE project_id IN ({ids}) ORDER BY project_id FOR UPDATE"
        ),
    )
}

/// Writes rows of a table by a statement that returns nothing, now or a little later together with others.
pub(super) fn write(
    tx: &mut PgWriteTx<'_>,
    operation: &'static str,
    table: &'static str,
    rows: Bulk,
) -> Result<(), StoreError> {
    let bytes = rows.bytes();
    tx.write_rows(operation, table, rows, bytes)
}

pub(super) fn insert_events(
    tx: &mut PgWriteTx<'_>,
    rows: Vec<NewEventRow<'_>>,
) -> Result<(), StoreError> {
    let mut columns = InsertEvents::default();
    let mut bytes = 0;
    for row in rows {
        let [body, shared] =
            [&row.body, &row.shared].map(|bytes| bytes.as_ref().map_or(0, |bytes| bytes.len()));
        bytes += 256 + body + shared;
        columns.project_id.push(row.project_id);
        columns.key_id.push(row.key_id);
        columns.event_id.push(row.event_id.into_owned());
        columns.number.push(row.number);
        columns.received_at.push(row.received_at);
        columns.occurred_at.push(row.occurred_at);
        columns.title.push(row.title.into_owned());
        columns.level.push(row.level);
        columns.release.push(row.release.map(Cow::into_owned));
        columns
            .environment
            .push(row.environment.map(Cow::into_owned));
        columns.body.push(row.body.map(Cow::into_owned));
        let digest = row.shared_digest.map(Cow::into_owned);
        columns.shared_digest.push(digest);
        columns.shared.push(row.shared.map(Cow::into_owned));
    }
    tx.write_rows("insert error events", "error_events", columns, bytes)
}
