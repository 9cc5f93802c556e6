//! The standard clauses of lists: ownership, order, pages and totals.

use api_conventions::page::{KeysetPage, Page, SortOrder, Total};
use storage::{StoreError, StoreExt as _};

use super::clauses::{insert, samples};
use super::{Entity, HarnessOf, KeysetEntity, ListableEntity};
use crate::broken_promise::{Verdict, check, same};
use crate::samples::page;

/// Number of rows up to which totals are exact.
const COUNTED: u32 = 10_000;

/// A page of an owner's rows.
fn list<E: ListableEntity>(
    store: &E::Store,
    owner: E::Owner,
    number: u64,
    size: u64,
) -> Result<Page<E::Row>, StoreError> {
    store
        .query(move |tx| E::list(tx, owner, page(number, size)))
        .wait()
}

fn keys<E: Entity>(rows: &[E::Row]) -> Vec<E::Key> {
    rows.iter().map(E::key).collect()
}

/// Keys in the order of a list whose rows differ only in their ids.
fn in_order<E: ListableEntity>(mut keys: Vec<E::Key>) -> Vec<E::Key> {
    if E::SORT == SortOrder::Descending {
        keys.reverse();
    }
    keys
}

/// A list has exactly the rows of its owner, each the same as when it is looked up.
///
/// # Errors
/// The broken promise.
pub fn isolation<E: ListableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    let empty = list::<E>(store, owner, 1, 20)?;
    same("the list of an empty store", &empty.items, &Vec::new())?;
    same("its total", &empty.total, &Total::Exact(0))?;
    let mut own = samples::<E>(store, owner, 1)?;
    let others = samples::<E>(store, other, 1)?;
    own.push(insert::<E>(store, E::sample(owner, 2))?);
    for (owner, expected) in [(owner, own), (other, others)] {
        let listed = list::<E>(store, owner, 1, 20)?;
        same(
            "the list of an owner",
            &keys::<E>(&listed.items),
            &in_order::<E>(expected),
        )?;
        same(
            "its total",
            &listed.total,
            &Total::Exact(listed.items.len() as u64),
        )?;
        for row in listed.items {
            let key = E::key(&row);
            let found = store.query(move |tx| E::find(tx, owner, &key)).wait()?;
            same("a row of the list", &Some(row), &found)?;
        }
    }
    Ok(())
}

/// A list is sorted, and breaks ties by id in its own direction.
///
/// # Errors
/// The broken promise.
pub fn ties<E: ListableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, _] = E::owners(harness);
    let store = harness.store();
    let mut inserted = Vec::new();
    for (number, rank) in (1..).zip([5, 1, 5, 9, 0, 1, 5]) {
        let key = insert::<E>(store, E::ranked(owner, number, rank))?;
        inserted.push((if E::IS_RANKED { rank } else { 0 }, number, key));
    }
    inserted.sort();
    let expected = inserted.into_iter().map(|(.., key)| key).collect();
    let listed = list::<E>(store, owner, 1, 20)?;
    same(
        "the order of the list",
        &keys::<E>(&listed.items),
        &in_order::<E>(expected),
    )
}

/// Pages contain every row once, for any page size, with the total. A page beyond the end is empty.
///
/// # Errors
/// The broken promise.
pub fn pages<E: ListableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    samples::<E>(store, other, 1)?;
    let expected = in_order::<E>(samples::<E>(store, owner, 21)?);
    for size in [1, 4, 7, 20, 21, 22] {
        let mut seen = Vec::new();
        for number in 1.. {
            let found = list::<E>(store, owner, number, size)?;
            let count = found.items.len();
            check(count as u64 <= size, || {
                format!("a page of {size} rows contains {count}")
            })?;
            same("the total", &found.total, &Total::Exact(21))?;
            seen.extend(keys::<E>(&found.items));
            same(
                "the next-page flag",
                &found.has_next,
                &(seen.len() < expected.len()),
            )?;
            check(count > 0, || {
                format!("page {number} of {size} rows is empty")
            })?;
            if !found.has_next {
                break;
            }
        }
        same(
            &format!("the rows of all pages of {size}"),
            &seen,
            &expected,
        )?;
    }
    for beyond in [2, u64::MAX] {
        let found = list::<E>(store, owner, beyond, 100)?;
        same(
            "a page beyond the end",
            &(found.items, found.has_next),
            &(Vec::new(), false),
        )?;
    }
    Ok(())
}

/// Totals are exact up to ten thousand, and `Beyond` above.
///
/// # Errors
/// The broken promise.
pub fn counts<E: ListableEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, _] = E::owners(harness);
    let store = harness.store();
    for (numbers, expected) in [
        (1..COUNTED + 1, Total::Exact(u64::from(COUNTED))),
        (COUNTED + 1..COUNTED + 2, Total::Beyond),
    ] {
        let new: Vec<E::New> = numbers.map(|number| E::sample(owner, number)).collect();
        store.change(move |tx| E::insert_many(tx, &new)).wait()?;
        same(
            "the total",
            &list::<E>(store, owner, 1, 1)?.total,
            &expected,
        )?;
        let last = list::<E>(store, owner, u64::from(COUNTED) / 100, 100)?;
        same("the rows of the hundredth page", &last.items.len(), &100)?;
        same(
            "the next-page flag",
            &last.has_next,
            &(expected == Total::Beyond),
        )?;
    }
    Ok(())
}

/// Keyset pagination returns every row once and in the order of ids, while rows are added.
///
/// # Errors
/// The broken promise.
pub fn walks<E: KeysetEntity>(harness: &mut HarnessOf<E>) -> Verdict {
    let [owner, other] = E::owners(harness);
    let store = harness.store();
    samples::<E>(store, other, 1)?;
    let mut expected = samples::<E>(store, owner, 10)?;
    for sort in [SortOrder::Ascending, SortOrder::Descending] {
        let mut seen = Vec::new();
        let mut last: Option<E::Row> = None;
        loop {
            let after = last.clone();
            let requested = KeysetPage::new(3, sort);
            let found = store
                .query(move |tx| E::walk(tx, owner, after.as_ref(), requested))
                .wait()?;
            seen.extend(keys::<E>(&found.items));
            check(seen.len() <= expected.len(), || {
                format!("a row is listed twice: {seen:?}")
            })?;
            last = found.items.last().cloned();
            if !found.has_next {
                break;
            }
            same(
                "the size of a page with a next page",
                &found.items.len(),
                &3,
            )?;
            if sort == SortOrder::Descending && seen.len() == 3 {
                // The new row comes after all rows that the walk has not reached yet.
                insert::<E>(store, E::sample(owner, 11))?;
            }
        }
        if sort == SortOrder::Descending {
            expected.reverse();
        }
        same("the rows of all keyset pages", &seen, &expected)?;
    }
    Ok(())
}
