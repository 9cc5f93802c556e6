//! The entries of an author.

use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use events::{Audience, AuthorFilter, AuthoredEvent, Days, NewEvent};
use storage::StoreExt as _;

use super::entries::entry;
use crate::areas::{AreaHarness, Events};
use crate::samples::timestamp;

const DAY: i64 = 86_400;

pub(super) fn e12_the_entries_of_an_author_are_read_from_any_of_them_on(
    harness: &mut AreaHarness<Events>,
) {
    let projects = harness.places();
    let store = harness.store();
    // Every second entry is by the author. The n-th one is of the n-th day.
    let entries = (0..12_i64).map(|number| NewEvent {
        audience: if number < 6 {
            Audience::Reporters
        } else {
            Audience::Everyone
        },
        created_at: timestamp(number / 2 * DAY),
        ..entry(projects[usize::from(number > 7)], 1 + number % 2)
    });
    let entries: Vec<NewEvent> = entries.collect();
    let expected: Vec<NewEvent> = entries.iter().step_by(2).cloned().collect();
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
    let list = |filter: AuthorFilter, limit| {
        let listed = store.query(move |tx| tx.list_author_events(&filter, limit));
        listed.wait().unwrap()
    };
    let upwards = AuthorFilter {
        author_id: UserId::new(1),
        days: Days::default(),
        sort: SortOrder::Ascending,
        after_id: None,
    };
    let all = list(upwards, 9);
    let seen: Vec<_> = all
        .iter()
        .map(|one| (one.event.project_id, one.event.created_at, one.audience))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|one| (one.project_id, one.created_at, one.audience))
        .collect();
    assert_eq!(seen, expected);
    let after = |sort, index: usize| AuthorFilter {
        sort,
        after_id: Some(all[index].event.id),
        ..upwards
    };
    assert_eq!(list(after(SortOrder::Ascending, 1), 2), all[2..4]);
    assert_eq!(list(after(SortOrder::Ascending, 5), 2), []);
    let backwards: Vec<AuthoredEvent> = all[..3].iter().rev().cloned().collect();
    assert_eq!(list(after(SortOrder::Descending, 3), 9), backwards);
    let newest = AuthorFilter {
        sort: SortOrder::Descending,
        ..upwards
    };
    assert_eq!(list(newest, 1), all[5..]);
    let first = timestamp(0).date();
    let third = timestamp(2 * DAY).date();
    let days = Days {
        after: Some(first),
        before: Some(third),
    };
    assert_eq!(list(AuthorFilter { days, ..upwards }, 9), all[1..2]);
    let unknown_author = AuthorFilter {
        author_id: UserId::new(3),
        ..upwards
    };
    assert_eq!(list(unknown_author, 9), []);
}
