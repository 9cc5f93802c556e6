//! Uses of deprecated features, by user.

mod rows;
mod statements;

use ::deprecations::{Use, UseQueries, UseRepository, UseSum};
use api_conventions::ids::UserId;
use api_conventions::page::Total;
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;

#[cfg(test)]
pub(crate) use rows::described;
use rows::{NONE, UseRow, UseValues, deprecation_uses as uses, use_values};
use statements::{ADD_USES, sum_of};
use storage_diesel_macros::for_each_database;

use crate::bulk::Bulk;
use crate::capped_count::count_of;
use crate::delete_some::UserReference;
use crate::rows::RowReader;
use crate::transaction::row_limit;

#[for_each_database]
mod database {
    impl ::deprecations::UseQueriesWrapper for WriteTx<'_> {}

    impl UseQueries for ReadTx<'_> {
        fn list_uses_of_user(
            &mut self,
            user: UserId,
            limit: usize,
        ) -> Result<Vec<Use>, StoreError> {
            // No user has this number, which stands for users that are no longer known.
            if user.get() == NONE {
                return Ok(Vec::new());
            }
            let its = uses::table
                .filter(uses::user_id.eq(user.get()))
                .order((uses::last_at.desc(), uses::id.desc()))
                .limit(row_limit(limit));
            self.list::<UseRow>("list uses by user", its)
        }

        fn list_uses_of_record(
            &mut self,
            record: &str,
            limit: usize,
        ) -> Result<Vec<Use>, StoreError> {
            let its = uses::table
                .filter(uses::record.eq(record.to_owned()))
                .order((uses::last_at.desc(), uses::id.desc()))
                .limit(row_limit(limit));
            self.list::<UseRow>("list uses of record", its)
        }

        fn sum_uses_of_record(&mut self, record: &str) -> Result<Option<UseSum>, StoreError> {
            let sums = self.value("sum uses of record", sum_of(record))?;
            let (holders, uses, last_at): (i64, Option<i64>, Option<i64>) = sums;
            let (Some(uses), Some(last_at)) = (uses, last_at) else {
                return Ok(None);
            };
            Ok(Some(UseSum {
                holders: Total::from_capped_count(count_of(holders)),
                uses: count_of(uses),
                last_at: RowReader::new("deprecation_uses", 0).timestamp(last_at)?,
            }))
        }
    }

    impl UseRepository for WriteTx<'_> {
        fn add_uses(&mut self, new: &[Use]) -> Result<(), StoreError> {
            if new.is_empty() {
                return Ok(());
            }
            // In the order of their keys, so that no two transactions wait for each other.
            let mut rows: Vec<UseValues<'_>> = new.iter().map(use_values).collect();
            rows.sort_unstable();
            let add: Bulk = Bulk::new(&ADD_USES, rows);
            self.execute("add uses", add).map(drop)
        }

        fn delete_uses_before(
            &mut self,
            last_at: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete old uses";
            // The expression of the index, which differs from the column so that lists never read that index.
            let last = || sql::<BigInt>("last_at + 0");
            let old = uses::table
                .filter(last().lt(last_at.as_micros()))
                .order(last())
                .limit(row_limit(limit))
                .select(uses::id);
            let old: Vec<i64> = self.values(DELETE, old)?;
            // A use that another transaction has added to in the meantime is no longer old.
            let still = uses::table
                .filter(uses::id.eq_any(old))
                .filter(uses::last_at.lt(last_at.as_micros()));
            self.execute(DELETE, diesel::delete(still))
        }

        fn delete_uses_of(&mut self, user: UserId, limit: usize) -> Result<usize, StoreError> {
            let some = UserReference::new("deprecation_uses", "id", "user_id").delete(user);
            let delete = diesel::sql_query(format!("{some}{limit})"));
            self.execute("delete uses of user", delete)
        }
    }
}
