//! Deletion of events: thinned out one by one, or all old ones at once.

use api_conventions::ids::{ErrorId, ProjectId};
use api_conventions::page::Total;
use error_tracking::model::{ArrivingEvent, EventDelivery};
use error_tracking::store::{ErrorReadTx, EventNeighbours, EventPosition};
use storage::{StoreError, StoreExt as _};

use super::{
    attachment, collect_deliveries, comment, delivery, error, event, event_id, find_known,
    send_events, stored_numbers,
};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{page, timestamp};

/// Numbers of the events that are kept, the latest first.
fn kept_events(tx: &mut (dyn ErrorReadTx + '_), error: ErrorId) -> Result<Vec<u32>, StoreError> {
    let listed = tx.list_error_events(error, page(1, 100))?;
    assert_eq!(listed.total, Total::Exact(listed.items.len() as u64));
    let number = |id| (0..200).find(|number| event_id(*number) == id).unwrap();
    let ids = listed.items.iter().map(|event| event.event_id);
    Ok(ids.map(number).collect())
}

/// Stores an error with forty events, whose ids are their numbers, beside another one.
fn store_forty(harness: &AreaHarness<Errors>, project: ProjectId) {
    let of = |first: u32, of_key| {
        (first..first + 40)
            .map(|number| event(number, of_key))
            .collect()
    };
    send_events(harness.store(), project, of(0, 1));
    send_events(harness.store(), project, of(100, 2));
}

pub(super) fn t70_pruning_deletes_the_content_of_low_priority_events(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    store_forty(harness, project);
    let key = find_known(store, project, 1);
    let thinned = store.change(move |tx| {
        let thinned = [
            tx.prune_samples(key.key_id, 5..35, 0)?,
            tx.prune_samples(key.key_id, 5..35, 2)?,
            tx.prune_samples(key.key_id, 5..35, 2)?,
        ];
        let mut expected: Vec<u32> = (0..5).chain((8..35).step_by(4)).chain(35..40).collect();
        expected.reverse();
        assert_eq!(kept_events(tx, key.error_id)?, expected);
        Ok(thinned)
    });
    assert_eq!(thinned.wait().unwrap(), [0, 23, 0]);
    let after = event_counts(store, project, 1);
    assert_eq!(after, (40, 40, 17));
    assert_eq!(event_counts(store, project, 2), (40, 40, 40));
    let thinned = store.change(move |tx| {
        // The first event survives every halving.
        let count = tx.prune_samples(key.key_id, 0..40, 3)?;
        assert_eq!(kept_events(tx, key.error_id)?, [32, 24, 16, 8, 0]);
        Ok(count)
    });
    assert_eq!(thinned.wait().unwrap(), 12);
    assert_eq!(event_counts(store, project, 1), (40, 40, 5));
}

/// Numbers of events: of an error, of its key, and of the key's events that are kept.
fn event_counts(store: &Errors, project: ProjectId, of_key: u32) -> (i64, i64, i64) {
    let known = find_known(store, project, of_key);
    (known.events, known.key_events, known.key_kept)
}

pub(super) fn t71_a_pruned_event_counts_as_stored_but_is_not_listed(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    store_forty(harness, project);
    let key = find_known(store, project, 1);
    let thinned = store.change(move |tx| tx.prune_samples(key.key_id, 5..35, 3));
    assert_eq!(thinned.wait().unwrap(), 26);
    assert_eq!(stored_numbers(store, project, 0..40).len(), 40);
    assert_eq!(send_events(store, project, vec![event(9, 1)]).duplicates, 1);
    let read = store.query(move |tx| {
        let error = key.error_id;
        let expected: Vec<u32> = (0..5).chain([8, 16, 24, 32]).chain(35..40).rev_sorted();
        assert_eq!(kept_events(tx, error)?, expected);
        let with_id = |number| EventPosition::WithId(event_id(number));
        assert_eq!(tx.find_error_event(error, with_id(9))?, None);
        let found = tx
            .find_error_event(error, with_id(8))?
            .expect("the event is stored");
        let around = EventNeighbours {
            previous: Some(event_id(4)),
            next: Some(event_id(16)),
        };
        assert_eq!(tx.find_event_neighbours(error, found.summary.id)?, around);
        // Pages contain only events that are kept.
        let second = tx.list_error_events(error, page(2, 10))?;
        assert_eq!((second.items.len(), second.has_next), (4, false));
        Ok(())
    });
    read.wait().unwrap();
}

/// Sorts numbers in descending order.
trait RevSorted: Iterator<Item = u32> + Sized {
    fn rev_sorted(self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.collect();
        numbers.sort_unstable();
        numbers.reverse();
        numbers
    }
}

impl<I: Iterator<Item = u32>> RevSorted for I {}

pub(super) fn t72_old_events_comments_and_files_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let at = |number: u32| EventDelivery {
        attachments: vec![attachment(number, "a.txt", b"a")],
        comments: vec![comment(number, "it broke")],
        ..delivery(
            project,
            vec![ArrivingEvent {
                tags: vec![("tag".to_owned(), "value".to_owned())],
                ..event(number, 1)
            }],
        )
    };
    let theirs = EventDelivery {
        project_id: other,
        ..at(1)
    };
    collect_deliveries(store, &[at(1), at(2), at(3), at(4), theirs]);
    let before = error(store, project, 1);
    let deleted = store.change(move |tx| {
        let mut deleted = Vec::new();
        loop {
            let count = tx.delete_old_events(project, timestamp(3), 4)?;
            deleted.push(count);
            if count == 0 {
                return Ok(deleted);
            }
        }
    });
    // Two events, comments and attachments each. An event received at that very time stays.
    assert_eq!(deleted.wait().unwrap(), [4, 2, 0]);
    let id = before.id;
    assert_eq!(error(store, project, 1), before, "the counts do not change");
    assert_eq!(event_counts(store, project, 1), (4, 4, 2));
    assert_eq!(stored_numbers(store, project, 1..5), [3, 4]);
    assert_eq!(stored_numbers(store, other, 1..5), [1]);
    let read = store.query(move |tx| {
        assert_eq!(kept_events(tx, id)?, [4, 3]);
        let comments = tx.list_error_comments(id, page(1, 20))?.items;
        let of: Vec<_> = comments.iter().map(|comment| comment.event_id).collect();
        assert_eq!(of, [4, 3].map(|number| Some(event_id(number))));
        for (number, expected) in [(1, 0), (2, 0), (3, 1), (4, 1)] {
            let files = tx.list_attachments(project, event_id(number))?;
            assert_eq!(files.len(), expected, "{number}");
        }
        assert_eq!(tx.list_attachments(other, event_id(1))?.len(), 1);
        assert_eq!(tx.list_error_tags(id, 9)?[0].events, 4);
        Ok(())
    });
    read.wait().unwrap();
    // A forgotten event may be stored again.
    assert_eq!(send_events(store, project, vec![event(1, 1)]).stored, 1);
    assert_eq!(event_counts(store, project, 1), (5, 5, 3));
}

pub(super) fn t98_records_of_events_no_longer_retained_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    store_forty(harness, project);
    let with_extras = EventDelivery {
        attachments: vec![attachment(40, "a.txt", b"a"), attachment(41, "b.txt", b"b")],
        ..delivery(project, vec![event(40, 1), event(41, 1)])
    };
    let comments = [6, 7, 30].map(|number| comment(number, "it broke"));
    let written = EventDelivery {
        comments: comments.to_vec(),
        ..delivery(project, Vec::new())
    };
    let theirs = EventDelivery {
        project_id: other,
        ..written.clone()
    };
    collect_deliveries(store, &[with_extras, written, theirs]);
    let key = find_known(store, project, 1);
    let forgotten = store.change(move |tx| {
        // No kept event is forgotten.
        let none = tx.delete_event_records(key.key_id, 42, 100)?;
        assert_eq!(tx.prune_samples(key.key_id, 5..42, 3)?, 32);
        let some = [
            tx.delete_event_records(key.key_id, 8, 2)?,
            tx.delete_event_records(key.key_id, 8, 2)?,
            tx.delete_event_records(key.key_id, 8, 2)?,
        ];
        Ok((none, some))
    });
    assert_eq!(forgotten.wait().unwrap(), (0, [2, 1, 0]));
    // The events 5, 6 and 7 are forgotten; kept and later ones are not.
    let remembered: Vec<u32> = (0..5).chain(8..42).collect();
    assert_eq!(stored_numbers(store, project, 0..42), remembered);
    assert_eq!(stored_numbers(store, project, 100..140).len(), 40);
    assert_eq!(event_counts(store, project, 1), (42, 42, 10));
    let read = store.query(move |tx| {
        let files = [40, 41].map(|number| tx.list_attachments(project, event_id(number)));
        assert_eq!(files.map(|files| files.unwrap().len()), [1, 0]);
        Ok(tx.find_error_by_id(key.error_id)?.map(|error| error.events))
    });
    assert_eq!(read.wait().unwrap(), Some(42));
    // A forgotten event may be stored again, without its earlier comments.
    let again = send_events(store, project, vec![event(6, 1), event(9, 1)]);
    assert_eq!((again.stored, again.duplicates), (1, 1));
    let read = store.query(move |tx| {
        let comments = tx.list_error_comments(key.error_id, page(1, 20))?.items;
        Ok(comments.len())
    });
    assert_eq!(read.wait().unwrap(), 0);
}
