//! Rows as JSON by their keys, and the transaction that reads and writes them.

use std::marker::PhantomData;
use std::ops::Bound;

use api_conventions::page::SortOrder;
use redb::{
    Database, Key, ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition,
    TableError, Value, WriteTransaction,
};
use serde::de::DeserializeOwned;
use storage::{StoreError, StoreErrorKind};

/// Key of a row with an owner: the owner, and the number of the row.
pub(crate) type NumberKey = (i64, i64);
/// Key of a row with an owner that is looked up by a text or a digest.
pub(crate) type TextKey = (i64, &'static [u8]);
/// Range of keys.
pub(crate) type KeyRange<K> = (Bound<K>, Bound<K>);

/// Table of rows of one type.
pub(crate) struct RowTable<K: Key + 'static, R> {
    pub(crate) name: &'static str,
    row: PhantomData<fn() -> (K, R)>,
}

impl<K: Key + 'static, R> RowTable<K, R> {
    pub(crate) const fn new(name: &'static str) -> Self {
        let row = PhantomData;
        Self { name, row }
    }

    pub(crate) fn definition(&self) -> TableDefinition<'static, K, &'static [u8]> {
        TableDefinition::new(self.name)
    }

    pub(crate) fn create(&self, tx: &WriteTransaction) -> Result<(), StoreError> {
        let table = tx.open_table(self.definition());
        table.map(drop).map_err(failed(self.name))
    }
}

impl<K: Key + 'static, R: DeserializeOwned> RowTable<K, R> {
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<R, StoreError> {
        serde_json::from_slice(bytes).map_err(|error| {
            let row = format_args!("of {} bytes", bytes.len());
            StoreError::inconsistent(self.name, row, "it is none of this table").with_source(error)
        })
    }
}

/// Creates the missing tables, because a read transaction cannot.
pub(crate) fn create_tables(database: &Database) -> Result<(), StoreError> {
    let tx = database.begin_write().map_err(failed("begin a write"))?;
    COUNTERS.create(&tx)?;
    crate::alerts::create_tables(&tx)?;
    crate::events::create_tables(&tx)?;
    tx.commit().map_err(failed("commit"))
}

/// Last assigned numbers, by the name of the counter and by project.
pub(crate) const COUNTERS: RowTable<(&str, i64), i64> = RowTable::new("counters");

/// A redb transaction that opens tables: a read or a write transaction.
pub trait Tables {
    /// An open table.
    type Table<'t, K: Key + 'static, V: Value + 'static>: ReadableTable<K, V>
    where
        Self: 't;

    /// Opens a table.
    ///
    /// # Errors
    /// Failures of redb.
    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<Self::Table<'_, K, V>, TableError>;
}

impl Tables for ReadTransaction {
    type Table<'t, K: Key + 'static, V: Value + 'static> = ReadOnlyTable<K, V>;

    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<ReadOnlyTable<K, V>, TableError> {
        self.open_table(definition)
    }
}

impl Tables for WriteTransaction {
    type Table<'t, K: Key + 'static, V: Value + 'static> = Table<'t, K, V>;

    fn open<K: Key + 'static, V: Value + 'static>(
        &self,
        definition: TableDefinition<'_, K, V>,
    ) -> Result<Table<'_, K, V>, TableError> {
        self.open_table(definition)
    }
}

/// Keys of all rows of an owner.
pub(crate) fn keys_of(owner: i64) -> KeyRange<NumberKey> {
    keys_after(owner, None, SortOrder::Ascending)
}

/// Keys of an owner's rows that follow a number in a list of this direction.
pub(crate) fn keys_after(owner: i64, number: Option<i64>, sort: SortOrder) -> KeyRange<NumberKey> {
    let all = [i64::MIN, i64::MAX].map(|number| Bound::Included((owner, number)));
    let number = number.map(|number| Bound::Excluded((owner, number)));
    let [first, last] = all;
    match sort {
        SortOrder::Ascending => (number.unwrap_or(first), last),
        SortOrder::Descending => (first, number.unwrap_or(last)),
    }
}

/// Keys of all rows of an owner, whatever their texts.
pub(crate) fn text_keys_of(owner: i64) -> KeyRange<(i64, &'static [u8])> {
    let next = owner
        .checked_add(1)
        .map(|next| Bound::Excluded((next, &[][..])));
    (
        Bound::Included((owner, &[])),
        next.unwrap_or(Bound::Unbounded),
    )
}

/// Converts an error of redb to one of the store.
pub(crate) fn failed<E: Into<redb::Error>>(
    operation: &'static str,
) -> impl FnOnce(E) -> StoreError {
    move |error| {
        let error = error.into();
        let kind = match error {
            redb::Error::Io(_)
            | redb::Error::PreviousIo
            | redb::Error::DatabaseClosed
            | redb::Error::DatabaseAlreadyOpen => StoreErrorKind::Unavailable,
            redb::Error::Corrupted(_) => StoreErrorKind::Inconsistent,
            _ => StoreErrorKind::Internal,
        };
        StoreError::new(kind, operation).with_source(error)
    }
}
