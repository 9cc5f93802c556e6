//! Errors that are resolved or ignored, and come back.

use error_tracking::flow::change::{IgnoreDuration, StatusEdit};
use error_tracking::flow::collect::ErrorChangeKind::{Appeared, Regressed, Unignored};
use error_tracking::model::ArrivingEvent;
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};

use crate::support::{HERE, TrackerStore, at, event, of_release, request, seen_by};

/// A tracker with an error whose first event is this one.
fn with(first: ArrivingEvent) -> TrackerStore {
    let tracker = TrackerStore::default();
    assert_eq!(tracker.send(vec![first]), [(1, Appeared)]);
    tracker
}

#[test]
fn a_resolved_error_comes_back_once_in_a_batch() {
    let tracker = with(event(1, 'a'));
    tracker.set(1, StatusEdit::Resolve);
    let outcomes = tracker.collect(&[
        request(HERE, vec![event(2, 'b'), event(3, 'a'), event(4, 'a')]),
        request(HERE, vec![event(5, 'a')]),
    ]);
    let kinds: Vec<Vec<_>> = outcomes
        .iter()
        .map(|one| one.changes.iter().map(|change| change.kind).collect())
        .collect();
    assert_eq!(kinds, [vec![Appeared, Regressed], vec![]]);
    let error = tracker.error(1);
    assert_eq!(error.state.status, Status::Unresolved);
    assert_eq!(error.regressed_at, Some(at(3)));
    // The error regresses again once it is resolved again.
    tracker.set(1, StatusEdit::Resolve);
    assert_eq!(tracker.error(1).regressed_at, None);
    assert_eq!(tracker.send(vec![event(6, 'a')]), [(1, Regressed)]);
    assert_eq!(tracker.error(1).regressed_at, Some(at(6)));
}

#[test]
fn events_of_older_releases_leave_an_error_resolved() {
    let tracker = with(of_release("web@1.0.0", event(1, 'a')));
    tracker.set(1, StatusEdit::ResolveInRelease("web@1.2.0".to_owned()));
    let old = of_release("web@1.1.9", event(2, 'a'));
    assert_eq!(tracker.send(vec![old]), []);
    let resolved = Status::Resolved(Resolution::InRelease("web@1.2.0".to_owned()));
    assert_eq!(tracker.error(1).state.status, resolved);
    assert_eq!(tracker.counts(1), (2, 0));
    let events = [
        of_release("web@1.1.0", event(3, 'a')),
        of_release("web@1.10.0", event(4, 'a')),
    ];
    assert_eq!(tracker.send(events.to_vec()), [(1, Regressed)]);
    assert_eq!(tracker.error(1).regressed_at, Some(at(4)));
}

#[test]
fn releases_without_an_order_are_ordered_by_when_they_were_first_seen() {
    let tracker = with(of_release("3f2a9c1", event(1, 'a')));
    tracker.send(vec![of_release("77b01de", event(2, 'b'))]);
    tracker.set(1, StatusEdit::ResolveInRelease("77b01de".to_owned()));
    // A release that was seen before is no regression.
    assert_eq!(tracker.send(vec![of_release("3f2a9c1", event(3, 'a'))]), []);
    // A release that was first seen later is newer, even in the same batch.
    let events = vec![
        of_release("9d00000", event(4, 'b')),
        of_release("9d00000", event(5, 'a')),
    ];
    assert_eq!(tracker.send(events), [(1, Regressed)]);
}

#[test]
fn a_release_that_nobody_has_seen_is_waited_for() {
    let tracker = with(of_release("3f2a9c1", event(1, 'a')));
    tracker.set(1, StatusEdit::ResolveInRelease("77b01de".to_owned()));
    let events = vec![
        of_release("5555555", event(2, 'a')),
        of_release("77b01de", event(3, 'b')),
    ];
    assert_eq!(tracker.send(events), [(2, Appeared)]);
    let later = of_release("9d00000", event(4, 'a'));
    assert_eq!(tracker.send(vec![later]), [(1, Regressed)]);
}

#[test]
fn an_event_without_a_release_may_be_of_any() {
    let tracker = with(event(1, 'a'));
    tracker.set(1, StatusEdit::ResolveInRelease("web@1.2.0".to_owned()));
    assert_eq!(tracker.send(vec![event(2, 'a')]), [(1, Regressed)]);
}

#[test]
fn an_error_is_ignored_until_it_has_so_many_more_events() {
    for batch in [1, 5] {
        let tracker = with(event(1, 'a'));
        let status = tracker.ignore(
            1,
            IgnoreDuration {
                events: Some(3),
                ..IgnoreDuration::default()
            },
        );
        let until = IgnoreLimits {
            events: Some(4),
            ..IgnoreLimits::default()
        };
        assert_eq!(status, Status::Ignored(until));
        let events: Vec<_> = (2..=6).map(|number| event(number, 'a')).collect();
        let changes = events
            .chunks(batch)
            .flat_map(|events| tracker.send(events.to_vec()));
        assert_eq!(changes.collect::<Vec<_>>(), [(1, Unignored)]);
        let error = tracker.error(1);
        assert_eq!(error.state.status, Status::Unresolved);
        assert_eq!(error.regressed_at, None, "it was not resolved");
    }
}

#[test]
fn an_error_is_ignored_until_so_many_more_users_have_seen_it() {
    let tracker = with(seen_by(1, event(1, 'a')));
    let users = IgnoreDuration {
        users: Some(2),
        ..IgnoreDuration::default()
    };
    tracker.ignore(1, users);
    let known = vec![seen_by(1, event(2, 'a')), seen_by(2, event(3, 'a'))];
    assert_eq!(tracker.send(known), []);
    let again = vec![seen_by(2, event(4, 'a')), event(5, 'a')];
    assert_eq!(tracker.send(again), []);
    let third = vec![seen_by(1, event(6, 'a')), seen_by(3, event(7, 'a'))];
    assert_eq!(tracker.send(third), [(1, Unignored)]);
}

#[test]
fn an_error_is_ignored_until_a_time() {
    let tracker = with(event(1, 'a'));
    let until = IgnoreDuration {
        until: Some(at(4)),
        ..IgnoreDuration::default()
    };
    tracker.ignore(1, until);
    assert_eq!(tracker.send(vec![event(3, 'a')]), []);
    assert_eq!(tracker.send(vec![event(4, 'a')]), [(1, Unignored)]);
    assert_eq!(tracker.send(vec![event(5, 'a')]), []);
}

#[test]
fn an_error_that_is_ignored_for_ever_stays_so() {
    let tracker = with(seen_by(1, event(1, 'a')));
    tracker.ignore(1, IgnoreDuration::default());
    let events = (2..60).map(|number| seen_by(2, event(number, 'a')));
    assert_eq!(tracker.send(events.collect()), []);
    let status = tracker.error(1).state.status;
    assert_eq!(status, Status::Ignored(IgnoreLimits::default()));
    assert_eq!(tracker.counts(1), (59, 2));
}
