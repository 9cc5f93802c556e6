//! PostgreSQL specifics of the feed: one statement over arrays, because every statement costs a round trip.

use std::borrow::Cow;

use diesel::sql_types::{BigInt, Nullable, SmallInt, Text};
use storage::StoreError;

use super::rows::NewEventRow;
use crate::postgres::{PgWriteTx, over_arrays};

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
