//! SQLite specifics of users and sessions.
//! There is one writer, so nothing has to be locked.

use std::collections::BTreeMap;

use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use super::rows::audit::{NewAuditRow, audit_entries};
use super::rows::sessions::sessions as session_table;
use super::rows::users::UserChangeRow;
use super::tables::users;
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

/// Updates the time at which sessions were last used, by one cached statement that runs repeatedly.
pub(crate) fn touch_sessions(
    connection: &mut SqliteConnection,
    used: &BTreeMap<i64, i64>,
) -> QueryResult<()> {
    for (id, at) in used {
        let earlier = session_table::last_seen_at.lt(at);

        diesel::update(session_table::table.find(id).filter(earlier))
            .set(session_table::last_seen_at.eq(at))
            .execute(connection)?;
    }
    Ok(())
}

/// True if the user exists.
/// There is one writer at a time, so its transaction locks everything.
pub(crate) fn lock_user(connection: &mut SqliteConnection, id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(users::table.find(id))).get_result(connection)
}

/// Updates a user.
/// There is one writer at a time, so no other transaction takes an address that was found free.
pub(crate) fn update_user(
    connection: &mut SqliteConnection,
    id: i64,
    change: UserChangeRow<'_>,
) -> QueryResult<bool> {
    let update = diesel::update(users::table.find(id)).set(change);
    update.execute(connection).map(|_| true)
}

/// True if the session exists.
/// There is one writer at a time, so its transaction locks everything.
pub(crate) fn lock_session(connection: &mut SqliteConnection, id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(session_table::table.find(id))).get_result(connection)
}

/// Deletes all sessions of a user, or all but one.
pub(crate) fn delete_sessions_of(
    connection: &mut SqliteConnection,
    user: i64,
    except: Option<i64>,
) -> QueryResult<usize> {
    // No session has a negative number.
    let others = session_table::id.ne(except.unwrap_or(-1));
    let its = session_table::table.filter(session_table::user_id.eq(user));
    diesel::delete(its.filter(others)).execute(connection)
}

/// Deletes at most `limit` sessions that ended before `before`, those that ended first before the others.
pub(crate) fn delete_expired_sessions(
    connection: &mut SqliteConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let ended = session_table::table
        .filter(session_table::expires_at.lt(before.as_micros()))
        .order(session_table::expires_at.asc())
        .limit(limit)
        .select(session_table::id)
        .load(connection)?;
    delete(connection, &ended)
}

/// Deletes at most `limit` sessions that have not been used since `since`.
pub(crate) fn delete_unused_sessions(
    connection: &mut SqliteConnection,
    since: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let unused = session_table::table
        .filter(session_table::last_seen_at.lt(since.as_micros()))
        .limit(limit)
        .select(session_table::id)
        .load(connection)?;
    delete(connection, &unused)
}

fn delete(connection: &mut SqliteConnection, ids: &[i64]) -> QueryResult<usize> {
    for id in ids {
        diesel::delete(session_table::table.find(id)).execute(connection)?;
    }
    Ok(ids.len())
}

/// Writes entries of the audit log by one cached statement that runs repeatedly.
pub(crate) fn insert_audit_entries(
    tx: &mut SqliteWriteTx<'_>,
    rows: Vec<NewAuditRow<'_>>,
) -> Result<(), StoreError> {
    tx.run("insert audit entries", |connection| {
        for row in rows {
            diesel::insert_into(audit_entries::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}
