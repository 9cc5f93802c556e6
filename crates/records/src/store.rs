//! The repository traits of records.

use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use storage::Locked;

use crate::content::{NewRecord, RecordContent, StoredRecord};

/// Read queries on records, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait RecordQueries<C: RecordContent> {
    /// The record of the owner with this id.
    fn find_record(
        &mut self,
        owner: C::Owner,
        id: C::Id,
    ) -> Result<Option<StoredRecord<C>>, StoreError>;

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
    ) -> Result<Page<StoredRecord<C>>, StoreError>;
}

/// Write operations on records.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(insert_record, lock_record, update_record, delete_record))]
pub trait RecordRepository<C: RecordContent>: RecordQueries<C> {
    /// Inserts a record, under the next number of its owner if the kind has numbers.
    /// The owner must exist.
    fn insert_record(&mut self, new: &NewRecord<C>) -> Result<SaveRecord<C>, StoreError>;

    /// Locks and returns the record of the owner with this id.
    /// No other transaction inserts, updates or deletes a record of the owner until this one ends, so a change can be
    /// computed from the returned record.
    fn lock_record(
        &mut self,
        owner: C::Owner,
        id: C::Id,
    ) -> Result<Option<Locked<StoredRecord<C>>>, StoreError>;

    /// Replaces the content of a record at the time `now`.
    fn update_record(
        &mut self,
        record: Locked<StoredRecord<C>>,
        content: C,
        now: Timestamp,
    ) -> Result<SaveRecord<C>, StoreError>;

    /// Deletes a record and returns it.
    fn delete_record(
        &mut self,
        record: Locked<StoredRecord<C>>,
    ) -> Result<StoredRecord<C>, StoreError>;
}

/// Outcome of writing a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveRecord<C: RecordContent> {
    /// The record was written.
    Saved(StoredRecord<C>),
    /// Another record already has a value that must be unique.
    /// Nothing was written, and no number was used.
    Conflict,
}
