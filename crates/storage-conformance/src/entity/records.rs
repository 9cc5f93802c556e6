//! The clauses of records: those of every entity, and further promises about records.

use std::fmt::Debug;

use api_conventions::page::Page;
use api_conventions::time::Timestamp;
use records::{
    Locked, NewRecord, RecordContent, RecordQueries, RecordRepository, SaveRecord, StoredRecord,
};
use storage::{StoreError, StoreExt as _};

use super::clauses::{find_existing, insert, samples};
use super::{Entity, HarnessOf, ReadOf, WriteOf};
use crate::broken_promise::{Verdict, check, same};
use crate::samples::{page, race, timestamp};

/// Number of racing records.
const RACERS: u32 = 8;

/// A kind of record under test. The macro `record!` of this crate implements it, together with the traits of every
/// entity.
pub trait RecordKind:
    Entity<
        Owner = <Self::Content as RecordContent>::Owner,
        New = NewRecord<Self::Content>,
        Row = StoredRecord<Self::Content>,
        Key = <Self::Content as RecordContent>::Id,
    >
{
    /// The content that users write.
    type Content: RecordContent;

    /// Fixed part of a record, which never changes. The same for all records here.
    fn fixed() -> <Self::Content as RecordContent>::Fixed;

    /// The content of an ordinary record. Contents with different numbers differ in all unique values, and the records
    /// are listed in ascending or descending order of their numbers.
    fn content(number: u32) -> Self::Content;

    /// Contents at the limits of the columns, as for [`Entity::edges`].
    fn edge_contents() -> Vec<Self::Content>;

    /// A content with another value in every field.
    fn changed_content(number: u32) -> Self::Content;

    /// A content that shares the unique value of the sample with this number, and nothing else.
    fn clashing_content(number: u32) -> Self::Content;

    /// Adds a value to a content that later additions keep.
    fn add_to(content: &mut Self::Content);

    /// Contents of some records, and filters, each with the positions of the contents that it lists, in order.
    fn filters() -> RecordFilters<Self::Content>;

    /// The number of a record, if its kind has numbers.
    fn number_of(record: &Self::Row) -> Option<i64>;
}

/// Some records, and filters with the positions of the records that they list.
pub type RecordFilters<C> = (
    Vec<C>,
    Vec<(<C as RecordContent>::Filter, &'static [usize])>,
);

/// The record to insert for a content.
pub(crate) fn new_record<K: RecordKind>(
    owner: K::Owner,
    content: K::Content,
    created_at: Timestamp,
) -> NewRecord<K::Content> {
    NewRecord {
        owner,
        fixed: K::fixed(),
        content,
        created_at,
    }
}

/// Locks a record and changes its content. `None` if it does not exist.
pub(crate) fn change<C: RecordContent, T: RecordRepository<C> + ?Sized>(
    tx: &mut T,
    owner: C::Owner,
    id: C::Id,
    now: Timestamp,
    change: impl FnOnce(&Locked<StoredRecord<C>>) -> C,
) -> Result<Option<SaveRecord<C>>, StoreError> {
    let Some(locked) = tx.lock_record(owner, id)? else {
        return Ok(None);
    };
    let content = change(&locked);
    tx.update_record(locked, content, now).map(Some)
}

/// Deletes a record. True if it existed.
pub(crate) fn delete<C: RecordContent, T: RecordRepository<C> + ?Sized>(
    tx: &mut T,
    owner: C::Owner,
    id: C::Id,
) -> Result<bool, StoreError> {
    let locked = tx.lock_record(owner, id)?;
    let deleted = locked.map(|record| tx.delete_record(record)).transpose()?;
    Ok(deleted.is_some())
}

/// Changes records in a transaction of the area of `K`.
fn changed<K: RecordKind>(
    store: &K::Store,
    owner: K::Owner,
    id: K::Key,
    alter: impl Fn(&StoredRecord<K::Content>) -> K::Content + Send + 'static,
) -> Result<Option<SaveRecord<K::Content>>, StoreError>
where
    for<'t> WriteOf<'t, K>: RecordRepository<K::Content>,
{
    let changed = store.change(move |tx: &mut WriteOf<'_, K>| {
        change(tx, owner, id, timestamp(1), |locked| alter(locked))
    });
    changed.wait()
}

/// A change cannot take a unique value of another record, even if many are changed at once. A record may keep its own
/// value, and share it with a record of another owner.
///
/// # Errors
/// The broken promise.
pub fn takes_nothing<K: RecordKind>(harness: &mut HarnessOf<K>) -> Verdict
where
    for<'t> WriteOf<'t, K>: RecordRepository<K::Content>,
{
    let [owner, other] = K::owners(harness);
    let store = harness.store();
    let ids = samples::<K>(store, owner, RACERS)?;
    insert::<K>(store, K::sample(other, RACERS + 1))?;
    let taken =
        |outcome: &Option<SaveRecord<K::Content>>| matches!(outcome, Some(SaveRecord::Conflict));
    let before = find_existing::<K>(store, owner, &ids[1])?;
    let refused = changed::<K>(store, owner, ids[1], |_| K::clashing_content(1))?;
    check(taken(&refused), || {
        "two records have the same unique value".to_owned()
    })?;
    let kept = find_existing::<K>(store, owner, &ids[1])?;
    same("the record after a rejected change", &kept, &before)?;
    for number in [2, RACERS + 1] {
        let outcome = changed::<K>(store, owner, ids[1], move |_| K::clashing_content(number))?;
        check(!taken(&outcome), || {
            format!("unexpected conflict with the content of sample {number}")
        })?;
    }
    let outcomes = race(ids.len(), |racer| {
        changed::<K>(store, owner, ids[racer], |_| K::content(99))
    });
    let outcomes: Vec<_> = outcomes.into_iter().collect::<Result<_, _>>()?;
    let winners = outcomes.iter().filter(|outcome| !taken(outcome)).count();
    same("the number of racing changes that succeed", &winners, &1)
}

/// Racing changes are all kept: each builds on the result of the one before.
///
/// # Errors
/// The broken promise.
pub fn keeps_changes<K: RecordKind>(harness: &mut HarnessOf<K>) -> Verdict
where
    for<'t> WriteOf<'t, K>: RecordRepository<K::Content>,
{
    let [owner, _] = K::owners(harness);
    let store = harness.store();
    let id = samples::<K>(store, owner, 1)?[0];
    let mut expected = find_existing::<K>(store, owner, &id)?.content;
    let raced = race(RACERS as usize, |_| {
        changed::<K>(store, owner, id, |record| {
            let mut content = record.content.clone();
            K::add_to(&mut content);
            content
        })
    });
    for outcome in raced {
        check(outcome?.is_some(), || {
            "the record does not exist".to_owned()
        })?;
        K::add_to(&mut expected);
    }
    let found = find_existing::<K>(store, owner, &id)?.content;
    same("the content after all changes", &found, &expected)
}

/// Numbers start at 1 for each owner and have no gaps, even if many records are created at once or one is refused. The
/// number of a deleted record is not reused.
///
/// # Errors
/// The broken promise.
pub fn numbers<K: RecordKind>(harness: &mut HarnessOf<K>) -> Verdict
where
    for<'t> WriteOf<'t, K>: RecordRepository<K::Content>,
{
    let [owner, other] = K::owners(harness);
    let store = harness.store();
    let numbered = |owner, number| {
        let id = insert::<K>(store, K::sample(owner, number))?;
        Ok::<_, crate::BrokenPromise>((id, K::number_of(&find_existing::<K>(store, owner, &id)?)))
    };
    let (_, first) = numbered(other, 1)?;
    if first.is_none() {
        return Ok(());
    }
    let raced = race(RACERS as usize, |racer| {
        numbered(owner, u32::try_from(racer).unwrap_or_default())
    });
    let mut raced: Vec<_> = raced.into_iter().collect::<Result<_, _>>()?;
    raced.sort_by_key(|(_, number)| *number);
    let raced: Vec<_> = raced.into_iter().map(|(_, number)| number).collect();
    let expected: Vec<_> = (1..=i64::from(RACERS)).map(Some).collect();
    same("the numbers of racing records", &raced, &expected)?;
    let refused = store.change(move |tx: &mut WriteOf<'_, K>| {
        tx.insert_record(&new_record::<K>(
            owner,
            K::clashing_content(1),
            timestamp(0),
        ))
    });
    same(
        "the outcome of a conflicting insertion",
        &refused.wait()?,
        &SaveRecord::Conflict,
    )?;
    let (last, _) = numbered(owner, 9)?;
    let deleted = store.change(move |tx: &mut WriteOf<'_, K>| delete(tx, owner, last));
    same("the deletion of the last record", &deleted.wait()?, &true)?;
    let numbers = [numbered(owner, 9)?.1, numbered(other, 9)?.1];
    same("the next numbers", &numbers, &[Some(10), Some(2)])
}

/// Each filter lists the expected records.
///
/// # Errors
/// The broken promise.
pub fn filters<K: RecordKind>(harness: &mut HarnessOf<K>) -> Verdict
where
    for<'t> ReadOf<'t, K>: RecordQueries<K::Content>,
{
    let [owner, other] = K::owners(harness);
    let store = harness.store();
    let (contents, cases) = K::filters();
    let mut ids = Vec::new();
    for content in contents {
        let new = |owner| new_record::<K>(owner, content.clone(), timestamp(0));
        insert::<K>(store, new(other))?;
        ids.push(insert::<K>(store, new(owner))?);
    }
    for (filter, expected) in cases {
        let requested = filter.clone();
        let listed = store
            .query(move |tx: &mut ReadOf<'_, K>| tx.list_records(owner, &requested, page(1, 20)));
        let listed: Page<_> = listed.wait()?;
        let found: Vec<_> = listed.items.iter().map(|record| record.id).collect();
        let expected: Vec<_> = expected.iter().map(|position| ids[*position]).collect();
        same(&listed_for(&filter), &found, &expected)?;
    }
    Ok(())
}

fn listed_for(filter: &impl Debug) -> String {
    format!("the list for {filter:?}")
}
