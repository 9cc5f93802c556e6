//! Attempts to deliver messages.

use ::notifications::model::{AttemptOutcome, DeliveryAttempt};
use api_conventions::ids::MessageId;
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
            tx.insert_attempt(&all[place])?;
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
        tx.insert_attempt(&attempt(message, 1, 1))?;
        tx.insert_attempt(&attempt(MessageId::new(i64::MAX), 1, 1))?;
        assert_eq!(tx.list_attempts(&[MessageId::new(i64::MAX)])?, []);
        Ok(message)
    });
    let message = inserted.wait().unwrap();
    let again = store.change(move |tx| tx.insert_attempt(&attempt(message, 1, 2)));
    let refused = again.wait().unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Conflict);
    let listed = store.query(move |tx| tx.list_attempts(&[message]));
    assert_eq!(listed.wait().unwrap(), [attempt(message, 1, 1)]);
}
