//! What SQLite does in its own way for what people sign in with. There is one writer, so nothing has to be locked.

use diesel::prelude::*;

use crate::schema::users;

/// Whether the user is there. There is one writer at a time, so its transaction locks everything.
pub(crate) fn lock(connection: &mut SqliteConnection, id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(users::table.find(id))).get_result(connection)
}
