//! SQLite specifics of grants.
//! There is one writer, so nothing has to be locked.

mod families;

pub(super) use families::{lock_families, lock_grants_by_code, redeem_codes, rotate_pairs};

use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel::sqlite::Sqlite;

use super::tables::{
    oauth_authorization_requests as requests, oauth_grants as grants, oauth_token_pairs as pairs,
};

/// Condition on grants.
pub(crate) type GrantCondition = Box<dyn BoxableExpression<grants::table, Sqlite, SqlType = Bool>>;

/// Does nothing: no other transaction writes at the same time.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(crate) fn lock_application(_: &mut SqliteConnection, _: i64) -> QueryResult<()> {
    Ok(())
}

/// Does nothing: no other transaction writes at the same time.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(crate) fn lock_family(_: &mut SqliteConnection, _: &[u8]) -> QueryResult<()> {
    Ok(())
}

/// Revokes the live grants that match the condition, by two cached statements that run repeatedly.
pub(crate) fn end_grants_where(
    connection: &mut SqliteConnection,
    which: GrantCondition,
    now: Timestamp,
) -> QueryResult<usize> {
    let ids: Vec<i64> = grants::table
        .filter(which)
        .select(grants::id)
        .load(connection)?;
    for id in &ids {
        diesel::update(grants::table.find(id))
            .set(grants::revoked_at.eq(now.as_micros()))
            .execute(connection)?;

        diesel::update(pairs::table.filter(pairs::grant_id.eq(id)))
            .set(pairs::revoked_at.eq(now.as_micros()))
            .execute(connection)?;
    }
    Ok(ids.len())
}

/// Deletes at most `limit` grants that expired before `before`, those that expired first before the others.
pub(crate) fn delete_spent_grants(
    connection: &mut SqliteConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let spent: Vec<i64> = grants::table
        .filter(grants::expires_at.lt(before.as_micros()))
        .order(grants::expires_at.asc())
        .limit(limit)
        .select(grants::id)
        .load(connection)?;
    for id in &spent {
        diesel::delete(grants::table.find(id)).execute(connection)?;
    }
    Ok(spent.len())
}

/// Deletes at most `limit` requests that expired unanswered before `before`.
pub(crate) fn delete_late_requests(
    connection: &mut SqliteConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let late: Vec<Vec<u8>> = requests::table
        .filter(requests::expires_at.lt(before.as_micros()))
        .order(requests::expires_at.asc())
        .limit(limit)
        .select(requests::handle_digest)
        .load(connection)?;
    for handle in &late {
        diesel::delete(requests::table.find(handle)).execute(connection)?;
    }
    Ok(late.len())
}
