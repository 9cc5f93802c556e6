//! Events that are kept, and events of which only the id is stored.

use api_conventions::ids::{ErrorId, ErrorIid, ProjectId};
use error_tracking::flow::change::merge;
use error_tracking::model::{ArrivingEvent, ErrorEvent};
use error_tracking::store::{ErrorWriteTx, EventNeighbours, EventPosition, NewErrorEvent};
use storage::{StoreError, StoreErrorKind, StoreExt as _};

use super::{
    collect_deliveries, delivery, error, event, event_id, find_known, insert, new_error,
    send_events, stored_numbers,
};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{page, timestamp};

/// Number of the event at a position, as encoded in its bytes.
fn event_at(
    tx: &mut dyn ErrorWriteTx,
    error: ErrorId,
    position: EventPosition,
) -> Result<Option<String>, StoreError> {
    let found = tx.find_error_event(error, position)?;
    Ok(found.map(|event| String::from_utf8(event.kept).unwrap()))
}

/// Stores two errors with alternating events, and a third one. Merges the first two and returns the merged error.
fn store_alternating(harness: &AreaHarness<Errors>, [project, other]: [ProjectId; 2]) -> ErrorId {
    let store = harness.store();
    for number in 1..=6 {
        send_events(store, project, vec![event(number, 1 + number % 2)]);
        send_events(store, project, vec![event(100 + number, 3)]);
        send_events(store, other, vec![event(number, 1)]);
    }
    let merged = store.change(move |tx| {
        merge(tx, project, ErrorIid::new(1), ErrorIid::new(3))?;
        Ok(())
    });
    merged.wait().unwrap();
    error(store, project, 3).id
}

pub(super) fn t66_events_are_found_by_their_position(harness: &mut AreaHarness<Errors>) {
    let places = harness.places();
    let error = store_alternating(harness, places);
    let [project, _] = places;
    let found = harness.store().change(move |tx| {
        let latest = event_at(tx, error, EventPosition::Latest)?;
        assert_eq!(latest.as_deref(), Some("event 6"));
        let oldest = event_at(tx, error, EventPosition::Oldest)?;
        assert_eq!(oldest.as_deref(), Some("event 1"));
        for number in 1..=6 {
            let with_id = event_at(tx, error, EventPosition::WithId(event_id(number)))?;
            assert_eq!(with_id, Some(format!("event {number}")));
        }
        let of_another = EventPosition::WithId(event_id(101));
        assert_eq!(event_at(tx, error, of_another)?, None);
        let empty = insert(tx, vec![new_error(project, 9)])?[0].error_id;
        for position in [
            EventPosition::Latest,
            EventPosition::Oldest,
            EventPosition::WithId(event_id(1)),
        ] {
            assert_eq!(event_at(tx, empty, position)?, None);
            assert_eq!(event_at(tx, ErrorId::new(i64::MAX), position)?, None);
        }
        Ok(())
    });
    found.wait().unwrap();
}

pub(super) fn t67_an_event_has_the_ones_around_it(harness: &mut AreaHarness<Errors>) {
    let places = harness.places();
    let error = store_alternating(harness, places);
    let found = harness.store().change(move |tx| {
        let listed = tx.list_error_events(error, page(1, 20))?.items;
        let ids: Vec<_> = listed.iter().map(|event| event.event_id).collect();
        assert_eq!(ids, [6, 5, 4, 3, 2, 1].map(event_id));
        for (place, summary) in listed.iter().enumerate() {
            let around = tx.find_event_neighbours(error, summary.id)?;
            let expected = EventNeighbours {
                previous: ids.get(place + 1).copied(),
                next: place.checked_sub(1).map(|place| ids[place]),
            };
            assert_eq!(around, expected);
            let with_id = EventPosition::WithId(summary.event_id);
            let event = tx.find_error_event(error, with_id)?;
            assert_eq!(
                event.map(|event: ErrorEvent| event.summary).as_ref(),
                Some(summary)
            );
        }
        Ok(())
    });
    found.wait().unwrap();
}

pub(super) fn t68_events_are_stored_once_and_remembered(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let outcome = send_events(store, project, vec![event(1, 1), event(2, 1), event(1, 2)]);
    assert_eq!((outcome.stored, outcome.duplicates), (2, 1));
    assert_eq!(stored_numbers(store, project, 1..4), [1, 2]);
    assert_eq!(stored_numbers(store, other, 1..4), [0; 0]);
    assert_eq!(stored_numbers(store, project, []), [0; 0]);
    // An event that is sent again is counted once, as a duplicate.
    let outcome = send_events(store, project, vec![event(2, 1), event(3, 1)]);
    assert_eq!((outcome.stored, outcome.duplicates), (1, 1));
    assert_eq!(error(store, project, 1).events, 3);
    // The sender chooses the event id: another project may have the same one.
    assert_eq!(send_events(store, other, vec![event(1, 1)]).stored, 1);
    let key_id = find_known(store, project, 1).key_id;
    let again = store.change(move |tx| {
        let [fresh, known] = [event(4, 1), event(1, 1)];
        let new = |number, event| NewErrorEvent {
            project_id: project,
            key_id,
            number,
            event,
        };
        tx.insert_error_events(&[new(3, &fresh), new(4, &known)])
    });
    let refused = again.wait().unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Conflict, "{refused}");
    assert_eq!(stored_numbers(store, project, 1..5), [1, 2, 3]);
}

pub(super) fn t69_events_that_were_stored_are_counted_by_their_day(
    harness: &mut AreaHarness<Errors>,
) {
    const DAY: u32 = 86_400;
    let [project, other] = harness.places();
    let store = harness.store();
    let at = |number: u32, seconds: u32| ArrivingEvent {
        received_at: timestamp(seconds.into()),
        ..event(number, 1)
    };
    for request in [
        delivery(project, vec![at(1, 1), at(2, 1), at(1, 1)]),
        delivery(project, vec![at(1, 2), at(3, 2)]),
        delivery(project, vec![at(4, DAY), at(3, DAY)]),
        delivery(other, vec![at(1, 1)]),
    ] {
        collect_deliveries(store, &[request]);
    }
    let counted = store.change(move |tx| {
        let [first, second, third] = [0, 1, 2].map(|days| timestamp(i64::from(DAY) * days).date());
        assert!(tx.count_stored_events(&[])?.is_empty());
        let days = [
            (project, second),
            (other, first),
            (project, third),
            (project, first),
            (other, second),
        ];
        let before = tx.count_stored_events(&days)?;
        let key = tx.list_known_errors(&[(project, super::key(1))])?[0].key_id;
        tx.prune_samples(key, 0..9, 9)?;
        assert_eq!(
            tx.count_stored_events(&days)?,
            before,
            "pruned events are counted too"
        );
        Ok(before)
    });
    assert_eq!(counted.wait().unwrap(), [1, 1, 0, 3, 0]);
}

pub(super) fn t99_an_event_id_resolves_to_the_error_that_has_the_event_now(
    harness: &mut AreaHarness<Errors>,
) {
    let places = harness.places();
    let merged = store_alternating(harness, places);
    let [project, other] = places;
    let store = harness.store();
    let (third, theirs) = (error(store, project, 2).id, error(store, other, 1).id);
    let key = find_known(store, project, 2);
    let found = store.change(move |tx| {
        // Thinned-out events are found as well.
        assert_eq!(tx.prune_samples(key.key_id, 0..9, 9)?, 2);
        for number in 1..=6 {
            let in_project = tx.list_errors_of_event(event_id(number), Some(project))?;
            assert_eq!(in_project, [(project, merged)], "{number}");
            let anywhere = tx.list_errors_of_event(event_id(number), None)?;
            assert_eq!(anywhere, [(project, merged), (other, theirs)], "{number}");
            let of_third = tx.list_errors_of_event(event_id(100 + number), None)?;
            assert_eq!(of_third, [(project, third)], "{number}");
        }
        let none = tx.list_errors_of_event(event_id(101), Some(other))?;
        assert_eq!(none, []);
        tx.list_errors_of_event(event_id(99), None)
    });
    assert_eq!(found.wait().unwrap(), []);
}
