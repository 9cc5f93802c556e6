//! What SQLite does in its own way for what people sign in with. There is one writer, so nothing has to be locked.

use diesel::prelude::*;

use crate::schema::users;

/// Whether the user is there. The one writer holds everything.
pub(crate) fn hold(connection: &mut SqliteConnection, id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(users::table.find(id))).get_result(connection)
}
