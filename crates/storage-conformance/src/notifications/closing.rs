//! Messages that end before they are sent.

use ::notifications::model::{MessageState, MessageSubject, NewMessage};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{alert, incident, insert_channels, insert_messages, list, message, set_states, states};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::timestamp;
use MessageState::{Cancelled, Dropped, Failed, Queued, Sending, Sent, Silenced};

pub(super) fn m40_queued_messages_of_a_channel_are_closed_up_to_a_time(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [id, foreign] = insert_channels(store, [(project, "a"), (other, "b")]);
    let done = store.change(move |tx| {
        let new = [1, 2, 3, 1, 2, 9].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        tx.insert_messages(&[message(other, foreign, 1)])?;
        set_states(tx, &[(ids[3], Sending), (ids[4], Sent)], 4)?;
        let mut close = |until, state| tx.close_messages(id, until, state, timestamp(7));
        assert_eq!(close(Timestamp::MIN, Dropped)?, 0);
        assert_eq!(close(timestamp(2), Dropped)?, 2);
        assert_eq!(close(timestamp(2), Cancelled)?, 0);
        let expected = [Dropped, Dropped, Queued, Sending, Sent, Queued];
        assert_eq!(states(tx, project)?, expected);
        let closed = tx.close_messages(id, Timestamp::MAX, Cancelled, timestamp(8))?;
        assert_eq!(closed, 2);
        let listed = list(tx, project, 9)?;
        let ends = listed
            .iter()
            .map(|one| (one.state, one.attempts, one.finished_at));
        let expected = [
            (Cancelled, 0, Some(timestamp(8))),
            (Sent, 1, Some(timestamp(4))),
            (Sending, 1, None),
            (Cancelled, 0, Some(timestamp(8))),
            (Dropped, 0, Some(timestamp(7))),
            (Dropped, 0, Some(timestamp(7))),
        ];
        assert_eq!(ends.collect::<Vec<_>>(), expected);
        assert_eq!(states(tx, other)?, [Queued]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m41_queued_messages_about_subjects_are_closed(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second, foreign] =
        insert_channels(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        let about = |channel, subject| NewMessage {
            subject,
            ..message(project, channel, 1)
        };
        let new = [
            about(first, alert(1)),
            about(second, alert(1)),
            about(first, incident(1)),
            about(first, alert(2)),
            about(first, MessageSubject::NONE),
            about(first, alert(1)),
            about(first, alert(1)),
            about(second, alert(1)),
            about(first, incident(3)),
        ];
        let ids = insert_messages(tx, project, &new)?;
        tx.insert_messages(&[message(other, foreign, 1)])?;
        set_states(
            tx,
            &[(ids[5], Sending), (ids[6], Failed), (ids[7], Queued)],
            4,
        )?;
        tx.close_messages_about(&[], Cancelled, timestamp(7))?;
        tx.close_messages_about(&[MessageSubject::NONE, alert(99)], Cancelled, timestamp(7))?;
        let before = [
            Queued, Queued, Queued, Queued, Queued, Sending, Failed, Queued, Queued,
        ];
        assert_eq!(states(tx, project)?, before);
        let subjects = [incident(3), alert(1), alert(1)];
        tx.close_messages_about(&subjects, Silenced, timestamp(7))?;
        let after = [
            Silenced, Silenced, Queued, Queued, Queued, Sending, Failed, Silenced, Silenced,
        ];
        assert_eq!(states(tx, project)?, after);
        // Subjects are those of the whole store.
        assert_eq!(states(tx, other)?, [Silenced]);
        let listed = list(tx, project, 9)?;
        for one in listed.iter().filter(|one| one.state == Silenced) {
            assert_eq!(one.finished_at, Some(timestamp(7)));
        }
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m42_messages_about_thousands_of_subjects_are_closed_at_once(
    harness: &mut AreaHarness<Notifications>,
) {
    const MANY: i64 = 5_000;
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    let done = store.change(move |tx| {
        let new: Vec<NewMessage> = (1..=MANY)
            .map(|second| message(project, id, second))
            .collect();
        tx.insert_messages(&new)?;
        let subjects: Vec<MessageSubject> = (2..=MANY * 2).map(alert).collect();
        tx.close_messages_about(&subjects, Cancelled, timestamp(7))?;
        assert_eq!(tx.list_attempted_messages(&subjects)?, []);
        let listed = list(tx, project, usize::MAX)?;
        let queued = listed.iter().filter(|one| one.state == Queued);
        let queued: Vec<i64> = queued.map(|one| one.subject.id).collect();
        assert_eq!(queued, [1]);
        Ok(())
    });
    done.wait().unwrap();
}
