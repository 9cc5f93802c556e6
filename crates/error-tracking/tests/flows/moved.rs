//! Errors that are merged and split.

use api_conventions::ids::{ErrorIid, ErrorKeyId};
use error_tracking::flow::change::{MoveOutcome, StatusEdit, merge, split_error};
use error_tracking::flow::collect::ErrorChangeKind::{Appeared, Regressed};
use error_tracking::model::TrackedError;
use error_tracking::rules::status::{Resolution, Status};
use storage::{Store as _, StoreError};

use crate::support::{HERE, THERE, TrackerStore, at, event, request, seen_by};

impl TrackerStore {
    fn merge(&self, from: i64, into: i64) -> MoveOutcome {
        let [from, into] = [from, into].map(ErrorIid::new);
        let moved = self.0.write(move |tx| merge(tx, HERE, from, into));
        let moved: Result<_, StoreError> = moved.wait();
        moved.unwrap()
    }

    fn split_error(&self, iid: i64, key: ErrorKeyId) -> MoveOutcome {
        let iid = ErrorIid::new(iid);
        let moved = self.0.write(move |tx| split_error(tx, HERE, iid, key));
        let moved: Result<_, StoreError> = moved.wait();
        moved.unwrap()
    }
}

fn given(moved: MoveOutcome) -> TrackedError {
    let MoveOutcome::To(error) = moved else {
        unreachable!("{moved:?}");
    };
    *error
}

/// Two errors: each has two events, and they share one of three users.
fn two() -> TrackerStore {
    let tracker = TrackerStore::default();
    tracker.send(vec![
        seen_by(1, event(1, 'a')),
        seen_by(2, event(2, 'b')),
        seen_by(2, event(3, 'a')),
        seen_by(3, event(4, 'b')),
    ]);
    tracker
}

#[test]
fn a_merged_error_has_all_that_both_had() {
    let tracker = two();
    let merged = given(tracker.merge(2, 1));
    assert_eq!(tracker.error(1), merged);
    assert_eq!((merged.events, merged.users), (4, 3));
    assert_eq!((merged.first_seen, merged.last_seen), (at(1), at(4)));
    assert_eq!(merged.facts.title, "b", "the later facts win");
    assert_eq!(tracker.find(2), None);
    assert_eq!(tracker.kept(1), [1, 2, 3, 4]);
    // Events of both keys are added to the error, and regress it.
    tracker.set(1, StatusEdit::Resolve);
    assert_eq!(tracker.send(vec![event(5, 'b')]), [(1, Regressed)]);
    assert_eq!(tracker.send(vec![event(6, 'a')]), []);
    assert_eq!(tracker.counts(1), (6, 3));
}

#[test]
fn a_merge_keeps_the_status_of_the_target_error() {
    let tracker = two();
    tracker.set(1, StatusEdit::Resolve);
    tracker.set(2, StatusEdit::ResolveInRelease("web@1".to_owned()));
    let merged = given(tracker.merge(2, 1));
    assert_eq!(merged.state.status, Status::Resolved(Resolution::Now));
    assert_eq!(merged.iid, ErrorIid::new(1));
}

#[test]
fn an_error_is_merged_into_another_one_of_its_project_only() {
    let tracker = two();
    tracker.collect(&[request(
        THERE,
        vec![event(1, 'a'), event(2, 'b'), event(3, 'c')],
    )]);
    let before = [tracker.error(1), tracker.error(2)];
    assert_eq!(tracker.merge(1, 1), MoveOutcome::Itself);
    assert_eq!(tracker.merge(9, 9), MoveOutcome::Itself);
    for (from, into) in [(1, 3), (3, 1), (8, 9)] {
        assert_eq!(tracker.merge(from, into), MoveOutcome::NotFound);
    }
    assert_eq!([tracker.error(1), tracker.error(2)], before);
}

#[test]
fn a_split_key_becomes_a_new_error_with_its_own_events() {
    let tracker = two();
    let key = tracker.known('b').key_id;
    given(tracker.merge(2, 1));
    tracker.set(1, StatusEdit::Resolve);
    let apart = given(tracker.split_error(1, key));
    assert_eq!(tracker.error(3), apart);
    assert_eq!(apart.state.status, Status::Unresolved);
    assert_eq!((apart.events, apart.users), (2, 2));
    assert_eq!((apart.first_seen, apart.last_seen), (at(2), at(4)));
    assert_eq!(apart.facts.title, "b");
    assert_eq!(tracker.kept(3), [2, 4]);
    let left = tracker.error(1);
    assert_eq!(left.state.status, Status::Resolved(Resolution::Now));
    assert_eq!((left.events, left.users), (2, 2));
    assert_eq!((left.first_seen, left.last_seen), (at(1), at(3)));
    assert_eq!(left.facts.title, "a");
    assert_eq!(tracker.kept(1), [1, 3]);
    // The two errors are independent again.
    assert_eq!(tracker.send(vec![event(5, 'b')]), []);
    assert_eq!(tracker.send(vec![event(6, 'a')]), [(1, Regressed)]);
    assert_eq!(tracker.send(vec![event(7, 'c')]), [(4, Appeared)]);
}

#[test]
fn an_error_keeps_its_last_key_and_gives_no_other_ones() {
    let tracker = two();
    let [first, second] = ['a', 'b'].map(|name| tracker.known(name).key_id);
    assert_eq!(tracker.split_error(1, first), MoveOutcome::LastKey);
    assert_eq!(tracker.split_error(1, second), MoveOutcome::NotFound);
    assert_eq!(tracker.split_error(9, first), MoveOutcome::NotFound);
    assert_eq!(
        tracker.split_error(1, ErrorKeyId::new(999)),
        MoveOutcome::NotFound
    );
    given(tracker.merge(1, 2));
    assert_eq!(tracker.split_error(1, first), MoveOutcome::NotFound);
    // Each key of a merged error may be split off, as long as one is left.
    given(tracker.split_error(2, second));
    assert_eq!(tracker.split_error(2, first), MoveOutcome::LastKey);
    assert_eq!(tracker.split_error(3, second), MoveOutcome::LastKey);
}
