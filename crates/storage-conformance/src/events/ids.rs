//! State of the ids of entries.

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;

use api_conventions::page::SortOrder;
use events::{EventFilter, EventIdState, FeedRights};
use storage::StoreExt as _;

use super::entries::entry;
use crate::areas::{AreaHarness, Events};
use crate::samples::page;

fn state(store: &Events) -> EventIdState {
    store.query(|tx| tx.event_id_state()).wait().unwrap()
}

pub(super) fn e18_no_entry_appears_below_the_last_id_but_those_of_the_named_writers(
    harness: &mut AreaHarness<Events>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let everything = EventFilter {
        sort: SortOrder::Ascending,
        ..EventFilter::new(project, FeedRights::ALL)
    };
    let list = move || {
        let listed = store.query(move |tx| tx.list_project_events(&everything, page(1, 100)));
        let items = listed.wait().unwrap().items;
        items.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let write = |count: usize| {
        let entries = vec![entry(project, 1); count];
        let written = store.change(move |tx| tx.insert_events(&entries));
        written.wait().unwrap();
    };
    let before = state(store);
    assert!(before.writers.is_empty(), "{before:?}");
    write(3);
    let first = state(store);
    assert_eq!(Some(&first.last_assigned), list().last());

    // While a write runs, the state leaves its entry out of the ids, or names it.
    let (has_written, written) = channel();
    let (go_on, wait) = channel::<()>();
    let (has_written, wait) = (Mutex::new(has_written), Mutex::new(wait));
    let change = move || {
        let written = store.change(move |tx| {
            tx.insert_events(&[entry(project, 2)])?;
            // A query sends the write to the database. The transaction of a query is no writer of its own.
            let own = tx.list_project_events(&everything, page(1, 100))?;
            assert!(tx.event_id_state()?.writers.is_empty());
            let newest = own.items.last().map(|event| event.id);
            has_written.lock().unwrap().send(newest).unwrap();
            wait.lock().unwrap().recv().unwrap();
            Ok(())
        });
        written.wait().unwrap();
    };
    let (id, during) = thread::scope(|scope| {
        // A store may carry out a change on the thread of its caller.
        let pending = scope.spawn(change);
        let id = written.recv().unwrap().unwrap();
        let during = state(store);
        go_on.send(()).unwrap();
        pending.join().unwrap();
        (id, during)
    });
    assert!(id > first.last_assigned);
    assert!(
        id > during.last_assigned || !during.writers.is_empty(),
        "{id} {during:?}"
    );
    let after = state(store);
    assert!(
        after.writers.is_disjoint(&during.writers),
        "{during:?} {after:?}"
    );
    assert_eq!((after.last_assigned, list().last()), (id, Some(&id)));

    // An id never comes again.
    let deleted = store.change(move |tx| tx.delete_events_of(project, 100));
    assert_eq!(deleted.wait().unwrap(), 4);
    assert_eq!(state(store).last_assigned, id);
    write(1);
    assert!(list()[0] > id);
    let written = store.change(move |tx| tx.insert_events(&[entry(other, 1)]));
    written.wait().unwrap();
    assert!(
        state(store).last_assigned > list()[0],
        "ids of all projects"
    );
}
