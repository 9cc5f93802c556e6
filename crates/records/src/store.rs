//! The repository traits of records.

use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use storage::Locked;

use crate::content::{Content, NewRecord, Record};

/// Read queries on records, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait RecordQueries<C: Content> {
    /// The record of the owner with this id.
    fn find_record(&mut self, owner: C::Owner, id: C::Id) -> Result<Option<Record<C>>, StoreError>;

    /// Page of the matching records of an owner, in the order documented on `C`.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the filter requires examining more records of the owner
    /// than one request may, which is at least 100,000.
    fn list_records(
        &mut self,
        owner: C::Owner,
        filter: &C::Filter,
        page: OffsetPage,
    ) -> Result<Page<Record<C>>, StoreError>;
}

/// Write operations on records.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_record, lock_record, update_record, delete_record))]
pub trait RecordRepository<C: Content>: RecordQueries<C> {
    /// Inserts a record, under the next number of its owner if the kind has numbers.
    /// The owner must exist.
    fn insert_record(&mut self, new: &NewRecord<C>) -> Result<Saved<C>, StoreError>;

    /// Locks and returns the record of the owner with this id.
    /// No other transaction inserts, updates or deletes a record of the owner until this one ends, so a change can be
    /// computed from the returned record.
    fn lock_record(
        &mut self,
        owner: C::Owner,
        id: C::Id,
    ) -> Result<Option<Locked<Record<C>>>, StoreError>;

    /// Replaces the content of a record at the time `now`.
    fn update_record(
        &mut self,
        record: Locked<Record<C>>,
        content: C,
        now: Timestamp,
    ) -> Result<Saved<C>, StoreError>;

    /// Deletes a record and returns it.
    fn delete_record(&mut self, record: Locked<Record<C>>) -> Result<Record<C>, StoreError>;
}

/// Outcome of writing a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved<C: Content> {
    /// The record was written.
    Saved(Record<C>),
    /// Another record already has a value that must be unique.
    /// Nothing was written, and no number was used.
    Taken,
}
