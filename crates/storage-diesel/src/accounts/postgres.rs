//! PostgreSQL specifics of users and sessions: many transactions write at once.
//! A user is locked before its sessions, and these before the rows that depend on them; all transactions that change
//! several sessions lock them in the order of their ids. Cleanup skips rows that others have locked, so it never waits.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api_conventions::time::Timestamp;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::{BigInt, Nullable, SmallInt, Text};
use storage::StoreError;

use super::rows::audit::NewAuditRow;
use super::rows::sessions::sessions as session_table;
use super::rows::users::UserChangeRow;
use super::tables::users;
use crate::postgres::{PgWriteTx, over_arrays};

over_arrays! {
    /// Updates the time at which sessions were last used.
    /// A time earlier than the stored one changes nothing.
    TouchSessions {
        id: BigInt => i64,
        at: BigInt => i64,
    }
    "UPDATE sessions SET last_seen_at = used.at FROM unnest(",
    ") AS used (id, at) WHERE sessions.id = used.id AND sessions.last_seen_at < used.at"
}

/// Locks a user against every change.
/// A weaker lock would not block a change of the password, because no other table refers to it.
pub(crate) fn lock_user(connection: &mut PgConnection, id: i64) -> QueryResult<bool> {
    let locked = users::table
        .find(id)
        .select(users::id)
        .for_share()
        .get_result::<i64>(connection);
    locked.optional().map(|locked| locked.is_some())
}

/// Updates a user.
/// Returns `false` and writes nothing if another transaction has taken the address since it was found free.
pub(crate) fn update_user(
    connection: &mut PgConnection,
    id: i64,
    change: UserChangeRow<'_>,
) -> QueryResult<bool> {
    connection.batch_execute("SAVEPOINT change")?;
    let update = diesel::update(users::table.find(id)).set(change);
    match update.execute(connection) {
        Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => {
            connection.batch_execute("ROLLBACK TO SAVEPOINT change; RELEASE SAVEPOINT change")?;
            Ok(false)
        }
        outcome => {
            outcome?;
            connection.batch_execute("RELEASE SAVEPOINT change")?;
            Ok(true)
        }
    }
}

/// Updates the time at which sessions were last used, in two round trips regardless of their number.
pub(crate) fn touch_sessions(
    connection: &mut PgConnection,
    used: &BTreeMap<i64, i64>,
) -> QueryResult<()> {
    let mut columns = TouchSessions::default();
    for (id, at) in used {
        columns.id.push(*id);
        columns.at.push(*at);
    }
    session_table::table
        .filter(session_table::id.eq_any(&columns.id))
        .order(session_table::id.asc())
        .select(session_table::id)
        .for_no_key_update()
        .load::<i64>(connection)?;
    columns.execute(connection).map(drop)
}

/// Locks a session against deletion and against a new cookie, but not against updates of its last use.
/// Returns `false` if it does not exist, or was deleted while this transaction waited for the lock.
pub(crate) fn lock_session(connection: &mut PgConnection, id: i64) -> QueryResult<bool> {
    let locked = session_table::table
        .find(id)
        .select(session_table::id)
        .for_key_share()
        .get_result::<i64>(connection);
    locked.optional().map(|locked| locked.is_some())
}

/// Deletes all sessions of a user, or all but one.
pub(crate) fn delete_sessions_of(
    connection: &mut PgConnection,
    user: i64,
    except: Option<i64>,
) -> QueryResult<usize> {
    // No session has a negative number.
    let others = session_table::id.ne(except.unwrap_or(-1));
    let ended = session_table::table
        .filter(session_table::user_id.eq(user))
        .filter(others)
        .order(session_table::id.asc())
        .select(session_table::id)
        .for_update()
        .load(connection)?;
    delete(connection, ended)
}

/// Deletes at most `limit` sessions that ended before `before`, those that ended first before the others.
pub(crate) fn delete_expired_sessions(
    connection: &mut PgConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let ended = session_table::table
        .filter(session_table::expires_at.lt(before.as_micros()))
        .order(session_table::expires_at.asc())
        .limit(limit)
        .select(session_table::id)
        .for_update()
        .skip_locked()
        .load(connection)?;
    delete(connection, ended)
}

/// Deletes at most `limit` sessions that have not been used since `since`.
pub(crate) fn delete_unused_sessions(
    connection: &mut PgConnection,
    since: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let unused = session_table::table
        .filter(session_table::last_seen_at.lt(since.as_micros()))
        .limit(limit)
        .select(session_table::id)
        .for_update()
        .skip_locked()
        .load(connection)?;
    delete(connection, unused)
}

/// Deletes locked sessions, together with the requests that wait in them.
fn delete(connection: &mut PgConnection, ids: Vec<i64>) -> QueryResult<usize> {
    if ids.is_empty() {
        return Ok(0);
    }
    diesel::delete(session_table::table.filter(session_table::id.eq_any(ids))).execute(connection)
}

over_arrays! {
    /// Inserts entries of the audit log, in their order.
    InsertAuditEntries {
        entity_type: SmallInt => i16,
        entity_id: BigInt => i64,
        author_id: Nullable<BigInt> => Option<i64>,
        event_name: SmallInt => i16,
        target_type: Nullable<SmallInt> => Option<i16>,
        target_id: Nullable<BigInt> => Option<i64>,
        target_name: Nullable<Text> => Option<String>,
        details: Text => String,
        created_at: BigInt => i64,
        impersonator_id: Nullable<BigInt> => Option<i64>,
    }
    "INSERT INTO audit_entries (entity_type, entity_id, author_id, event_name, target_type, target_id, target_name, \
     details, created_at, impersonator_id) SELECT * FROM unnest(",
    ")"
}

/// Writes entries of the audit log in one statement, together with the other buffered writes of the transaction.
pub(crate) fn insert_audit_entries(
    tx: &mut PgWriteTx<'_>,
    rows: Vec<NewAuditRow<'_>>,
) -> Result<(), StoreError> {
    let mut columns = InsertAuditEntries::default();
    let mut bytes = size_of_val(&rows[..]);
    for row in rows {
        bytes += row.details.len() + row.target_name.as_ref().map_or(0, |name| name.len());
        columns.entity_type.push(row.entity_type);
        columns.entity_id.push(row.entity_id);
        columns.author_id.push(row.author_id);
        columns.event_name.push(row.event_name);
        columns.target_type.push(row.target_type);
        columns.target_id.push(row.target_id);
        columns
            .target_name
            .push(row.target_name.map(Cow::into_owned));
        columns.details.push(row.details.into_owned());
        columns.created_at.push(row.created_at);
        columns.impersonator_id.push(row.impersonator_id);
    }
    tx.write_rows("insert audit entries", "audit_entries", columns, bytes)
}
