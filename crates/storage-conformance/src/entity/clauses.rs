//! The standard clauses of one row: round trip, uniqueness, ownership and durability.

use std::sync::{Arc, Mutex, PoisonError};

use storage::{StoreError, StoreErrorKind, StoreExt as _};

use super::{ChangeableEntity, DeletableEntity, Entity, HarnessOf, ListableEntity, UniqueEntity};
use crate::broken_promise::{BrokenPromise, Verdict, check, same};
use crate::probe_rows::refusal;
use crate::samples::{page, race};

/// Inserts a row and returns its key.
pub(super) fn insert<E: Entity>(store: &E::Store, new: E::New) -> Result<E::Key, StoreError> {
    store.change(move |tx| E::insert(tx, &new)).wait()
}

/// Returns the row under a key.
fn find<E: Entity>(
    store: &E::Store,
    owner: E::Owner,
    key: &E::Key,
) -> Result<Option<E::Row>, StoreError> {
    let key = key.clone();
    store.query(move |tx| E::find(tx, owner, &key)).wait()
}

/// Returns the row under a key, which must exist.
pub(super) fn find_existing<E: Entity>(
    store: &E::Store,
    owner: E::Owner,
    key: &E::Key,
) -> Result<E::Row, BrokenPromise> {
    let missing = || BrokenPromise::new(format!("row {key:?} of {owner:?} not found"));
    find::<E>(store, owner, key)?.ok_or_else(missing)
}

/// Checks that there is no row under a key.
fn check_absent<E: Entity>(store: &E::Store, owner: E::Owner, key: &E::Key, why: &str) -> Verdict {
    let found = find::<E>(store, owner, key)?;
    check(found.is_none(), || {
        format!("{why}, but {found:?} was found")
    })
}

/// Inserts `count` samples of an owner, numbered from 1.
pub(super) fn samples<E: Entity>(
    store: &E::Store,
    owner: E::Owner,
    count: u32,
) -> Result<Vec<E::Key>, StoreError> {
    let numbers = 1..=count;
    numbers
        .map(|number| insert::<E>(store, E::sample(owner, number)))
        .collect()
}

/// A row comes back as it was written: any text but a NUL, any timestamp, any number.
///
/// # Errors
/// The broken promise.
pub fn comes_back<E: Entity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, _] = E::owners(harness);
    let store = harness.store();
    let mut written = Vec::new();
    for new in E::edges(owner).into_iter().chain([E::sample(owner, 1)]) {
        let key = insert::<E>(store, new.clone())?;
        written.push((key, new));
    }
    // Rows are read after all are written, so that no row replaces another.
    for (key, new) in written {
        let found = find_existing::<E>(store, owner, &key)?;
        same("the row", &found, &E::expected(&new, &found))?;
        same("the key of the row", &E::key(&found), &key)?;
    }
    Ok(())
}

/// A missing row is `None`; a row is not found under another owner.
///
/// # Errors
/// The broken promise.
pub fn absence<E: Entity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    check_absent::<E>(store, owner, &E::unknown(), "nothing is stored")?;
    let key = insert::<E>(store, E::sample(owner, 1))?;
    check_absent::<E>(store, owner, &E::unknown(), "nothing has this key")?;
    if E::IS_FOUND_BY_OWNER {
        check_absent::<E>(store, other, &key, "the row belongs to another owner")?;
    }
    Ok(())
}

/// A refused write leaves no rows, and the same rows can be written afterwards.
///
/// # Errors
/// The broken promise.
pub fn rollback<E: Entity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, _] = E::owners(harness);
    let store = harness.store();
    let new = E::sample(owner, 1);
    let given = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&given);
    let refused = store.change(move |tx| {
        let key = E::insert(tx, &new)?;
        seen.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(key);
        Err::<(), _>(refusal())
    });
    check(refused.wait().is_err(), || {
        "a failed write was acknowledged".to_owned()
    })?;
    for key in given.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        check_absent::<E>(store, owner, key, "the write failed")?;
    }
    let mut keys = Vec::new();
    keys.push(insert::<E>(store, E::sample(owner, 1))?);
    keys.push(insert::<E>(store, E::sample(owner, 2))?);
    keys.dedup();
    same("the number of rows", &keys.len(), &2)?;
    keys.iter()
        .try_for_each(|key| find_existing::<E>(store, owner, key).map(drop))
}

/// A change affects exactly one row of its owner, and all its columns. A change to a missing row is `false` and writes
/// nothing.
///
/// # Errors
/// The broken promise.
pub fn changes<E: ChangeableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    let keys = samples::<E>(store, owner, 2)?;
    let change = |owner, key: &E::Key, number| {
        let key = key.clone();
        store
            .change(move |tx| E::change(tx, owner, &key, number))
            .wait()
    };
    let [changed, bystander] = [&keys[0], &keys[1]];
    let before = find_existing::<E>(store, owner, bystander)?;
    for number in [1, 2] {
        let expected = E::changed(&find_existing::<E>(store, owner, changed)?, number);
        same(
            "a change of an existing row",
            &change(owner, changed, number)?,
            &true,
        )?;
        same(
            "the changed row",
            &find_existing::<E>(store, owner, changed)?,
            &expected,
        )?;
        same(
            "the change of an unknown row",
            &change(owner, &E::unknown(), number)?,
            &false,
        )?;
        same(
            "the other row",
            &find_existing::<E>(store, owner, bystander)?,
            &before,
        )?;
        if E::IS_FOUND_BY_OWNER {
            same(
                "a change by another owner",
                &change(other, changed, 3)?,
                &false,
            )?;
            same(
                "the row of the first owner",
                &find_existing::<E>(store, owner, changed)?,
                &expected,
            )?;
        }
    }
    let key = changed.clone();
    let expected = find_existing::<E>(store, owner, changed)?;
    let refused = store.change(move |tx| {
        E::change(tx, owner, &key, 1)?;
        Err::<(), _>(refusal())
    });
    check(refused.wait().is_err(), || {
        "a failed change was acknowledged".to_owned()
    })?;
    same(
        "the row after a failed change",
        &find_existing::<E>(store, owner, changed)?,
        &expected,
    )
}

/// A row is deleted only once, even by racing transactions, and only by its owner. Other rows stay.
///
/// # Errors
/// The broken promise.
pub fn deleted_once<E: DeletableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    let keys = samples::<E>(store, owner, 3)?;
    let delete = |owner, key: &E::Key| {
        let key = key.clone();
        store.change(move |tx| E::delete(tx, owner, &key)).wait()
    };
    let [first, raced, kept] = [&keys[0], &keys[1], &keys[2]];
    if E::IS_FOUND_BY_OWNER {
        same(
            "a deletion by another owner",
            &delete(other, first)?,
            &false,
        )?;
        find_existing::<E>(store, owner, first)?;
    }
    same(
        "the deletion of an unknown row",
        &delete(owner, &E::unknown())?,
        &false,
    )?;
    same("a deletion", &delete(owner, first)?, &true)?;
    same("a second deletion", &delete(owner, first)?, &false)?;
    check_absent::<E>(store, owner, first, "the row was deleted")?;
    let outcomes = race(4, |_| delete(owner, raced));
    let outcomes: Vec<bool> = outcomes.into_iter().collect::<Result<_, _>>()?;
    let count = outcomes.into_iter().filter(|deleted| *deleted).count();
    same("the number of racing deletions that succeed", &count, &1)?;
    find_existing::<E>(store, owner, kept)?;
    let again = insert::<E>(store, E::sample(owner, 1))?;
    find_existing::<E>(store, owner, &again).map(drop)
}

/// True if an insertion was refused because a unique value is taken.
fn is_taken<T>(outcome: Result<Option<T>, StoreError>) -> Result<bool, StoreError> {
    match outcome {
        Ok(inserted) => Ok(inserted.is_none()),
        Err(error) if error.kind() == StoreErrorKind::Conflict => Ok(true),
        Err(error) => Err(error),
    }
}

/// A unique value is taken only once: a second row is refused and changes nothing. Of racing insertions, one succeeds.
///
/// # Errors
/// The broken promise.
pub fn unique<E: UniqueEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    let insert = |new: E::New| is_taken(store.change(move |tx| E::try_insert(tx, &new)).wait());
    let first = samples::<E>(store, owner, 1)?;
    let before = find_existing::<E>(store, owner, &first[0])?;
    same("the conflict", &insert(E::clashing(owner, 1))?, &true)?;
    same(
        "the first row",
        &find_existing::<E>(store, owner, &first[0])?,
        &before,
    )?;
    let elsewhere = insert(E::clashing(other, 1))?;
    same(
        "the conflict for another owner",
        &elsewhere,
        &!E::IS_PER_OWNER,
    )?;
    let outcomes = race(8, |_| insert(E::clashing(owner, 2)));
    let outcomes: Vec<bool> = outcomes.into_iter().collect::<Result<_, _>>()?;
    let winners = outcomes.into_iter().filter(|taken| !taken).count();
    same("the number of racing insertions that succeed", &winners, &1)
}

/// Rows survive a restart of the store, and ids continue.
///
/// # Errors
/// The broken promise.
pub fn survives<E: ListableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, _] = E::owners(harness);
    let keys = samples::<E>(harness.store(), owner, 3)?;
    let list = |harness: &HarnessOf<E>| {
        harness
            .store()
            .query(move |tx| E::list(tx, owner, page(1, 10)))
            .wait()
    };
    let before = list(harness)?.items;
    same("the number of rows", &before.len(), &3)?;
    harness.reopen();
    same("the rows after reopening", &list(harness)?.items, &before)?;
    let next = insert::<E>(harness.store(), E::sample(owner, 4))?;
    check(!keys.contains(&next), || format!("{next:?} is reused"))
}
