//! Statuses that users show to others.

use accounts::{Availability, StatusQueries, StatusRepository, UserStatus};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::tables::user_statuses;
use crate::rows::RowReader;
use crate::transaction::row_limit;

/// Columns of a status: emoji, message, availability, and the time at which it is cleared.
type StatusColumns = (String, String, i16, Option<i64>);

fn read_status(user: UserId, row: StatusColumns) -> Result<UserStatus, StoreError> {
    let (emoji, message, availability, clear_at) = row;
    let reader = RowReader::new("user_statuses", user.get());
    let availability = Availability::from_number(availability);
    Ok(UserStatus {
        emoji,
        message,
        availability: reader.require(availability, "unknown availability")?,
        clear_at: reader.optional_timestamp(clear_at)?,
    })
}

#[for_each_database]
mod database {
    impl ::accounts::StatusQueriesWrapper for WriteTx<'_> {}

    impl StatusQueries for ReadTx<'_> {
        fn find_user_status(&mut self, user: UserId) -> Result<Option<UserStatus>, StoreError> {
            let row = user_statuses::table.find(user.get()).select((
                user_statuses::emoji,
                user_statuses::message,
                user_statuses::availability,
                user_statuses::clear_at,
            ));
            let row: Option<StatusColumns> = self.value_if("find user status", row)?;
            row.map(|row| read_status(user, row)).transpose()
        }
    }

    impl StatusRepository for WriteTx<'_> {
        fn put_user_status(&mut self, user: UserId, status: &UserStatus) -> Result<(), StoreError> {
            let values = (
                user_statuses::emoji.eq(status.emoji.as_str()),
                user_statuses::message.eq(status.message.as_str()),
                user_statuses::availability.eq(status.availability.number()),
                user_statuses::clear_at.eq(status.clear_at.map(Timestamp::as_micros)),
            );
            let put = diesel::insert_into(user_statuses::table)
                .values((user_statuses::user_id.eq(user.get()), values))
                .on_conflict(user_statuses::user_id)
                .do_update()
                .set(values);
            self.execute("put user status", put).map(drop)
        }

        fn delete_user_status(&mut self, user: UserId) -> Result<bool, StoreError> {
            let its = user_statuses::table.find(user.get());
            self.changes("delete user status", diesel::delete(its))
        }

        fn delete_cleared_statuses(
            &mut self,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete cleared user statuses";
            let cleared = user_statuses::table
                .filter(user_statuses::clear_at.lt(before.as_micros()))
                .order(user_statuses::clear_at)
                .limit(row_limit(limit))
                .select(user_statuses::user_id);
            let cleared: Vec<i64> = self.values(DELETE, cleared)?;
            // A status that its user has set again in the meantime is no longer to be cleared.
            let still = user_statuses::table
                .filter(user_statuses::user_id.eq_any(cleared))
                .filter(user_statuses::clear_at.lt(before.as_micros()));
            self.execute(DELETE, diesel::delete(still))
        }
    }
}
