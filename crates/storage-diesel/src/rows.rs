//! Rows, and how they become the values of the domain. A row that contradicts itself is an inconsistency that
//! names its table and its id.

use std::collections::BTreeMap;

use api_conventions::access::Visibility;
use api_conventions::scope::ScopeSet;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

/// A row, and the value of the domain that it stands for.
pub(crate) trait Row: Sized {
    /// The value.
    type Value;

    /// Reads the value.
    ///
    /// # Errors
    /// An inconsistency, when the row contradicts itself.
    fn read(self) -> Result<Self::Value, StoreError>;
}

/// A row that is found by a number.
pub(crate) trait KeyedRow: Row {
    /// The number.
    fn key(&self) -> i64;
}

/// Puts rows into the order of their keys. A key without a row is passed over.
pub(crate) fn arrange<R: KeyedRow>(keys: &[i64], rows: Vec<R>) -> Vec<R> {
    let rows = rows.into_iter();
    let mut by_key: BTreeMap<i64, R> = rows.map(|row| (row.key(), row)).collect();
    keys.iter().filter_map(|key| by_key.remove(key)).collect()
}

/// What reads a row of one table: every reading names the table and the row when it fails.
#[derive(Clone, Copy)]
pub(crate) struct RowReader {
    table: &'static str,
    id: i64,
}

impl RowReader {
    pub(crate) fn new(table: &'static str, id: i64) -> Self {
        Self { table, id }
    }

    pub(crate) fn wrong(self, what: &str) -> StoreError {
        StoreError::inconsistent(self.table, self.id, what)
    }

    pub(crate) fn need<T>(self, value: Option<T>, what: &str) -> Result<T, StoreError> {
        value.ok_or_else(|| self.wrong(what))
    }

    pub(crate) fn timestamp(self, micros: i64) -> Result<Timestamp, StoreError> {
        self.need(
            Timestamp::from_micros(micros),
            "a timestamp outside the calendar",
        )
    }

    pub(crate) fn moment_if(self, micros: Option<i64>) -> Result<Option<Timestamp>, StoreError> {
        micros.map(|micros| self.timestamp(micros)).transpose()
    }

    pub(crate) fn digest(self, bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
        bytes
            .try_into()
            .map_err(|_| self.wrong("a digest that is not 32 bytes long"))
    }

    pub(crate) fn visibility(self, number: i16) -> Result<Visibility, StoreError> {
        self.need(
            Visibility::from_number(number.into()),
            "an unknown visibility",
        )
    }

    pub(crate) fn day(self, days: i32) -> Result<CalendarDate, StoreError> {
        self.need(CalendarDate::from_days(days), "a day outside the calendar")
    }

    /// Reads names in any order. A name that nobody asks for permits nothing, so one that this build does not know is
    /// read like any other.
    pub(crate) fn scopes(self, words: &str) -> Result<ScopeSet, StoreError> {
        ScopeSet::parse(words).map_err(|_| self.wrong("a word that cannot be a scope"))
    }
}
