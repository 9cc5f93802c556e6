//! Shared parts of an error's events.

use api_conventions::ids::ProjectId;
use error_tracking::model::ArrivingEvent;
use error_tracking::store::EventPosition;
use storage::StoreExt as _;

use super::{error, event, event_id, send_events, shared};
use crate::areas::{AreaHarness, Errors};
use crate::samples::timestamp;

/// Seconds of a day.
const DAY: u32 = 86_400;

/// An event with the shared part of this number.
fn sharing(number: u32, of_key: u32, common: u32) -> ArrivingEvent {
    ArrivingEvent {
        shared: Some(shared(common)),
        ..event(number, of_key)
    }
}

/// Shared part of an event of the project's error with this number.
fn common_of(store: &Errors, project: ProjectId, iid: i64, number: u32) -> Option<String> {
    let error = error(store, project, iid).id;
    let found =
        store.change(move |tx| tx.find_error_event(error, EventPosition::WithId(event_id(number))));
    let found = found.wait().unwrap()?;
    assert_eq!(found.kept, format!("event {number}").into_bytes());
    found.shared.map(|bytes| String::from_utf8(bytes).unwrap())
}

pub(super) fn t79_the_shared_part_reads_back_with_each_event(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let common = |number: u32| Some(format!("common {number}"));
    // The same shared part for two events at once, for a later one, for another key and in another project; one event
    // has none.
    let first = vec![sharing(1, 1, 7), sharing(2, 1, 7), sharing(3, 2, 7)];
    send_events(store, project, first);
    send_events(store, project, vec![sharing(4, 1, 7), event(5, 1)]);
    send_events(store, other, vec![sharing(1, 1, 7)]);
    for number in [1, 2, 4] {
        assert_eq!(common_of(store, project, 1, number), common(7));
    }
    assert_eq!(common_of(store, project, 1, 5), None);
    assert_eq!(common_of(store, project, 2, 3), common(7));
    assert_eq!(common_of(store, other, 1, 1), common(7));
    // An error may have any number of different shared parts.
    let many = (100..350).map(|number| sharing(number, 1, number));
    send_events(store, project, many.collect());
    for number in [100, 199, 200, 349] {
        assert_eq!(common_of(store, project, 1, number), common(number));
    }
    // A part that a later event uses survives the deletion of the others, and an unused part can be stored again.
    let later = |days: u32| 1000 + days * DAY;
    send_events(store, project, vec![sharing(later(3), 1, 7)]);
    let deleted = store
        .change(move |tx| tx.delete_old_events(project, timestamp(i64::from(later(2))), 10_000));
    assert!(deleted.wait().unwrap() >= 255);
    assert_eq!(common_of(store, project, 1, later(3)), common(7));
    send_events(
        store,
        project,
        vec![sharing(later(4), 1, 7), sharing(later(4) + 1, 1, 100)],
    );
    assert_eq!(common_of(store, project, 1, later(4)), common(7));
    assert_eq!(common_of(store, project, 1, later(4) + 1), common(100));
    assert_eq!(common_of(store, other, 1, 1), common(7));
}
