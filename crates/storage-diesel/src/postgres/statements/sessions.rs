//! Statements of sessions.

use diesel::sql_types::BigInt;

use super::over_arrays;

over_arrays! {
    /// Notes when sessions were last used. A moment earlier than the one noted changes nothing.
    TouchSessions {
        id: BigInt => i64,
        at: BigInt => i64,
    }
    "UPDATE sessions SET last_seen_at = used.at FROM unnest(",
    ") AS used (id, at) WHERE sessions.id = used.id AND sessions.last_seen_at < used.at"
}
