//! Pruning of the events of one error.

use error_tracking::model::{EventDelivery, StorageLimits};
use error_tracking::rules::retention::{KEPT_AT_ENDS, KEPT_RECORDS};

use crate::support::{HERE, TrackerStore, event, request};

/// Limit of kept events of one error.
const ROOM: u32 = 40;
/// Most events that are kept: pruning waits for a quarter more than the limit.
const MAX_KEPT: usize = 50;

/// A request with events of one error.
fn numbered(numbers: std::ops::Range<u16>) -> EventDelivery {
    let events = numbers.map(|number| event(number, 'a')).collect();
    EventDelivery {
        limits: StorageLimits {
            events_per_day: None,
            events_per_error: ROOM,
        },
        ..request(HERE, events)
    }
}

/// Checks which of `count` events are kept.
fn check(tracker: &TrackerStore, count: u16) {
    let kept = tracker.kept(1);
    assert!(kept.len() <= MAX_KEPT, "{} of {count} are kept", kept.len());
    assert!(
        kept.len() >= usize::from(count).min(20),
        "{} of {count} are kept",
        kept.len()
    );
    let ends = u16::try_from(KEPT_AT_ENDS).unwrap();
    let ends = (0..ends.min(count)).chain(count.saturating_sub(ends)..count);
    for number in ends {
        assert!(kept.contains(&number), "{number} of {count} is gone");
    }
    let known = tracker.known('a');
    let counts = (known.events, known.key_events, known.key_kept);
    let all = i64::from(count);
    assert_eq!(counts, (all, all, i64::try_from(kept.len()).unwrap()));
}

#[test]
fn both_ends_and_a_sample_are_kept_of_events_that_come_one_by_one() {
    let tracker = TrackerStore::default();
    for number in 0..400 {
        tracker.collect(&[numbered(number..number + 1)]);
        check(&tracker, number + 1);
    }
}

#[test]
fn both_ends_and_a_sample_are_kept_of_events_that_come_together() {
    let tracker = TrackerStore::default();
    let mut count = 0;
    for more in [30, 25, 200, 1, 90, 9] {
        let requests: Vec<EventDelivery> = (count..count + more)
            .map(|number| numbered(number..number + 1))
            .collect();
        tracker.collect(&requests);
        count += more;
        check(&tracker, count);
    }
}

#[test]
fn a_pruned_event_is_a_duplicate_if_sent_again() {
    let tracker = TrackerStore::default();
    tracker.collect(&[numbered(0..300)]);
    let kept = tracker.kept(1);
    let outcomes = tracker.collect(&[numbered(0..300)]);
    assert_eq!((outcomes[0].stored, outcomes[0].duplicates), (0, 300));
    assert_eq!(tracker.kept(1), kept);
    assert_eq!(tracker.counts(1), (300, 0));
}

#[test]
fn a_raised_limit_keeps_all_later_events() {
    let tracker = TrackerStore::default();
    tracker.collect(&[numbered(0..300)]);
    let before = tracker.kept(1).len();
    let mut wide = numbered(300..400);
    wide.limits.events_per_error = 1000;
    tracker.collect(&[wide]);
    assert_eq!(tracker.kept(1).len(), before + 100);
}

/// Rows of an error: only the kept events and the latest ones, however many are received; counters stay exact.
#[test]
fn the_rows_of_an_error_are_bounded_and_its_counts_exact() {
    let tracker = TrackerStore::default();
    let remembered = u16::try_from(KEPT_RECORDS).unwrap();
    let all = 3 * remembered;
    for first in (0..all).step_by(400) {
        tracker.collect(&[numbered(first..(first + 400).min(all))]);
        let most = usize::from(remembered) + MAX_KEPT + 2 * 400;
        let rows = tracker.rows_among(0..all);
        assert!(rows <= most, "{rows} rows after {first} events");
    }
    let known = tracker.known('a');
    assert_eq!((known.events, known.key_events), (all.into(), all.into()));
    assert_eq!(tracker.counts(1), (i64::from(all), 0));
    check(&tracker, all);
    // The latest events are recognised as duplicates, and a forgotten one is stored as new.
    let again = tracker.collect(&[numbered(all - remembered + 500..all)]);
    assert_eq!(again[0].stored, 0);
    assert_eq!(tracker.collect(&[numbered(101..102)])[0].stored, 1);
}
