//! Changes, lists and locks of schedules.

use ::notifications::store::SaveSchedule;
use api_conventions::ids::{ProjectId, ScheduleId};
use storage::StoreExt as _;

use super::{insert_schedules, schedule, settings};
use crate::areas::{AreaHarness, OnCall};
use crate::samples::{race, timestamp};

/// Threads that change a schedule at the same time, and the changes of each.
const THREADS: usize = 4;
const ROUNDS: usize = 5;

pub(super) fn m86_a_taken_name_of_a_schedule_is_refused_and_changes_nothing(
    harness: &mut AreaHarness<OnCall>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [_, second, _] = insert_schedules(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        let before = tx.list_schedules(project, 9)?;
        let unknown = ScheduleId::new(i64::MAX);
        for (project, id, name, expected) in [
            (project, second, "a", SaveSchedule::NameTaken),
            (other, second, "d", SaveSchedule::NotFound),
            (project, unknown, "a", SaveSchedule::NotFound),
            (project, unknown, "d", SaveSchedule::NotFound),
        ] {
            let saved = tx.update_schedule(project, id, &settings(name), timestamp(5))?;
            assert_eq!(saved, expected, "{name}");
        }
        let saved = tx.insert_schedule(&schedule(project, "b"))?;
        assert_eq!(saved, SaveSchedule::NameTaken);
        assert_eq!(tx.list_schedules(project, 9)?, before);
        // Free are the name of the schedule itself, one that differs in case, and one of another project.
        for name in ["b", "A", "c"] {
            let saved = tx.update_schedule(project, second, &settings(name), timestamp(5))?;
            assert!(matches!(saved, SaveSchedule::Saved(_)), "{name}");
        }
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m87_schedules_of_a_project_are_listed_in_the_order_of_their_ids(
    harness: &mut AreaHarness<OnCall>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let ids = insert_schedules(store, [(project, "z"), (other, "y"), (project, "x")]);
    let list = |project, limit| {
        let listed = store.query(move |tx| tx.list_schedules(project, limit));
        let listed = listed.wait().unwrap();
        listed.iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(list(project, 9), [ids[0], ids[2]]);
    assert_eq!(list(project, 1), [ids[0]]);
    assert_eq!(list(project, 0), []);
    assert_eq!(list(other, 9), [ids[1]]);
    assert_eq!(list(ProjectId::new(i64::MAX), 9), []);
}

pub(super) fn m88_a_locked_schedule_is_not_changed_by_others(harness: &mut AreaHarness<OnCall>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [id] = insert_schedules(store, [(project, "a")]);
    race(THREADS, |_| {
        for _ in 0..ROUNDS {
            let changed = store.change(move |tx| {
                let Some(locked) = tx.lock_schedule(project, id)? else {
                    return Ok(());
                };
                let mut settings = locked.settings;
                settings.turn_weeks += 1;
                tx.update_schedule(project, id, &settings, timestamp(5))
                    .map(drop)
            });
            changed.wait().unwrap();
        }
    });
    let done = store.change(move |tx| {
        let found = tx.find_schedule(project, id)?;
        assert_eq!(tx.lock_schedule(project, id)?, found);
        assert_eq!(tx.find_schedule(project, id)?, found);
        assert_eq!(tx.lock_schedule(other, id)?, None);
        let unknown = ScheduleId::new(i64::MAX);
        assert_eq!(tx.lock_schedule(project, unknown)?, None);
        Ok(found.map(|found| found.settings.turn_weeks))
    });
    let weeks = settings("a").turn_weeks as usize + THREADS * ROUNDS;
    let found = done.wait().unwrap().unwrap();
    assert_eq!(usize::try_from(found), Ok(weeks));
}
