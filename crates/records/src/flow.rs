//! Creating, getting, listing, updating and deleting records.
//! Authorization is left to the caller.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use api_conventions::validation;
use storage::StoreError;

use crate::content::{NewRecord, RecordContent, StoredRecord};
use crate::store::{Locked, RecordQueries, RecordRepository, SaveRecord};

/// Error from an operation on a record.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Invalid attributes, each with its errors.
    #[error("invalid record: {0}")]
    Invalid(ValidationFailures),
    /// Another record already has a value that must be unique.
    #[error("another record has the same unique value: {0}")]
    Conflict(ApiError),
    /// The record changed after the caller last read it.
    #[error("the record has changed")]
    Changed,
    /// There is no such record.
    #[error("{0} not found")]
    Unknown(&'static str),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RecordError> for ApiError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Invalid(failures) => Self::validation(&failures),
            RecordError::Conflict(refusal) => refusal,
            RecordError::Changed => Self::precondition_failed(),
            RecordError::Unknown(name) => Self::not_found(name),
            RecordError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

impl<C: RecordContent> StoredRecord<C> {
    /// Returns a record of an owner.
    ///
    /// # Errors
    /// [`RecordError::Unknown`], and failures of the store.
    pub fn find<T>(tx: &mut T, owner: C::Owner, id: C::Id) -> Result<Self, RecordError>
    where
        T: RecordQueries<C> + ?Sized,
    {
        tx.find_record(owner, id)?
            .ok_or(RecordError::Unknown(C::NAME))
    }

    /// Lists a page of the matching records of an owner.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn list<T>(
        tx: &mut T,
        owner: C::Owner,
        filter: &C::Filter,
        page: OffsetPage,
    ) -> Result<Page<Self>, StoreError>
    where
        T: RecordQueries<C> + ?Sized,
    {
        tx.list_records(owner, filter, page)
    }

    /// Creates a record.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn create<T>(tx: &mut T, mut new: NewRecord<C>) -> Result<Self, RecordError>
    where
        T: RecordRepository<C> + ?Sized,
    {
        new.content = checked(new.content)?;
        saved(tx.insert_record(&new)?)
    }

    /// Updates a record at the time `now` and returns it before and after the change.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn update<T>(
        tx: &mut T,
        owner: C::Owner,
        id: C::Id,
        edit: &C::Edit,
        now: Timestamp,
    ) -> Result<(Self, Self), RecordError>
    where
        T: RecordRepository<C> + ?Sized,
    {
        let locked = lock(tx, owner, id)?;
        let before = locked.clone();
        let content = checked(before.content.clone().edited(edit))?;
        let after = saved(tx.update_record(locked, content, now)?)?;
        Ok((before, after))
    }

    /// Deletes a record and returns it.
    /// Fails if `since` is given and the record changed in a later second (RFC 9110, section 13.1.4).
    ///
    /// # Errors
    /// [`RecordError::Unknown`], [`RecordError::Changed`], and failures of the store.
    pub fn delete<T>(
        tx: &mut T,
        owner: C::Owner,
        id: C::Id,
        since: Option<Timestamp>,
    ) -> Result<Self, RecordError>
    where
        T: RecordRepository<C> + ?Sized,
    {
        let locked = lock(tx, owner, id)?;
        let seconds = locked.updated_at.as_unix_seconds();
        if since.is_some_and(|since| seconds > since.as_unix_seconds()) {
            return Err(RecordError::Changed);
        }
        Ok(tx.delete_record(locked)?)
    }
}

fn lock<C, T>(
    tx: &mut T,
    owner: C::Owner,
    id: C::Id,
) -> Result<Locked<StoredRecord<C>>, RecordError>
where
    C: RecordContent,
    T: RecordRepository<C> + ?Sized,
{
    tx.lock_record(owner, id)?
        .ok_or(RecordError::Unknown(C::NAME))
}

/// Validates the content and returns it in its stored form.
fn checked<C: RecordContent>(content: C) -> Result<C, RecordError> {
    let failures = validation::check(&content);
    if failures.is_empty() {
        return Ok(content.normalized());
    }
    Err(RecordError::Invalid(failures))
}

fn saved<C: RecordContent>(outcome: SaveRecord<C>) -> Result<StoredRecord<C>, RecordError> {
    match outcome {
        SaveRecord::Saved(record) => Ok(record),
        SaveRecord::Conflict => Err(RecordError::Conflict(C::name_conflict())),
    }
}
