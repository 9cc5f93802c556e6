//! Records of every kind: a table of each, and what the table has to know of the kind.

use std::collections::BTreeMap;
use std::ops::Deref;

use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use records::{Content, Locked, NewRecord, Record, RecordQueries, RecordRepository, Saved};
use storage::{StoreError, StoreErrorKind};

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{RowId, Table};

/// What the store has to know of a kind of record.
pub(crate) trait Kind: Content<Id: RowId> {
    /// What comes before the id in the order of lists.
    type Key: Ord;
    /// The direction of lists.
    const SORT: SortOrder;

    fn records(state: &State) -> &Records<Self>;
    fn records_mut(state: &mut State) -> &mut Records<Self>;

    /// The number as records have it.
    fn number(number: i64) -> Self::Number;

    /// What the record is listed by.
    fn key(&self) -> Self::Key;

    /// Whether a list holds the record.
    fn is_listed(record: &Record<Self>, filter: &Self::Filter) -> bool;

    /// Whether the contents of two records of one owner have what no two may share.
    fn clashes(&self, other: &Self) -> bool;

    /// Takes a record that is deleted away from all that has it.
    fn forget(state: &mut State, id: Self::Id);
}

/// The records of a kind, and the last number of each owner.
#[derive(Debug, Clone)]
pub(crate) struct Records<C: Content> {
    table: Table<C::Id, Record<C>>,
    last: BTreeMap<C::Owner, i64>,
}

impl<C: Content> Default for Records<C> {
    fn default() -> Self {
        Self {
            table: Table::default(),
            last: BTreeMap::new(),
        }
    }
}

impl<C: Kind> Records<C> {
    /// The record with this id, of whichever owner.
    pub(crate) fn get(&self, id: C::Id) -> Option<&Record<C>> {
        self.table.get(id)
    }

    /// All records.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Record<C>> {
        self.table.rows()
    }

    /// Whether a record of the owner other than `id` has what `content` would have alone.
    fn is_taken(&self, owner: C::Owner, id: Option<C::Id>, content: &C) -> bool {
        self.table
            .has(|one| one.owner == owner && Some(one.id) != id && one.content.clashes(content))
    }

    /// Deletes records of an owner that goes, too, at most `limit`, and gives how many went.
    pub(crate) fn delete_of(&mut self, owner: C::Owner, limit: usize) -> usize {
        self.table
            .remove_where(limit, |one| one.owner == owner)
            .len()
    }
}

impl<C: Kind, S: Deref<Target = State>> RecordQueries<C> for MemoryTx<S> {
    fn find_record(&mut self, owner: C::Owner, id: C::Id) -> Result<Option<Record<C>>, StoreError> {
        let found = C::records(&self.0).table.get(id);
        Ok(found.filter(|record| record.owner == owner).cloned())
    }

    fn list_records(
        &mut self,
        owner: C::Owner,
        filter: &C::Filter,
        page: OffsetPage,
    ) -> Result<Page<Record<C>>, StoreError> {
        let is_listed = |one: &Record<C>| one.owner == owner && C::is_listed(one, filter);
        let key = |one: &Record<C>| one.content.key();
        Ok(C::records(&self.0)
            .table
            .page(is_listed, key, C::SORT, page))
    }
}

impl<C: Kind> RecordRepository<C> for MemoryWriteTx<'_> {
    fn insert_record(&mut self, new: &NewRecord<C>) -> Result<Saved<C>, StoreError> {
        let records = C::records_mut(self.0);
        if records.is_taken(new.owner, None, &new.content) {
            return Ok(Saved::Taken);
        }
        let last = records.last.entry(new.owner).or_default();
        *last += 1;
        let number = C::number(*last);
        let record = records.table.insert_copy(|id| new.stored(id, number));
        Ok(Saved::Saved(record))
    }

    /// There is one write transaction at a time, so nothing has to be locked.
    fn lock_record(&mut self, owner: C::Owner, id: C::Id) -> Result<Option<Locked<C>>, StoreError> {
        Ok(self.find_record(owner, id)?.map(Locked::by_adapter))
    }

    fn update_record(
        &mut self,
        record: Locked<C>,
        content: C,
        now: Timestamp,
    ) -> Result<Saved<C>, StoreError> {
        let records = C::records_mut(self.0);
        if records.is_taken(record.owner, Some(record.id), &content) {
            return Ok(Saved::Taken);
        }
        let mut record = record.into_record();
        record.content = content;
        record.updated_at = now;
        let copy = record.clone();
        let is_there = records.table.update(record.id, |row| *row = copy);
        is_there
            .then_some(Saved::Saved(record))
            .ok_or_else(|| not_locked("update record"))
    }

    fn delete_record(&mut self, record: Locked<C>) -> Result<Record<C>, StoreError> {
        let is_deleted = C::records_mut(self.0).table.remove(record.id);
        C::forget(self.0, record.id);
        is_deleted
            .then(|| record.into_record())
            .ok_or_else(|| not_locked("delete record"))
    }
}

/// A record was written after it was deleted in the same transaction.
fn not_locked(operation: &'static str) -> StoreError {
    let error = StoreError::new(StoreErrorKind::Internal, operation);
    error.with_detail("the record is gone")
}
