//! Attempts to deliver messages.

use ::notifications::model::{AttemptOutcome, DeliveryAttempt};
use api_conventions::ids::{ChannelId, MessageId};
use api_conventions::time::Timestamp;
use storage::{StoreErrorKind, StoreExt as _};

use super::{insert_channels, insert_messages, message};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::{HOSTILE, timestamp};

/// An attempt that ended at a second.
pub(super) fn attempt(message_id: MessageId, number: u32, second: i64) -> DeliveryAttempt {
    DeliveryAttempt {
        message_id,
        number,
        at: timestamp(second),
        millis: 5,
        outcome: AttemptOutcome::Failed,
        status: Some(503),
        detail: "unavailable".to_owned(),
    }
}

pub(super) fn m50_attempts_come_back_in_the_order_of_messages_and_numbers(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        let new = [id, other, id].map(|channel| message(project, channel, 1));
        let ids = insert_messages(tx, project, &new)?;
        let edge = |number, outcome, status, at| DeliveryAttempt {
            at,
            millis: u32::MAX,
            outcome,
            status,
            detail: HOSTILE.repeat(9),
            ..attempt(ids[0], number, 0)
        };
        let all = [
            edge(1, AttemptOutcome::Delivered, None, Timestamp::MAX),
            edge(2, AttemptOutcome::Rejected, Some(0), Timestamp::MIN),
            edge(u32::MAX, AttemptOutcome::Gone, Some(u16::MAX), timestamp(1)),
            attempt(ids[1], 1, 9),
            attempt(ids[2], 1, 2),
        ];
        for place in [4, 2, 0, 3, 1] {
            let channel = if place == 3 { other } else { id };
            tx.insert_attempt(channel, &all[place])?;
        }
        assert_eq!(tx.list_attempts(&ids)?, all);
        let some = [ids[2], ids[0], MessageId::new(i64::MAX), ids[2]];
        let mut expected = all.to_vec();
        expected.remove(3);
        assert_eq!(tx.list_attempts(&some)?, expected);
        assert_eq!(tx.list_attempts(&[])?, []);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m51_an_attempt_has_a_number_of_its_own_and_a_message(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    let inserted = store.change(move |tx| {
        let new = [message(project, id, 1)];
        let message = insert_messages(tx, project, &new)?[0];
        tx.insert_attempt(id, &attempt(message, 1, 1))?;
        tx.insert_attempt(id, &attempt(MessageId::new(i64::MAX), 1, 1))?;
        assert_eq!(tx.list_attempts(&[MessageId::new(i64::MAX)])?, []);
        assert_eq!(tx.find_last_attempt(id)?, Some(attempt(message, 1, 1)));
        Ok(message)
    });
    let message = inserted.wait().unwrap();
    let again = store.change(move |tx| tx.insert_attempt(id, &attempt(message, 1, 2)));
    let refused = again.wait().unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Conflict);
    let listed = store.query(move |tx| tx.list_attempts(&[message]));
    assert_eq!(listed.wait().unwrap(), [attempt(message, 1, 1)]);
}

pub(super) fn m52_the_last_attempt_of_a_channel_is_found(harness: &mut AreaHarness<Notifications>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        assert_eq!(tx.find_last_attempt(id)?, None);
        let new = [1, 2].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        // The clock was set back in between.
        for (message, number, second) in [(0, 1, 90), (0, 2, 80), (1, 1, 20), (1, 2, 10)] {
            let last = attempt(ids[message], number, second);
            tx.insert_attempt(id, &last)?;
            assert_eq!(tx.find_last_attempt(id)?, Some(last));
        }
        tx.insert_attempt(id, &attempt(ids[0], 3, 99))?;
        assert_eq!(tx.find_last_attempt(id)?, Some(attempt(ids[1], 2, 10)));
        assert_eq!(tx.find_last_attempt(other)?, None);
        assert_eq!(tx.find_last_attempt(ChannelId::new(i64::MAX))?, None);
        Ok(())
    });
    done.wait().unwrap();
}
