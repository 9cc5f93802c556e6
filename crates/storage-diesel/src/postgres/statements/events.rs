//! Statements of the feed.

use diesel::sql_types::{BigInt, Nullable, SmallInt, Text};

use super::over_arrays;

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
        audience: SmallInt => i16,
        created_at: BigInt => i64,
    }
    "INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, target_title, \
     audience, created_at) SELECT * FROM unnest(",
    ")"
}
