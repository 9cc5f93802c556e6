//! Overrides of schedules.

use ::notifications::model::{NewOverride, ScheduleOverride};
use api_conventions::ids::{OverrideId, ScheduleId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert_override, insert_schedules};
use crate::areas::{AreaHarness, OnCall};
use crate::samples::timestamp;

pub(super) fn m89_an_override_is_found_in_its_schedule_and_deleted_once(
    harness: &mut AreaHarness<OnCall>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [schedule, foreign] = insert_schedules(store, [(project, "a"), (other, "b")]);
    let done = store.change(move |tx| {
        let first = insert_override(tx, schedule, 10)?;
        let content = NewOverride {
            schedule_id: schedule,
            user_id: UserId::new(i64::MAX),
            from: Timestamp::MIN,
            until: Timestamp::MAX,
            created_by: UserId::new(1),
            created_at: Timestamp::MAX,
        };
        let id = tx.insert_override(&content)?;
        assert!(id > first.id, "{id}");
        let second = ScheduleOverride { id, content };
        for one in [first, second] {
            assert_eq!(tx.find_override(schedule, one.id)?, Some(one));
            assert_eq!(tx.find_override(foreign, one.id)?, None);
        }
        let unknown = OverrideId::new(i64::MAX);
        assert_eq!(tx.find_override(schedule, unknown)?, None);
        for (schedule, id, is_deleted) in [
            (foreign, first.id, false),
            (schedule, unknown, false),
            (schedule, first.id, true),
            (schedule, first.id, false),
        ] {
            assert_eq!(tx.delete_override(schedule, id)?, is_deleted);
        }
        assert_eq!(tx.find_override(schedule, first.id)?, None);
        assert_eq!(tx.find_override(schedule, second.id)?, Some(second));
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m90_overrides_that_end_after_a_time_are_listed_the_newest_first(
    harness: &mut AreaHarness<OnCall>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second, foreign] =
        insert_schedules(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        let mut all = Vec::new();
        for (schedule, until) in [
            (first, 30),
            (second, 20),
            (first, 10),
            (foreign, 40),
            (first, 20),
        ] {
            all.push(insert_override(tx, schedule, until)?);
        }
        let unknown = ScheduleId::new(i64::MAX);
        for (schedules, time, limit, expected) in [
            (vec![first], 0, 9, vec![4, 2, 0]),
            (vec![first], 0, 2, vec![4, 2]),
            (vec![first], 10, 9, vec![4, 0]),
            (vec![first], 20, 9, vec![0]),
            (vec![first], 30, 9, vec![]),
            (vec![unknown, second, first, second], 9, 9, vec![4, 2, 1, 0]),
            (vec![first, second], 10, 0, vec![]),
            (vec![foreign], 39, 9, vec![3]),
            (vec![], 0, 9, vec![]),
        ] {
            let listed = tx.list_overrides(&schedules, timestamp(time), limit)?;
            let expected: Vec<ScheduleOverride> =
                expected.iter().map(|n: &usize| all[*n]).collect();
            assert_eq!(listed, expected, "{schedules:?} {time} {limit}");
        }
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m91_overrides_that_ended_before_a_time_are_deleted(
    harness: &mut AreaHarness<OnCall>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let schedules = insert_schedules(store, [(project, "a"), (other, "b")]);
    let done = store.change(move |tx| {
        let [first, second] = schedules;
        for (schedule, until) in [(first, 40), (second, 20), (first, 30), (second, 10)] {
            insert_override(tx, schedule, until)?;
        }
        assert_eq!(tx.delete_overrides_before(timestamp(10), 9)?, 0);
        assert_eq!(tx.delete_overrides_before(timestamp(40), 0)?, 0);
        let counts = [2, 2, 2].map(|limit| tx.delete_overrides_before(timestamp(40), limit));
        let ends: Vec<Timestamp> = tx
            .list_overrides(&schedules, Timestamp::MIN, 9)?
            .iter()
            .map(|one| one.content.until)
            .collect();
        // An override that ended at that very time stays.
        assert_eq!(ends, [timestamp(40)]);
        assert_eq!(counts.map(Result::unwrap), [2, 1, 0]);
        Ok(())
    });
    done.wait().unwrap();
}
