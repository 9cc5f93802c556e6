//! PostgreSQL specifics of grants: many transactions write at once, so each locks the rows that it changes in one
//! order.
//! Users and their sessions are first. An application is locked before its waiting requests, these before grants,
//! grants in the order of their ids, and a grant before its pairs. Cleanup skips rows that others have locked, so it
//! never waits.

mod families;
mod statements;

pub(super) use families::{lock_families, lock_grants_by_code, redeem_codes, rotate_pairs};

use api_conventions::time::Timestamp;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;

use super::tables::{
    oauth_applications as applications, oauth_authorization_requests as requests,
    oauth_grants as grants, oauth_token_pairs as pairs,
};

/// Condition on grants.
pub(crate) type GrantCondition = Box<dyn BoxableExpression<grants::table, Pg, SqlType = Bool>>;

/// Locks an application and everything that is deleted with it.
/// From then on no new rows can refer to it.
pub(crate) fn lock_application(connection: &mut PgConnection, id: i64) -> QueryResult<()> {
    applications::table
        .find(id)
        .select(applications::id)
        .for_update()
        .load::<i64>(connection)?;
    requests::table
        .filter(requests::application_id.eq(id))
        .select(requests::session_id)
        .for_update()
        .load::<i64>(connection)?;
    lock_grants(
        connection,
        Box::new(grants::application_id.assume_not_null().eq(id)),
    )
    .map(drop)
}

/// Locks the grant of a refresh token.
/// The lock is the one that revoking the grant takes: with a weaker one, two transactions that both go on to revoke the
/// grant would wait for each other.
pub(crate) fn lock_family(connection: &mut PgConnection, refresh: &[u8]) -> QueryResult<()> {
    let its = pairs::table
        .filter(pairs::refresh_digest.eq(refresh))
        .select(pairs::grant_id);
    grants::table
        .filter(grants::id.eq_any(its))
        .select(grants::id)
        .for_no_key_update()
        .load::<i64>(connection)
        .map(drop)
}

/// Revokes the live grants that match the condition.
pub(crate) fn end_grants_where(
    connection: &mut PgConnection,
    which: GrantCondition,
    now: Timestamp,
) -> QueryResult<usize> {
    let ids = lock_grants(connection, which)?;
    end_grants(connection, &ids, now)
}

/// Returns the ids of the grants, locked in id order with the lock that an update takes, so that inserts of their pairs
/// need not be waited for.
/// After a wait, each grant is seen in its current state, and grants that no longer match the condition are left out.
fn lock_grants(connection: &mut PgConnection, which: GrantCondition) -> QueryResult<Vec<i64>> {
    grants::table
        .filter(which)
        .order(grants::id.asc())
        .select(grants::id)
        .for_no_key_update()
        .load(connection)
}

/// Revokes locked live grants.
/// The ids decide, not the condition by which they were found: a grant that was created in the meantime is in neither
/// statement.
fn end_grants(connection: &mut PgConnection, ids: &[i64], now: Timestamp) -> QueryResult<usize> {
    if ids.is_empty() {
        return Ok(0);
    }

    diesel::update(pairs::table.filter(pairs::grant_id.eq_any(ids)))
        .set(pairs::revoked_at.eq(now.as_micros()))
        .execute(connection)?;

    diesel::update(grants::table.filter(grants::id.eq_any(ids)))
        .set(grants::revoked_at.eq(now.as_micros()))
        .execute(connection)
}

/// Deletes at most `limit` grants that expired before `before`, those that expired first before the others.
pub(crate) fn delete_spent_grants(
    connection: &mut PgConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let spent: Vec<i64> = grants::table
        .filter(grants::expires_at.lt(before.as_micros()))
        .order(grants::expires_at.asc())
        .limit(limit)
        .select(grants::id)
        .for_update()
        .skip_locked()
        .load(connection)?;
    diesel::delete(grants::table.filter(grants::id.eq_any(spent))).execute(connection)
}

/// Deletes at most `limit` requests that expired unanswered before `before`.
pub(crate) fn delete_late_requests(
    connection: &mut PgConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let late: Vec<Vec<u8>> = requests::table
        .filter(requests::expires_at.lt(before.as_micros()))
        .order(requests::expires_at.asc())
        .limit(limit)
        .select(requests::handle_digest)
        .for_update()
        .skip_locked()
        .load(connection)?;
    diesel::delete(requests::table.filter(requests::handle_digest.eq_any(late))).execute(connection)
}
