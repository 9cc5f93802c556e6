//! Deletion of channels and messages, and restarts of the store.

use ::notifications::model::{ChannelLane, MessageState};
use api_conventions::ids::{MessageId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::attempts::attempt;
use super::{insert_channels, insert_messages, list, message, set_states};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::timestamp;

pub(super) fn m60_messages_that_ended_before_a_time_are_deleted_with_their_attempts(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    let done = store.change(move |tx| {
        let new = [1, 2, 3, 4, 5, 6].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        for (place, state, second) in [
            (3, MessageState::Sent, 10),
            (1, MessageState::Failed, 11),
            (0, MessageState::Cancelled, 12),
            (2, MessageState::Dropped, 13),
            (4, MessageState::Sending, 0),
        ] {
            set_states(tx, &[(ids[place], state)], second)?;
        }
        for message in &ids {
            tx.insert_attempt(&attempt(*message, 1, 1))?;
            tx.insert_attempt(&attempt(*message, 2, 1))?;
        }
        assert_eq!(tx.delete_messages_before(timestamp(10), 9)?, 0);
        assert_eq!(tx.delete_messages_before(timestamp(13), 0)?, 0);
        assert_eq!(tx.delete_messages_before(timestamp(13), 2)?, 2);
        let listed = list(tx, project, 9)?;
        let left: Vec<MessageId> = listed.iter().rev().map(|one| one.id).collect();
        // The messages that ended first go first.
        assert_eq!(left, [ids[0], ids[2], ids[4], ids[5]]);
        assert_eq!(tx.list_attempts(&ids)?.len(), 8);
        // Messages that ended at that very time, or not at all, stay.
        assert_eq!(tx.delete_messages_before(timestamp(13), 2)?, 1);
        assert_eq!(tx.delete_messages_before(timestamp(13), 2)?, 0);
        assert_eq!(tx.delete_messages_before(Timestamp::MAX, 9)?, 1);
        assert_eq!(list(tx, project, 9)?.len(), 2);
        assert_eq!(tx.list_attempts(&ids)?.len(), 4);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m61_a_deleted_channel_leaves_its_messages(harness: &mut AreaHarness<Notifications>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    let done = store.change(move |tx| {
        let new = [1, 2].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        tx.insert_attempt(&attempt(ids[0], 1, 1))?;
        let before = list(tx, project, 9)?;
        assert!(tx.delete_channel(project.into(), id)?);
        assert_eq!(list(tx, project, 9)?, before);
        assert_eq!(tx.list_attempts(&ids)?, [attempt(ids[0], 1, 1)]);
        let closed =
            tx.close_messages(id, Timestamp::MAX, MessageState::Cancelled, timestamp(3))?;
        assert_eq!(closed, 2);
        assert_eq!(tx.list_due_channels(Timestamp::MAX, 9)?, []);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m62_a_project_that_goes_takes_its_notifications_step_by_step(
    harness: &mut AreaHarness<Notifications>,
) {
    const STEP: usize = 2;
    let [project, other] = harness.places();
    let store = harness.store();
    let channels = [(project, "a"), (project, "b"), (project, "c"), (other, "a")];
    let [first, deleted, _, foreign] = insert_channels(store, channels);
    let written = store.change(move |tx| {
        let new = [first, first, deleted].map(|channel| message(project, channel, 1));
        let ids = insert_messages(tx, project, &new)?;
        let kept = insert_messages(tx, other, &[message(other, foreign, 1)])?[0];
        for message in [ids[0], ids[1], kept] {
            tx.insert_attempt(&attempt(message, 1, 1))?;
        }
        tx.delete_channel(project.into(), deleted)?;
        Ok((ids, kept))
    });
    let (ids, kept) = written.wait().unwrap();
    let mut steps = Vec::new();
    loop {
        let step = store.change(move |tx| tx.delete_notifications_of(project, STEP));
        let step = step.wait().unwrap();
        assert!(step <= STEP, "{step}");
        if step == 0 {
            break;
        }
        steps.push(step);
    }
    // Two channels and three messages.
    assert_eq!(steps, [2, 2, 1]);
    let left = store.query(move |tx| {
        assert_eq!(tx.list_channels(&[project], 9)?, []);
        assert_eq!(list(tx, project, 9)?, []);
        assert_eq!(tx.list_attempts(&ids)?, []);
        assert_eq!(tx.list_channels(&[other], 9)?.len(), 1);
        assert_eq!(list(tx, other, 9)?.len(), 1);
        assert_eq!(tx.list_attempts(&[kept])?.len(), 1);
        Ok(())
    });
    left.wait().unwrap();
    let none = store.change(|tx| tx.delete_notifications_of(ProjectId::new(i64::MAX), STEP));
    assert_eq!(none.wait().unwrap(), 0);
}

pub(super) fn m63_notifications_outlive_the_store(harness: &mut AreaHarness<Notifications>) {
    let [project, _] = harness.places();
    let [id] = insert_channels(harness.store(), [(project, "a")]);
    let written = harness.store().change(move |tx| {
        let lane = ChannelLane {
            due_at: Some(timestamp(5)),
            is_waiting: false,
            failures: 1,
            dropped: 2,
        };
        tx.set_lane(id, &lane)?;
        let new = [1, 2].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        tx.insert_attempt(&attempt(ids[0], 1, 1))?;
        Ok(ids)
    });
    let ids = written.wait().unwrap();
    let rows = |store: &Notifications| {
        let ids = ids.clone();
        let rows = store.query(move |tx| {
            let channels = tx.list_channels(&[project], 9)?;
            Ok((channels, list(tx, project, 9)?, tx.list_attempts(&ids)?))
        });
        rows.wait().unwrap()
    };
    let before = rows(harness.store());
    assert_eq!((before.0.len(), before.1.len(), before.2.len()), (1, 2, 1));
    harness.reopen();
    assert_eq!(rows(harness.store()), before);
    let [next] = insert_channels(harness.store(), [(project, "b")]);
    let next_message = harness.store().change(move |tx| {
        let new = [message(project, id, 3)];
        Ok(insert_messages(tx, project, &new)?[0])
    });
    assert!(next > id && next_message.wait().unwrap() > ids[1]);
}
