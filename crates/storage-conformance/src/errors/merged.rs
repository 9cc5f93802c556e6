//! Merging errors, and splitting them again.

use api_conventions::ids::{ErrorIid, ProjectId, UserId};
use error_tracking::flow::change::{MoveOutcome, merge, split_error};
use error_tracking::model::{ArrivingEvent, ErrorFacts, ErrorState, Level, TrackedError};
use error_tracking::rules::status::{IgnoreLimits, Status};
use error_tracking::store::MergedErrorRef;
use storage::{StoreErrorKind, StoreExt as _};

use super::changes::decide;
use super::{
    error, event_id, event_of, facts, find, find_known, insert, new_error, progress, send_events,
};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{page, timestamp};

/// Merges two errors of a project, and returns the remaining one.
fn merge_errors(store: &Errors, project: ProjectId, from: i64, into: i64) -> TrackedError {
    let moved = store.change(move |tx| {
        let [from, into] = [from, into].map(ErrorIid::new);
        merge(tx, project, from, into)
    });
    moved_error(moved.wait().unwrap())
}

/// Splits the key with this number off its error, and returns its new error.
fn split_off(store: &Errors, project: ProjectId, of_key: u32) -> TrackedError {
    let known = find_known(store, project, of_key);
    let moved = store.change(move |tx| split_error(tx, project, known.iid, known.key_id));
    moved_error(moved.wait().unwrap())
}

fn moved_error(moved: MoveOutcome) -> TrackedError {
    let MoveOutcome::To(error) = moved else {
        panic!("{moved:?}");
    };
    *error
}

/// First seen, last seen, first release, last release.
type SeenAndReleases = (i64, i64, u32, u32);

/// An event of the second error, with level fatal.
fn fatal(number: u32, user: u32, release: &str) -> ArrivingEvent {
    let mut event = event_of(number, 2, user, release);
    event.facts.level = Level::Fatal;
    event
}

/// Writes two errors: the first was seen first, the second last. They share a user. The first one has an assignee.
fn write_two(harness: &AreaHarness<Errors>, project: ProjectId) {
    let store = harness.store();
    let of_first = vec![event_of(10, 1, 1, "web@1"), event_of(20, 1, 2, "web@2")];
    let of_second = vec![fatal(15, 2, ""), fatal(30, 3, "web@3")];
    send_events(store, project, of_first);
    send_events(store, project, of_second);
    let decided = store.change(move |tx| {
        decide(tx, project, 1, |state| {
            state.status = Status::Ignored(IgnoreLimits::default());
            state.assignee_id = Some(UserId::new(7));
        })
    });
    decided.wait().unwrap();
}

pub(super) fn t89_a_merged_error_has_the_keys_events_and_users_of_both_errors(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    write_two(harness, project);
    let [one, two] = [1, 2].map(|iid| error(store, project, iid));
    let [first, second] = [1, 2].map(|number| find_known(store, project, number).key_id);
    let both = merge_errors(store, project, 2, 1);
    let expected = TrackedError {
        facts: two.facts.clone(),
        last_seen: timestamp(30),
        events: 4,
        users: 3,
        last_release: Some("web@3".to_owned()),
        ..one
    };
    assert_eq!(both, expected);
    assert_eq!(error(store, project, 1), expected);
    assert_eq!(find(store, project, 2), None);
    let read = store.query(move |tx| {
        assert_eq!(tx.find_error_by_id(two.id)?, None);
        assert_eq!(tx.list_error_keys(two.id)?, []);
        let keys = tx.list_error_keys(both.id)?;
        let ids: Vec<_> = keys.iter().map(|key| (key.id, key.error_id)).collect();
        assert_eq!(ids, [first, second].map(|key| (key, both.id)));
        let times: Vec<_> = keys.iter().map(|key| key.first_seen).collect();
        assert_eq!(times, [10, 15].map(timestamp));
        let events = tx.list_error_events(both.id, page(1, 20))?.items;
        let ids: Vec<_> = events.iter().map(|event| event.event_id).collect();
        assert_eq!(ids, [30, 15, 20, 10].map(event_id));
        assert_eq!(tx.list_error_events(two.id, page(1, 20))?.items, []);
        Ok(())
    });
    read.wait().unwrap();
    for number in [1, 2] {
        let known = find_known(store, project, number);
        let counts = (
            known.keys,
            known.events,
            known.users,
            known.key_events,
            known.key_kept,
        );
        assert_eq!(counts, (2, 4, 3, 2, 2));
    }
    // Events of either key go to the merged error, and its users are known for both keys.
    send_events(
        store,
        project,
        vec![fatal(40, 1, ""), event_of(41, 1, 3, ""), fatal(42, 9, "")],
    );
    let later = error(store, project, 1);
    assert_eq!((later.events, later.users), (7, 4));
    // The number of the merged error is not reused.
    send_events(store, project, vec![event_of(50, 5, 1, "")]);
    assert_eq!(find_known(store, project, 5).iid, ErrorIid::new(3));
}

pub(super) fn t90_a_merge_takes_each_thing_of_the_right_one(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let release = |number: u32| (number > 0).then(|| format!("web@{number}"));
    // Facts of both errors, the expected result, and true if the facts of the first one win.
    let cases: [(SeenAndReleases, SeenAndReleases, SeenAndReleases, bool); 5] = [
        ((1, 20, 1, 2), (5, 30, 3, 4), (1, 30, 1, 4), false),
        ((5, 30, 1, 2), (1, 20, 3, 4), (1, 30, 3, 2), true),
        ((5, 20, 1, 2), (1, 30, 3, 4), (1, 30, 3, 4), false),
        ((5, 20, 1, 2), (1, 30, 0, 0), (1, 30, 1, 2), false),
        ((1, 20, 1, 2), (1, 20, 3, 4), (1, 20, 3, 4), false),
    ];
    for ((from, to, expected, says_from), place) in cases.into_iter().zip(0..) {
        let keys = [2 * place, 2 * place + 1];
        let written = store.change(move |tx| {
            let mut new = keys.map(|number| new_error(project, number));
            for (new, times) in new.iter_mut().zip([from, to]) {
                new.first_seen = timestamp(times.0);
                new.release = release(times.2);
            }
            let known = insert(tx, new.to_vec())?;
            let mut steps: Vec<_> = known.iter().map(progress).collect();
            for ((step, times), key) in steps.iter_mut().zip([from, to]).zip(keys) {
                step.last_seen = timestamp(times.1);
                step.release = release(times.3);
                step.facts = facts(&format!("says {key}"));
                (step.events, step.users) = (2, 0);
            }
            tx.advance_errors(&steps)?;
            let decided = decide(tx, project, known[1].iid.get(), |state| {
                state.assignee_id = Some(UserId::new(9));
            })?;
            let merged = merge(tx, project, known[0].iid, known[1].iid)?;
            Ok((decided, moved_error(merged)))
        });
        let (before, both) = written.wait().unwrap();
        let expected = TrackedError {
            facts: facts(&format!("says {}", keys[usize::from(!says_from)])),
            first_seen: timestamp(expected.0),
            last_seen: timestamp(expected.1),
            first_release: release(expected.2),
            last_release: release(expected.3),
            events: 4,
            ..before
        };
        assert_eq!(both, expected, "{from:?} into {to:?}");
    }
}

pub(super) fn t91_a_split_off_group_key_becomes_a_new_unresolved_error(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    write_two(harness, project);
    let before = error(store, project, 1);
    let both = merge_errors(store, project, 2, 1);
    let created = split_off(store, project, 2);
    let expected = TrackedError {
        id: created.id,
        iid: ErrorIid::new(3),
        project_id: project,
        state: ErrorState::default(),
        facts: ErrorFacts {
            level: Level::Fatal,
            ..facts("Error 2")
        },
        first_seen: timestamp(15),
        last_seen: timestamp(30),
        events: 2,
        users: 2,
        first_release: Some("web@3".to_owned()),
        last_release: Some("web@3".to_owned()),
        regressed_at: None,
    };
    assert_eq!(created, expected);
    assert_eq!(error(store, project, 3), expected);
    // The remaining error is as before, except for the last release, which cannot be restored.
    let remaining = error(store, project, 1);
    let expected = TrackedError {
        last_release: both.last_release,
        ..before
    };
    assert_eq!(remaining, expected);
    for (number, iid) in [(1, 1), (2, 3)] {
        let known = find_known(store, project, number);
        assert_eq!(known.iid, ErrorIid::new(iid));
        assert_eq!((known.keys, known.key_events, known.key_kept), (1, 2, 2));
    }
    // Each error has its own events and users again.
    send_events(
        store,
        project,
        vec![fatal(40, 1, ""), event_of(41, 1, 3, "")],
    );
    for iid in [1, 3] {
        let found = error(store, project, iid);
        assert_eq!((found.events, found.users), (3, 3), "{iid}");
    }
    let listed = store.query(move |tx| {
        let listed = tx.list_error_events(created.id, page(1, 20))?.items;
        Ok(listed
            .iter()
            .map(|event| event.event_id)
            .collect::<Vec<_>>())
    });
    assert_eq!(listed.wait().unwrap(), [40, 30, 15].map(event_id));
}

pub(super) fn t92_a_group_key_is_split_off_only_from_its_own_error(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    write_two(harness, project);
    send_events(store, project, vec![event_of(60, 6, 1, "")]);
    merge_errors(store, project, 2, 1);
    let key = find_known(store, project, 6).key_id;
    let before = error(store, project, 1);
    let refused = store.change(move |tx| {
        let locked = tx.lock_error(project, ErrorIid::new(1))?;
        tx.split_error_key(locked.expect("the row exists"), key)
    });
    let refused = refused.wait().unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Internal, "{refused}");
    assert_eq!(error(store, project, 1), before);
    assert_eq!(find_known(store, project, 6).iid, ErrorIid::new(3));
    assert_eq!(find(store, project, 4), None);
}

pub(super) fn t93_a_split_without_retained_events_uses_data_stored_with_the_group_keys(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    write_two(harness, project);
    let both = merge_errors(store, project, 2, 1);
    let forgotten = store.change(move |tx| tx.delete_old_events(project, timestamp(99), 9));
    assert_eq!(forgotten.wait().unwrap(), 4);
    let created = split_off(store, project, 2);
    assert_eq!((created.events, created.users), (2, 2));
    assert_eq!(
        (created.first_seen, created.last_seen),
        (timestamp(15), timestamp(15))
    );
    assert_eq!(
        (&created.first_release, &created.last_release),
        (&None, &None)
    );
    // Without events, the split error copies the facts of the merged one.
    assert_eq!(created.facts, both.facts);
    let remaining = error(store, project, 1);
    let expected = TrackedError {
        first_seen: timestamp(10),
        last_seen: timestamp(10),
        events: 2,
        users: 2,
        ..both
    };
    assert_eq!(remaining, expected);
}

pub(super) fn t101_a_merged_error_redirects_to_the_error_that_has_its_events(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        insert(tx, vec![new_error(other, 9), new_error(other, 8)])?;
        let errors = (1..=4).map(|number| new_error(project, number));
        insert(tx, errors.collect())
    });
    let known = inserted.wait().unwrap();
    let ids: Vec<_> = known.iter().map(|known| known.error_id).collect();
    let led = |iid: i64| {
        let id = ids[usize::try_from(iid - 1).unwrap()];
        let read = store.query(move |tx| {
            let of_iid = tx.find_merged_error(MergedErrorRef::Iid(project, ErrorIid::new(iid)))?;
            assert_eq!(tx.find_merged_error(MergedErrorRef::Id(id))?, of_iid);
            let in_other = MergedErrorRef::Iid(other, ErrorIid::new(iid));
            assert_eq!(tx.find_merged_error(in_other)?, None);
            Ok(of_iid.map(|error| error.iid.get()))
        });
        read.wait().unwrap()
    };
    assert_eq!([1, 2, 3, 4].map(led), [None; 4]);
    merge_errors(store, project, 2, 1);
    merge_errors(store, project, 4, 3);
    assert_eq!([1, 2, 3, 4].map(led), [None, Some(1), None, Some(3)]);
    // The old number of an error redirects further after its target is merged, too.
    merge_errors(store, project, 1, 3);
    assert_eq!([1, 2, 3, 4].map(led), [Some(3), Some(3), None, Some(3)]);
    let deleted = store.change(move |tx| {
        let locked = tx.lock_error(project, ErrorIid::new(3))?;
        tx.delete_error(locked.expect("the row exists"))
    });
    deleted.wait().unwrap();
    assert_eq!([1, 2, 3, 4].map(led), [None; 4]);
}
