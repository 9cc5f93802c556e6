//! Deletion of schedules, and restarts of the store.

use api_conventions::ids::{ProjectId, ScheduleId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert_override, insert_schedules};
use crate::areas::{AreaHarness, OnCall};

pub(super) fn m92_schedules_take_their_overrides_with_them(harness: &mut AreaHarness<OnCall>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let ids = insert_schedules(
        store,
        [
            (project, "a"),
            (project, "b"),
            (project, "c"),
            (project, "d"),
            (other, "a"),
        ],
    );
    let done = store.change(move |tx| {
        for id in ids {
            insert_override(tx, id, 10)?;
            insert_override(tx, id, 20)?;
        }
        let left = |listed: Vec<_>| -> Vec<ScheduleId> {
            let of = |one: &::notifications::model::ScheduleOverride| one.content.schedule_id;
            listed.iter().map(of).collect()
        };
        assert!(tx.delete_schedule(project, ids[3])?);
        let listed = left(tx.list_overrides(&ids, Timestamp::MIN, 99)?);
        assert!(listed.len() == 8 && !listed.contains(&ids[3]), "{listed:?}");
        let counts = [2, 2, 2].map(|limit| tx.delete_schedules_of(project, limit));
        assert_eq!(counts.map(Result::unwrap), [2, 1, 0]);
        assert_eq!(tx.list_schedules(project, 9)?, []);
        let listed = left(tx.list_overrides(&ids, Timestamp::MIN, 99)?);
        assert_eq!(listed, [ids[4], ids[4]]);
        assert_eq!(tx.list_schedules(other, 9)?.len(), 1);
        assert_eq!(tx.delete_schedules_of(ProjectId::new(i64::MAX), 2)?, 0);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m93_schedules_outlive_the_store(harness: &mut AreaHarness<OnCall>) {
    let [project, _] = harness.places();
    let [id, last] = insert_schedules(harness.store(), [(project, "a"), (project, "b")]);
    let written = harness.store().change(move |tx| {
        tx.delete_schedule(project, last)?;
        let kept = insert_override(tx, id, 10)?;
        let deleted = insert_override(tx, id, 20)?;
        tx.delete_override(id, deleted.id)?;
        Ok((kept, deleted.id))
    });
    let (kept, deleted) = written.wait().unwrap();
    let rows = |store: &OnCall| {
        let rows = store.query(move |tx| {
            let overrides = tx.list_overrides(&[id], Timestamp::MIN, 9)?;
            Ok((tx.list_schedules(project, 9)?, overrides))
        });
        rows.wait().unwrap()
    };
    let before = rows(harness.store());
    assert_eq!((before.0.len(), &before.1), (1, &vec![kept]));
    harness.reopen();
    assert_eq!(rows(harness.store()), before);
    let [next] = insert_schedules(harness.store(), [(project, "c")]);
    let next_override = harness.store().change(move |tx| insert_override(tx, id, 5));
    assert!(next > last && next_override.wait().unwrap().id > deleted);
}
