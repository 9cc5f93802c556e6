//! Changes of errors by arriving events.

use std::collections::BTreeMap;

use api_conventions::ids::{IssueId, ProjectId, UserId};
use error_tracking::flow::collect::{CollectOutcome, ErrorChangeKind};
use error_tracking::model::{ArrivingEvent, ErrorFacts, ErrorState, Level, TrackedError};
use error_tracking::rules::status::{Resolution, Status};
use error_tracking::store::{ErrorProgress, ErrorWriteTx};
use storage::{StoreError, StoreExt as _};

use super::{
    collect_deliveries, delivery, error, event_of, facts, find, find_known, insert, mark,
    new_error, progress, stored_numbers,
};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, page, race, timestamp};

/// Applies a step to the only error of a project, and returns the error.
fn advance(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
    change: impl FnOnce(&mut ErrorProgress),
) -> Result<TrackedError, StoreError> {
    let known = tx.list_known_errors(&[(project, super::key(1))])?.remove(0);
    let mut step = progress(&known);
    change(&mut step);
    tx.advance_errors(&[step])?;
    let found = tx.find_error_by_id(known.error_id)?;
    Ok(found.expect("the error exists"))
}

pub(super) fn t50_events_add_to_the_counts_of_an_error_and_set_its_facts(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        let created = insert(tx, vec![new_error(project, 1), new_error(project, 2)])?;
        let beside = tx.find_error_by_id(created[1].error_id)?;
        let before = tx
            .find_error_by_id(created[0].error_id)?
            .expect("the row exists");
        let latest_facts = ErrorFacts {
            title: HOSTILE.to_owned(),
            culprit: String::new(),
            location: None,
            level: Level::Warning,
            platform: "other".to_owned(),
        };
        let facts_now = latest_facts.clone();
        let first = advance(tx, project, |step| {
            (step.events, step.users) = (3, 2);
            step.facts = facts_now;
            step.last_seen = timestamp(9);
        })?;
        let expected = TrackedError {
            events: 3,
            users: 2,
            facts: latest_facts,
            last_seen: timestamp(9),
            ..before
        };
        assert_eq!(first, expected);
        // The clock was set back: the facts are updated, the time stays. The first release is set.
        let second = advance(tx, project, |step| {
            (step.events, step.users) = (i64::from(u32::MAX), 0);
            step.first_release = Some("web@2".to_owned());
            step.release = Some("web@1".to_owned());
            step.last_seen = timestamp(-9);
        })?;
        let expected = TrackedError {
            events: 3 + i64::from(u32::MAX),
            facts: facts("Error 1"),
            first_release: Some("web@2".to_owned()),
            last_release: Some("web@1".to_owned()),
            ..expected
        };
        assert_eq!(second, expected);
        // A step without a release changes neither release, a later release only the last one.
        assert_eq!(advance(tx, project, |_| {})?, expected);
        let last = advance(tx, project, |step| {
            step.first_release = Some("web@3".to_owned());
            step.release = Some(HOSTILE.to_owned());
        })?;
        let expected = TrackedError {
            last_release: Some(HOSTILE.to_owned()),
            ..expected
        };
        assert_eq!(last, expected);
        assert_eq!(tx.find_error_by_id(created[1].error_id)?, beside);
        Ok(())
    });
    written.wait().unwrap();
    let known = find_known(store, project, 1);
    assert_eq!((known.events, known.users), (3 + i64::from(u32::MAX), 2));
}

pub(super) fn t51_an_error_that_is_back_is_unresolved(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let written = harness.store().change(move |tx| {
        let iid = insert(tx, vec![new_error(project, 1)])?[0].iid;
        let resolved = ErrorState {
            status: Status::Resolved(Resolution::Now),
            assignee_id: Some(UserId::new(7)),
            issue_id: Some(IssueId::new(8)),
        };
        let locked = tx.lock_error(project, iid)?.expect("the row exists");
        tx.update_error(locked, &resolved)?;
        let before = advance(tx, project, |step| step.events = 1)?;
        assert_eq!((&before.state, before.regressed_at), (&resolved, None));
        let back = advance(tx, project, |step| {
            step.reopens = true;
            step.regressed_at = Some(timestamp(5));
        })?;
        let expected = TrackedError {
            state: ErrorState {
                status: Status::Unresolved,
                ..resolved
            },
            regressed_at: Some(timestamp(5)),
            ..before
        };
        assert_eq!(back, expected);
        // Later events leave it unchanged.
        assert_eq!(advance(tx, project, |_| {})?, expected);
        let ignored_enough = advance(tx, project, |step| step.reopens = true)?;
        assert_eq!(ignored_enough, expected);
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn t52_hundreds_of_events_are_written_at_once(harness: &mut AreaHarness<Errors>) {
    const EVENTS: u32 = 600;
    const KEYS: u32 = 150;
    let [project, _] = harness.places();
    let store = harness.store();
    let tags = |number: u32| {
        // Some values of a name are frequent, and every error has fewer than a hundred values of a name.
        let tags = (0..5).map(|name| (format!("name {name}"), format!("value {}", number % 7)));
        tags.collect()
    };
    let events: Vec<ArrivingEvent> = (0..EVENTS)
        .map(|number| ArrivingEvent {
            tags: tags(number),
            ..event_of(number, number % KEYS, number % 3, &format!("web@{number}"))
        })
        .collect();
    let half = events.len() / 2;
    let deliveries: Vec<_> = events
        .chunks(10)
        .map(|events| delivery(project, events.to_vec()))
        .collect();
    let all = collect_deliveries(store, &deliveries);
    assert_eq!(all.iter().map(|one| one.stored).sum::<usize>(), 2 * half);
    assert_eq!(stored_numbers(store, project, 0..EVENTS).len(), 2 * half);
    let read = store.change(move |tx| {
        let keys: Vec<_> = (0..KEYS)
            .map(|number| (project, super::key(number)))
            .collect();
        let known = tx.list_known_errors(&keys)?;
        assert_eq!(known.len(), keys.len());
        for one in known {
            let counts = (one.events, one.key_events, one.key_kept);
            assert_eq!(counts, (4, 4, 4));
            assert_eq!(
                tx.list_error_events(one.error_id, page(1, 20))?.items.len(),
                4
            );
            let tags = tx.list_error_tags(one.error_id, 100)?;
            let mut sums: BTreeMap<String, i64> = BTreeMap::new();
            for tag in tags {
                *sums.entry(tag.name).or_default() += tag.events;
            }
            assert_eq!(sums.into_values().collect::<Vec<i64>>(), [4; 5]);
        }
        assert_eq!(tx.list_releases(project, 1000)?.len(), 2 * half);
        Ok(())
    });
    read.wait().unwrap();
}

pub(super) fn t53_concurrent_collectors_of_one_group_key_create_one_error(
    harness: &mut AreaHarness<Errors>,
) {
    const RACERS: u32 = 6;
    const ROUNDS: u32 = 8;
    let [project, _] = harness.places();
    let store = harness.store();
    let outcomes: Vec<CollectOutcome> = race(usize::try_from(RACERS).unwrap(), |racer| {
        let racer = u32::try_from(racer).unwrap();
        let send = |round: u32| {
            // Each thread has an event of its own, and all threads share one.
            let own = ArrivingEvent {
                tags: vec![("round".to_owned(), round.to_string())],
                ..event_of(100 + round * RACERS + racer, 7, racer, "web@1")
            };
            let same = event_of(round, 7, RACERS, "web@1");
            collect_deliveries(store, &[delivery(project, vec![own, same])])
        };
        (0..ROUNDS).flat_map(send).collect::<Vec<_>>()
    })
    .concat();
    let of_racers = usize::try_from(RACERS * ROUNDS).unwrap();
    let of_all = usize::try_from(ROUNDS).unwrap();
    let sum = |count: fn(&CollectOutcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    assert_eq!(sum(|one| one.stored), of_racers + of_all);
    assert_eq!(sum(|one| one.duplicates), of_racers - of_all);
    let kinds: Vec<_> = outcomes.iter().flat_map(|one| &one.changes).collect();
    assert_eq!(kinds.len(), 1, "{kinds:?}");
    assert_eq!(kinds[0].kind, ErrorChangeKind::Appeared);
    assert_eq!(find(store, project, 2), None);
    let found = error(store, project, 1);
    let events = i64::try_from(of_racers + of_all).unwrap();
    assert_eq!((found.events, found.users), (events, i64::from(RACERS) + 1));
    let known = find_known(store, project, 7);
    assert_eq!((known.key_events, known.key_kept), (events, events));
    let read = store.change(move |tx| {
        let seen = (known.key_id, mark(RACERS));
        assert_eq!(tx.insert_error_users(&[seen])?, []);
        let tags = tx.list_error_tags(known.error_id, 100)?;
        let counts: Vec<i64> = tags.iter().map(|tag| tag.events).collect();
        assert_eq!(counts, vec![i64::from(RACERS); of_all]);
        Ok(())
    });
    read.wait().unwrap();
}
