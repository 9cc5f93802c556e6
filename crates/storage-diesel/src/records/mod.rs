//! Records of all kinds: the repository traits over a table, for which each kind declares its columns and its special
//! rules.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

use storage::{StoreError, StoreErrorKind};

/// Maximum number of records of one owner that a filter may examine, if no index covers the list exactly.
pub(crate) const EXAMINED: i64 = 100_000;

/// Returns the error for an owner with more records than a filter may examine.
pub(crate) fn too_much(operation: &'static str) -> StoreError {
    let error = StoreError::new(StoreErrorKind::TooMuchWork, operation);
    error.with_detail("too many records match")
}

/// Returns the error for a locked record or an owner that does not exist.
pub(crate) fn missing(operation: &'static str, what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Internal, operation).with_detail(what)
}

/// Implements the repository traits of a kind of record, for both databases.
///
/// * `in` names the table, which [`entity!`](crate::entity::entity) declares, with the column of the owner, and the
///   table of owners, whose row is locked before records change;
/// * `insert` creates the row that is inserted, from the new record and its number;
/// * `change` creates the columns of an update, from the content and the time;
/// * `order` sorts ids in the order of lists, in a direction;
/// * `filter` adds the conditions of a filter to a boxed query of ids, and `examines` returns true for a filter that
///   reads every record of the owner;
/// * `unique` is the condition on the values of a content that must be unique within the owner;
/// * `numbered by` names the column of the owner that has the last number, if records have numbers.
macro_rules! records {
    ($content:ident as $row:ident in $table:ident by $owner:ident, of $owners:ident; $($special:tt)+) => {
        #[cfg(feature = "sqlite")]
        mod on_sqlite {
            use super::*;
            use crate::records::sqlite as dialect;
            use crate::sqlite::{SqliteReadTx, SqliteWriteTx};
            use crate::transaction::Transaction as _;
            crate::records::queries!(SqliteReadTx, $content, $row, $table, $owner; $($special)+);
            impl records::RecordQueriesWrapper<$content> for SqliteWriteTx<'_> {}
            crate::records::repository!(SqliteWriteTx, $content, $row, $table, $owner, $owners; $($special)+);
        }
        #[cfg(feature = "postgres")]
        mod on_postgres {
            use super::*;
            use crate::postgres::{PgReadTx, PgWriteTx};
            use crate::records::postgres as dialect;
            use crate::transaction::Transaction as _;
            crate::records::queries!(PgReadTx, $content, $row, $table, $owner; $($special)+);
            impl records::RecordQueriesWrapper<$content> for PgWriteTx<'_> {}
            crate::records::repository!(PgWriteTx, $content, $row, $table, $owner, $owners; $($special)+);
        }
    };
}

macro_rules! queries {
    (
        $tx:ident, $content:ident, $row:ident, $table:ident, $owner_column:ident;
        insert: $insert:expr;
        change: $change:expr;
        order $direction:ident: |$ids:ident, $sort:ident| $order:expr;
        filter: |$filtered:ident, $filter:ident| $conditions:expr;
        examines: $examines:expr;
        unique: $unique:expr;
        $(numbered by $counter:ident;)?
    ) => {
        impl RecordQueries<$content> for $tx<'_> {
            fn find_record(
                &mut self,
                owner: <$content as RecordContent>::Owner,
                id: <$content as RecordContent>::Id,
            ) -> Result<Option<StoredRecord<$content>>, StoreError> {
                let of_owner = $table::$owner_column.eq(owner.get());
                let record = $table::table.find(id.get()).filter(of_owner);
                self.find::<$row>(concat!("find in ", stringify!($table)), record)
            }

            fn list_records(
                &mut self,
                owner: <$content as RecordContent>::Owner,
                $filter: &<$content as RecordContent>::Filter,
                page: OffsetPage,
            ) -> Result<Page<StoredRecord<$content>>, StoreError> {
                const LIST: &str = concat!("list ", stringify!($table));
                let of_owner = || {
                    let ids = $table::table.select($table::id);
                    ids.filter($table::$owner_column.eq(owner.get()))
                };
                let examines: fn(&<$content as RecordContent>::Filter) -> bool = $examines;
                if examines($filter) {
                    let all = of_owner().limit(crate::records::EXAMINED + 1);
                    let all: i64 = self.value(LIST, crate::capped_count::CappedCount(all))?;
                    if all > crate::records::EXAMINED {
                        return Err(crate::records::too_much(LIST));
                    }
                }
                self.page::<$row, _, _, _>(
                    LIST,
                    page,
                    api_conventions::page::SortOrder::$direction,
                    || {
                        let $filtered: $table::BoxedQuery<
                            '_,
                            crate::transaction::Backend<Self>,
                            BigInt,
                        > = of_owner().into_boxed();
                        $conditions
                    },
                    |$ids, $sort| $order,
                    |ids| $table::table.filter($table::id.eq_any(ids)),
                )
            }
        }
    };
}

macro_rules! repository {
    (
        $tx:ident, $content:ident, $row:ident, $table:ident, $owner_column:ident, $owners:ident;
        insert: |$new:ident, $number:pat_param| $insert:expr;
        change: |$changed:ident, $now:ident| $change:expr;
        order $direction:ident: $order:expr;
        filter: $conditions:expr;
        examines: $examines:expr;
        unique: |$written:ident| $unique:expr;
        $(numbered by $counter:ident;)?
    ) => {
        impl RecordRepository<$content> for $tx<'_> {
            fn insert_record(
                &mut self,
                $new: &NewRecord<$content>,
            ) -> Result<SaveRecord<$content>, StoreError> {
                const INSERT: &str = concat!("insert into ", stringify!($table));
                let owner = $owners::table.find($new.owner.get());
                let number: Option<i64> =
                    self.value_if(INSERT, crate::records::next_number!($owners, owner $(, $counter)?))?;
                let $number = number
                    .ok_or_else(|| crate::records::missing(INSERT, "the owner does not exist"))?;
                let insert = diesel::insert_into($table::table).values($insert);
                let insert = insert.on_conflict_do_nothing();
                let row = insert.returning($row::as_returning());
                let row: Option<$row> = self.value_if(INSERT, row)?;
                let Some(row) = row else {
                    $(
                        let counter = $owners::$counter;
                        let give_back = diesel::update(owner).set(counter.eq(counter - 1));
                        self.execute(INSERT, give_back)?;
                    )?
                    return Ok(SaveRecord::Conflict);
                };
                Ok(SaveRecord::Saved(row.read()?))
            }

            fn lock_record(
                &mut self,
                owner: <$content as RecordContent>::Owner,
                id: <$content as RecordContent>::Id,
            ) -> Result<Option<Locked<StoredRecord<$content>>>, StoreError> {
                const LOCK: &str = concat!("lock in ", stringify!($table));
                let lock = $owners::table.find(owner.get()).select($owners::id);
                let locked: Option<i64> = self.value_if(LOCK, dialect::locked!(lock))?;
                // A record that was read without the lock, because its owner does not exist, is not returned.
                let record: Option<StoredRecord<$content>> = self.find_record(owner, id)?;
                Ok(locked.and(record).map(Locked::by_adapter))
            }

            fn update_record(
                &mut self,
                record: Locked<StoredRecord<$content>>,
                $changed: $content,
                $now: Timestamp,
            ) -> Result<SaveRecord<$content>, StoreError> {
                const UPDATE: &str = concat!("update in ", stringify!($table));
                let others = $table::table
                    .filter($table::$owner_column.eq(record.owner.get()))
                    .filter($table::id.ne(record.id.get()));
                let $written = &$changed;
                let taken = diesel::dsl::exists(others.filter($unique));
                if self.value(UPDATE, diesel::select(taken))? {
                    return Ok(SaveRecord::Conflict);
                }
                let update = diesel::update($table::table.find(record.id.get()));
                let update = update.set({
                    let $changed = &$changed;
                    $change
                });
                let row = update.returning($row::as_returning());
                let row: Option<$row> = self.value_if(UPDATE, row)?;
                let row = row.ok_or_else(|| crate::records::missing(UPDATE, "the record was deleted"))?;
                Ok(SaveRecord::Saved(row.read()?))
            }

            fn delete_record(
                &mut self,
                record: Locked<StoredRecord<$content>>,
            ) -> Result<StoredRecord<$content>, StoreError> {
                const DELETE: &str = concat!("delete from ", stringify!($table));
                let delete = diesel::delete($table::table.find(record.id.get()));
                if self.changes(DELETE, delete)? {
                    return Ok(record.into_inner());
                }
                Err(crate::records::missing(DELETE, "the record was deleted"))
            }
        }
    };
}

/// Statement that locks an owner and returns the next number of its records, or 0 if records have none.
macro_rules! next_number {
    ($owners:ident, $owner:ident) => {
        dialect::locked!($owner.select(diesel::dsl::sql::<BigInt>("CAST(0 AS BIGINT)")))
    };
    ($owners:ident, $owner:ident, $counter:ident) => {
        diesel::update($owner)
            .set($owners::$counter.eq($owners::$counter + 1))
            .returning($owners::$counter)
    };
}

pub(crate) use {next_number, queries, records, repository};
