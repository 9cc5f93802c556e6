//! Effects of events on the store.

use api_conventions::ids::ErrorIid;
use api_conventions::page::OffsetPage;
use error_tracking::flow::change::merge;
use error_tracking::flow::collect::ErrorChangeKind::{self, Appeared};
use error_tracking::model::{ArrivingEvent, ErrorFacts, EventDelivery, Level, StorageLimits};
use error_tracking::store::ErrorQueries as _;
use error_tracking::work::{AfterCollect, Collect};
use storage::{Store as _, StoreError, StoreErrorKind};

use crate::support::{HERE, THERE, TrackerStore, at, event, key, of_release, request, seen_by};

#[test]
fn events_of_one_key_are_one_error() {
    let tracker = TrackerStore::default();
    assert_eq!(tracker.send(vec![event(1, 'a')]), [(1, Appeared)]);
    let changes = tracker.send(vec![event(2, 'b'), event(3, 'a'), event(4, 'b')]);
    assert_eq!(changes, [(2, Appeared)]);
    assert_eq!(tracker.counts(1), (2, 0));
    assert_eq!(tracker.counts(2), (2, 0));
    let error = tracker.error(1);
    assert_eq!((error.first_seen, error.last_seen), (at(1), at(3)));
    assert_eq!(error.facts.culprit, "event 3");
    assert_eq!(tracker.kept(2), [2, 4]);
}

#[test]
fn a_change_has_the_fields_of_its_event() {
    let tracker = TrackerStore::default();
    let mut first = event(1, 'a');
    first.environment = Some("live".to_owned());
    first.facts = ErrorFacts {
        level: Level::Fatal,
        ..first.facts
    };
    let outcomes = tracker.collect(&[request(HERE, vec![first, event(2, 'a')])]);
    let [change] = &*outcomes[0].changes else {
        unreachable!("one thing happened");
    };
    assert_eq!((change.project_id, change.iid), (HERE, ErrorIid::new(1)));
    assert_eq!(change.error_id, tracker.error(1).id);
    assert_eq!((&*change.title, &*change.culprit), ("a", "event 1"));
    assert_eq!((change.level, change.at), (Level::Fatal, at(1)));
    assert_eq!(change.environment.as_deref(), Some("live"));
}

#[test]
fn a_duplicate_inside_a_batch_is_stored_once() {
    let tracker = TrackerStore::default();
    let outcomes = tracker.collect(&[
        request(HERE, vec![event(1, 'a'), event(1, 'a'), event(2, 'a')]),
        request(THERE, vec![event(1, 'a')]),
        request(HERE, vec![event(2, 'b'), event(3, 'a')]),
    ]);
    let counts: Vec<_> = outcomes
        .iter()
        .map(|one| (one.stored, one.duplicates))
        .collect();
    assert_eq!(counts, [(2, 1), (1, 0), (1, 1)]);
    assert_eq!(tracker.counts(1), (3, 0));
    assert_eq!(tracker.find(2), None, "no error begins with a duplicate");
}

#[test]
fn the_first_release_is_that_of_the_first_event_that_named_one() {
    let first = || event(1, 'a');
    let second = || of_release("web@2", event(2, 'a'));
    let third = || of_release("web@3", event(3, 'a'));
    let last = || event(4, 'a');
    let together = TrackerStore::default();
    together.send(vec![first(), second(), third(), last()]);
    let alone = TrackerStore::default();
    for event in [first(), second(), third(), last()] {
        alone.send(vec![event]);
    }
    for tracker in [together, alone] {
        let error = tracker.error(1);
        assert_eq!(error.first_release.as_deref(), Some("web@2"));
        assert_eq!(error.last_release.as_deref(), Some("web@3"));
    }
}

#[test]
fn users_are_counted_once_and_only_where_something_distinguishes_them() {
    let tracker = TrackerStore::default();
    tracker.send(vec![
        event(1, 'a'),
        seen_by(1, event(2, 'a')),
        seen_by(1, event(3, 'a')),
        seen_by(1, event(4, 'b')),
    ]);
    tracker.send(vec![seen_by(1, event(5, 'a')), seen_by(2, event(6, 'a'))]);
    assert_eq!(tracker.counts(1), (5, 2));
    assert_eq!(tracker.counts(2), (1, 1));
}

#[test]
fn the_keys_of_a_merged_error_share_their_users() {
    let tracker = TrackerStore::default();
    tracker.send(vec![seen_by(1, event(1, 'a')), seen_by(2, event(2, 'b'))]);
    let merged = tracker.0.write(|tx| {
        let [from, into] = [2, 1].map(ErrorIid::new);
        merge(tx, HERE, from, into).map(drop)
    });
    merged.wait().unwrap();
    assert_eq!(tracker.counts(1), (2, 2));
    // Users 1 and 2 saw the error by the other key before, and user 3 is new by both keys at once.
    tracker.send(vec![
        seen_by(1, event(3, 'b')),
        seen_by(2, event(4, 'a')),
        seen_by(3, event(5, 'a')),
        seen_by(3, event(6, 'b')),
    ]);
    assert_eq!(tracker.counts(1), (6, 3));
    assert_eq!(tracker.find(2), None);
}

/// A request with a quota of its own.
fn limited(events_per_day: u64, request: EventDelivery) -> EventDelivery {
    EventDelivery {
        limits: StorageLimits {
            events_per_day: Some(events_per_day),
            ..request.limits
        },
        ..request
    }
}

#[test]
fn events_over_the_quota_are_dropped() {
    let tracker = TrackerStore::default();
    let outcomes = tracker.collect(&[
        limited(3, request(HERE, vec![event(1, 'a'), event(2, 'a')])),
        limited(3, request(THERE, vec![event(1, 'a')])),
        limited(
            3,
            request(HERE, vec![event(2, 'a'), event(3, 'a'), event(4, 'b')]),
        ),
    ]);
    let counts = outcomes
        .iter()
        .map(|one| (one.stored, one.duplicates, one.over_quota));
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [(2, 0, 0), (1, 0, 0), (1, 1, 1)]
    );
    assert_eq!(tracker.find(2), None, "a dropped event creates no error");
    // The event may be sent again, on the next day or when there is more room.
    let full = tracker.collect(&[limited(3, request(HERE, vec![event(4, 'b')]))]);
    assert_eq!((full[0].stored, full[0].over_quota), (0, 1));
    let mut tomorrow = limited(3, request(HERE, vec![event(4, 'b')]));
    tomorrow.received_at = at(86_400);
    assert_eq!(tracker.collect(&[tomorrow])[0].stored, 1);
    let more = tracker.collect(&[limited(4, request(HERE, vec![event(5, 'b')]))]);
    assert_eq!(more[0].stored, 1);
    assert_eq!(tracker.counts(2), (2, 0));
}

#[test]
fn events_without_a_quota_count_toward_the_quota_of_others() {
    let tracker = TrackerStore::default();
    let outcomes = tracker.collect(&[
        request(HERE, vec![event(1, 'a')]),
        limited(2, request(HERE, vec![event(2, 'a'), event(3, 'a')])),
        request(HERE, vec![event(4, 'a')]),
    ]);
    let counts = outcomes.iter().map(|one| (one.stored, one.over_quota));
    assert_eq!(counts.collect::<Vec<_>>(), [(1, 0), (1, 1), (1, 0)]);
}

/// The same event after a change of the grouping rules: its earlier keys, the first version first.
fn grouped_anew(older: &[char], event: ArrivingEvent) -> ArrivingEvent {
    let mut event = event;
    event.grouping.older = older.iter().copied().map(key).collect();
    event
}

#[test]
fn a_better_rule_splits_no_error_that_is_there() {
    let tracker = TrackerStore::default();
    tracker.send(vec![event(1, 'a'), event(2, 'b')]);
    // The new rule groups events of both errors together, and with unknown events.
    let outcomes = tracker.collect(&[
        request(HERE, vec![grouped_anew(&['c'], event(3, 'n'))]),
        request(HERE, vec![grouped_anew(&['x', 'a'], event(4, 'n'))]),
        request(HERE, vec![grouped_anew(&['b', 'a'], event(5, 'n'))]),
        request(THERE, vec![grouped_anew(&['a'], event(6, 'n'))]),
    ]);
    assert!(outcomes.iter().all(|outcome| outcome.stored == 1));
    assert_eq!([1, 2, 3].map(|iid| tracker.counts(iid).0), [2, 2, 1]);
    assert_eq!(tracker.find(4), None);
}

#[test]
fn an_empty_request_leaves_nothing() {
    let tracker = TrackerStore::default();
    let outcomes = tracker.collect(&[request(HERE, Vec::new())]);
    assert_eq!((outcomes[0].stored, outcomes[0].changes.len()), (0, 0));
    assert_eq!(tracker.collect(&[]), []);
    assert_eq!(tracker.find(1), None);
}

/// Host whose own write fails for a change of this kind.
#[derive(Debug, Clone, Copy)]
struct FailsOn(ErrorChangeKind);

impl<Tx: ?Sized> AfterCollect<Tx> for FailsOn {
    fn write(
        _: &mut Tx,
        stored: &[(
            &Self,
            &EventDelivery,
            &error_tracking::flow::collect::CollectOutcome,
        )],
    ) -> Result<(), StoreError> {
        let is_refused = stored
            .iter()
            .any(|(host, _, outcome)| outcome.changes.iter().any(|one| one.kind == host.0));
        if is_refused {
            return Err(StoreError::new(
                StoreErrorKind::Internal,
                "write of the host",
            ));
        }
        Ok(())
    }
}

#[test]
fn a_request_is_stored_by_work_alone() {
    let tracker = TrackerStore::default();
    let work = Collect::new(request(HERE, vec![event(1, 'a'), event(2, 'b')]));
    assert_eq!(tracker.0.write_grouped(work).wait().unwrap().stored, 2);
    let refused = Collect {
        delivery: request(HERE, vec![event(3, 'a'), event(4, 'c')]),
        after: FailsOn(Appeared),
    };
    assert!(tracker.0.write_grouped(refused).wait().is_err());
    let taken = Collect {
        delivery: request(HERE, vec![event(5, 'a')]),
        after: FailsOn(Appeared),
    };
    assert!(tracker.0.write_grouped(taken).wait().is_ok());
    assert_eq!(tracker.kept(1), [1, 5]);
    let listed = tracker.0.read(|tx| {
        let filter = error_tracking::model::ErrorFilter::new(HERE);
        tx.list_errors(&filter, OffsetPage::new(1, 20))
    });
    let listed: Result<_, StoreError> = listed.wait();
    assert_eq!(listed.unwrap().items.len(), 2);
}
