//! What PostgreSQL does in its own way for what people sign in with: a user is locked before its sessions, and these
//! before what follows from them.

use diesel::prelude::*;

use crate::schema::users;

/// Locks a user against every change. A weaker lock would let a password through, because no other table refers to it.
pub(crate) fn lock(connection: &mut PgConnection, id: i64) -> QueryResult<bool> {
    let locked = users::table
        .find(id)
        .select(users::id)
        .for_share()
        .get_result::<i64>(connection);
    locked.optional().map(|locked| locked.is_some())
}
