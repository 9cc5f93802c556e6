//! Rows, and their conversion to the values of the domain.
//! A row that contradicts itself is an inconsistency; the error names its table and its id.

use std::collections::BTreeMap;

use api_conventions::access::Visibility;
use api_conventions::scope::ScopeSet;
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

/// Row that is read as a value of the domain.
pub(crate) trait DomainRow: Sized {
    /// Value of the domain.
    type Value;

    /// Reads the value.
    ///
    /// # Errors
    /// An inconsistency if the row contradicts itself.
    fn read(self) -> Result<Self::Value, StoreError>;
}

/// Row with a numeric key.
pub(crate) trait KeyedRow: DomainRow {
    /// Returns the key.
    fn key(&self) -> i64;
}

/// Sorts rows in the order of keys.
/// A key without a row is skipped.
pub(crate) fn arrange<R: KeyedRow>(keys: &[i64], rows: Vec<R>) -> Vec<R> {
    let rows = rows.into_iter();
    let mut by_key: BTreeMap<i64, R> = rows.map(|row| (row.key(), row)).collect();
    keys.iter().filter_map(|key| by_key.remove(key)).collect()
}

/// Reader of a row of one table: its errors name the table and the row.
#[derive(Clone, Copy)]
pub(crate) struct RowReader {
    table: &'static str,
    id: i64,
}

impl RowReader {
    pub(crate) fn new(table: &'static str, id: i64) -> Self {
        Self { table, id }
    }

    pub(crate) fn inconsistent(self, what: &str) -> StoreError {
        StoreError::inconsistent(self.table, self.id, what)
    }

    pub(crate) fn require<T>(self, value: Option<T>, what: &str) -> Result<T, StoreError> {
        value.ok_or_else(|| self.inconsistent(what))
    }

    pub(crate) fn timestamp(self, micros: i64) -> Result<Timestamp, StoreError> {
        self.require(Timestamp::from_micros(micros), "timestamp out of range")
    }

    pub(crate) fn optional_timestamp(
        self,
        micros: Option<i64>,
    ) -> Result<Option<Timestamp>, StoreError> {
        micros.map(|micros| self.timestamp(micros)).transpose()
    }

    pub(crate) fn digest(self, bytes: Vec<u8>) -> Result<[u8; 32], StoreError> {
        bytes
            .try_into()
            .map_err(|_| self.inconsistent("digest is not 32 bytes long"))
    }

    pub(crate) fn visibility(self, number: i16) -> Result<Visibility, StoreError> {
        self.require(Visibility::from_number(number.into()), "unknown visibility")
    }

    pub(crate) fn day(self, days: i32) -> Result<CalendarDate, StoreError> {
        self.require(CalendarDate::from_days(days), "date out of range")
    }

    /// Parses scopes in any order.
    /// An unknown scope, of another build, grants nothing that this build checks, so it is accepted like any other.
    pub(crate) fn scopes(self, words: &str) -> Result<ScopeSet, StoreError> {
        ScopeSet::parse(words).map_err(|_| self.inconsistent("invalid scope"))
    }
}
