//! Entries of an author who is deleted.

use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use events::{AuthorFilter, Days, NewEvent};
use storage::StoreExt as _;

use super::entries::entry;
use crate::areas::{AreaHarness, Events};

/// The number of entries of an author.
fn count(store: &Events, author: i64) -> usize {
    let of_author = AuthorFilter {
        author_id: UserId::new(author),
        days: Days::default(),
        sort: SortOrder::Ascending,
        after_id: None,
    };
    let listed = store.query(move |tx| tx.list_author_events(&of_author, 100));
    listed.wait().unwrap().len()
}

pub(super) fn u04_entries_of_an_author_get_another_author_or_are_deleted_in_steps(
    harness: &mut AreaHarness<Events>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let entries = (0..7).map(|number| NewEvent {
        author_id: UserId::new(if number < 5 { 11 } else { 12 }),
        ..entry(if number % 2 == 0 { project } else { other }, 1)
    });
    let entries: Vec<NewEvent> = entries.collect();
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
    let release = |successor: Option<i64>| {
        let successor = successor.map(UserId::new);
        let released = store.change(move |tx| tx.release_events_of(UserId::new(11), successor, 2));
        released.wait().unwrap()
    };
    assert_eq!(release(Some(13)), 2);
    assert_eq!([11, 12, 13].map(|author| count(store, author)), [3, 2, 2]);
    for expected in [2, 1, 0] {
        assert_eq!(release(None), expected);
    }
    assert_eq!([11, 12, 13].map(|author| count(store, author)), [0, 2, 2]);
}
