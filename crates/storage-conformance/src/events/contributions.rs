//! Contributions of users by day.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::CalendarDate;
use events::{
    Action, Audience, ContributionCount, ContributionFilter, EventTarget, NewEvent, TargetType,
};
use storage::StoreExt as _;

use super::entries::entry;
use crate::areas::{AreaHarness, Events};
use crate::samples::timestamp;

const DAY: i64 = 86_400;

fn day(number: i64) -> CalendarDate {
    timestamp(number * DAY).date()
}

fn about(new: NewEvent, action: Action, kind: TargetType, id: i64) -> NewEvent {
    NewEvent {
        action,
        target: Some(EventTarget {
            kind,
            id,
            iid: id,
            title: None,
        }),
        ..new
    }
}

fn at(new: NewEvent, number: i64) -> NewEvent {
    NewEvent {
        created_at: timestamp(number * DAY),
        ..new
    }
}

fn write(store: &Events, entries: Vec<NewEvent>) {
    let written = store.change(move |tx| tx.insert_events(&entries));
    written.wait().unwrap();
}

fn counts_between(
    store: &Events,
    user: i64,
    [from, to]: [i64; 2],
    limit: usize,
) -> Vec<ContributionCount> {
    let filter = ContributionFilter {
        user_id: UserId::new(user),
        from: day(from),
        to: day(to),
    };
    let listed = store.query(move |tx| tx.list_contributions(&filter, limit));
    listed.wait().unwrap()
}

/// Day, project, audience, true for a push, and number of each group.
type Short = (CalendarDate, ProjectId, Audience, bool, u64);

fn counts(store: &Events, user: i64) -> Vec<Short> {
    let listed = counts_between(store, user, [0, 99], 100).into_iter();
    let short = |one: ContributionCount| {
        assert_eq!(one.group.user_id, UserId::new(user));
        let group = one.group;
        (
            group.day,
            group.project_id,
            group.audience,
            group.is_push,
            one.count,
        )
    };
    listed.map(short).collect()
}

pub(super) fn e30_contributions_are_counted_with_the_entries(harness: &mut AreaHarness<Events>) {
    let mut places = harness.places();
    places.sort_unstable();
    let [project, other] = places;
    let store = harness.store();
    let opened = |of, user| about(entry(of, user), Action::Created, TargetType::Issue, 1);
    let pushed = NewEvent {
        action: Action::Pushed,
        ..entry(project, 1)
    };
    let hidden = NewEvent {
        audience: Audience::Reporters,
        ..opened(project, 1)
    };
    let alert = about(entry(project, 1), Action::Created, TargetType::Alert, 1);
    let all = vec![
        opened(project, 1),
        opened(other, 1),
        pushed.clone(),
        hidden,
        // These do not count.
        entry(project, 1),
        alert,
        opened(project, 2),
        at(opened(project, 1), 1),
    ];
    write(store, all);
    write(store, vec![opened(project, 1), pushed]);
    let (everyone, reporters) = (Audience::Everyone, Audience::Reporters);
    assert_eq!(
        counts(store, 1),
        [
            (day(1), project, everyone, false, 1),
            (day(0), project, everyone, false, 2),
            (day(0), project, everyone, true, 2),
            (day(0), project, reporters, false, 1),
            (day(0), other, everyone, false, 1),
        ]
    );
    assert_eq!(counts(store, 2), [(day(0), project, everyone, false, 1)]);
    assert_eq!(counts(store, 3), []);
    assert_eq!(counts_between(store, 1, [0, 0], 100).len(), 4);
    assert_eq!(counts_between(store, 1, [1, 9], 100).len(), 1);
    assert_eq!(counts_between(store, 1, [0, 9], 2).len(), 2);
    let refused = store.change(move |tx| {
        tx.insert_events(&[opened(project, 1)])?;
        Err::<(), _>(crate::probe_rows::refusal())
    });
    assert!(refused.wait().is_err());
    assert_eq!(counts(store, 1).len(), 5);
    assert_eq!(counts(store, 1)[1].4, 2);
}

pub(super) fn e31_contributions_follow_a_change_of_audience(harness: &mut AreaHarness<Events>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let of = |id, user| about(entry(project, user), Action::Created, TargetType::Issue, id);
    let reopened = about(entry(project, 1), Action::Reopened, TargetType::Issue, 5);
    write(
        store,
        vec![of(5, 1), of(5, 1), of(6, 1), of(5, 2), reopened],
    );
    let (everyone, reporters) = (Audience::Everyone, Audience::Reporters);
    for (audience, expected) in [
        (
            reporters,
            vec![
                (day(0), project, everyone, false, 1),
                (day(0), project, reporters, false, 2),
            ],
        ),
        (everyone, vec![(day(0), project, everyone, false, 3)]),
        (everyone, vec![(day(0), project, everyone, false, 3)]),
    ] {
        let moved =
            store.change(move |tx| tx.change_audience(project, TargetType::Issue, &[5], audience));
        moved.wait().unwrap();
        assert_eq!(counts(store, 1), expected);
        assert_eq!(counts(store, 2), [(day(0), project, audience, false, 1)]);
    }
}

pub(super) fn e32_contributions_are_deleted_with_their_user_their_project_and_old_entries(
    harness: &mut AreaHarness<Events>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let of = |of, user, number| {
        let new = about(entry(of, user), Action::Closed, TargetType::Issue, 1);
        at(new, number)
    };
    let all = vec![
        of(project, 1, 0),
        of(project, 1, 3),
        of(other, 1, 0),
        of(other, 2, 3),
    ];
    write(store, all);
    let old = store.change(move |tx| tx.delete_events_before(project, day(3).start(), 100));
    old.wait().unwrap();
    let everyone = Audience::Everyone;
    let left = [
        (day(3), project, everyone, false, 1),
        (day(0), other, everyone, false, 1),
    ];
    assert_eq!(counts(store, 1), left);
    let step = || {
        store
            .change(move |tx| tx.delete_events_of(project, 2))
            .wait()
            .unwrap()
    };
    while step() > 0 {}
    assert_eq!(counts(store, 1), left[1..]);
    let release = || {
        let successor = Some(UserId::new(9));
        let released = store.change(move |tx| tx.release_events_of(UserId::new(1), successor, 2));
        released.wait().unwrap()
    };
    while release() > 0 {}
    assert_eq!(counts(store, 1), []);
    assert_eq!(counts(store, 2), [(day(3), other, everyone, false, 1)]);
}
