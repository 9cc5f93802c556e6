//! The repository traits of records.

use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use storage::Locked;

use crate::content::{Content, NewRecord, Record};

/// What a transaction of either kind can tell about records.
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

    /// One page of the records of an owner that match, in the order that the documentation of `C` names.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when a filter would have more records of the owner examined
    /// than one request may, which are no fewer than 100,000.
    fn list_records(
        &mut self,
        owner: C::Owner,
        filter: &C::Filter,
        page: OffsetPage,
    ) -> Result<Page<Record<C>>, StoreError>;
}

/// What a write transaction can change about records.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_record, lock_record, update_record, delete_record))]
pub trait RecordRepository<C: Content>: RecordQueries<C> {
    /// Inserts a record, under the next number of its owner where records have numbers. The owner must exist.
    fn insert_record(&mut self, new: &NewRecord<C>) -> Result<Saved<C>, StoreError>;

    /// The record of the owner with this id. Nobody else inserts, changes or deletes a record of the owner until the
    /// transaction ends, so a change can be worked out from what is found here.
    fn lock_record(
        &mut self,
        owner: C::Owner,
        id: C::Id,
    ) -> Result<Option<Locked<Record<C>>>, StoreError>;

    /// Writes the content of a record anew at the time `now`.
    fn update_record(
        &mut self,
        record: Locked<Record<C>>,
        content: C,
        now: Timestamp,
    ) -> Result<Saved<C>, StoreError>;

    /// Deletes a record, and gives it as it was.
    fn delete_record(&mut self, record: Locked<Record<C>>) -> Result<Record<C>, StoreError>;
}

/// What happened to a record that was to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved<C: Content> {
    /// It is there as it was written.
    Saved(Record<C>),
    /// Another record has what no two may share. Nothing was written, and no number was used.
    Taken,
}
