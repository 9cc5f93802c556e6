//! Messages of the outbox.

use ::notifications::model::{
    ChannelLane, ChannelOwner, MessageFilter, MessageScope, MessageState, NewMessage,
};
use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert_channels, insert_messages, list, message, set_states};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::timestamp;

pub(super) fn m33_messages_are_listed_the_newest_first_up_to_an_id(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second, foreign] =
        insert_channels(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        // The times are in another order than the ids.
        let new = [
            message(project, second, 9),
            message(project, first, 1),
            message(project, second, 5),
            message(project, first, 5),
        ];
        let ids = insert_messages(tx, project, &new)?;
        tx.insert_messages(&[message(other, foreign, 7)])?;
        let expected = new.iter().zip(&ids).rev();
        let expected: Vec<_> = expected.map(|(new, id)| new.stored(*id)).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        let filter = |channel: Option<ChannelId>, before| MessageFilter {
            scope: channel.map_or(MessageScope::Project(project), |id| {
                MessageScope::Channel(project.into(), id)
            }),
            before,
        };
        let all = filter(None, None);
        assert_eq!(tx.list_messages(&all, 9)?, expected);
        assert_eq!(tx.list_messages(&all, 3)?, expected[..3]);
        assert_eq!(tx.list_messages(&all, 0)?, []);
        let before = filter(None, Some(ids[2]));
        assert_eq!(tx.list_messages(&before, 9)?, expected[2..]);
        let of_channel = [expected[1].clone(), expected[3].clone()];
        let channel = filter(Some(second), None);
        assert_eq!(tx.list_messages(&channel, 9)?, of_channel);
        let before = filter(Some(second), Some(ids[2]));
        assert_eq!(tx.list_messages(&before, 9)?, of_channel[1..]);
        for owner in [ChannelOwner::Project(other), ChannelOwner::Server] {
            let foreign = MessageFilter {
                scope: MessageScope::Channel(owner, second),
                before: None,
            };
            assert_eq!(tx.list_messages(&foreign, 9)?, []);
        }
        assert_eq!(list(tx, ProjectId::new(i64::MAX), 9)?, []);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m34_messages_make_their_channels_due_unless_they_are(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second, third] =
        insert_channels(store, [(project, "a"), (project, "b"), (other, "c")]);
    let done = store.change(move |tx| {
        let lane = ChannelLane {
            due_at: Some(Timestamp::MAX),
            is_waiting: false,
            failures: 1,
            dropped: 2,
        };
        tx.set_lane(third, &lane)?;
        tx.insert_messages(&[])?;
        assert_eq!(tx.list_due_channels(timestamp(100), 9)?, []);
        // Each channel is due at the time of its earliest message.
        tx.insert_messages(&[
            message(project, second, 30),
            message(project, first, 20),
            message(other, third, 10),
            message(project, second, 10),
            message(project, first, 40),
        ])?;
        tx.insert_messages(&[message(project, first, 5)])?;
        for (id, expected) in [
            (first, Some(timestamp(5))),
            (second, Some(timestamp(10))),
            (third, Some(Timestamp::MAX)),
        ] {
            let found = tx.lock_channel(id)?;
            let found = found.and_then(|channel| channel.lane.due_at);
            assert_eq!(found, expected, "{id}");
        }
        let found = tx.lock_channel(third)?;
        assert_eq!(found.map(|channel| channel.lane), Some(lane));
        tx.set_lane(first, &ChannelLane::default())?;
        tx.insert_messages(&[message(project, first, 50)])?;
        let found = tx.lock_channel(first)?;
        let found = found.and_then(|channel| channel.lane.due_at);
        assert_eq!(found, Some(timestamp(50)));
        // A channel that waits for a later message is due earlier.
        let lane = ChannelLane {
            due_at: Some(timestamp(50)),
            is_waiting: true,
            ..ChannelLane::default()
        };
        tx.set_lane(first, &lane)?;
        for (second, expected) in [(60, 50), (40, 40), (45, 40)] {
            tx.insert_messages(&[message(project, first, second)])?;
            let found = tx.lock_channel(first)?;
            let found = found.and_then(|channel| channel.lane.due_at);
            assert_eq!(found, Some(timestamp(expected)), "{second}");
        }
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m35_messages_to_channels_that_are_gone_are_left_out(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [kept, gone] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        assert!(tx.delete_channel(project.into(), gone)?);
        tx.insert_messages(&[
            message(project, gone, 1),
            message(project, kept, 2),
            message(project, ChannelId::new(i64::MAX), 3),
        ])?;
        let listed = list(tx, project, 9)?;
        let channels: Vec<ChannelId> = listed.iter().map(|one| one.channel_id).collect();
        assert_eq!(channels, [kept]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m36_the_earliest_pending_message_is_next(harness: &mut AreaHarness<Notifications>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        assert_eq!(tx.find_next_message(id)?, None);
        // Of equal times the smallest id comes first.
        let new = [4, 4, 5, 5, 5, 6].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        tx.insert_messages(&[message(project, other, 3), message(project, other, 1)])?;
        let next = tx.find_next_message(other)?;
        assert_eq!(next.map(|message| message.send_at), Some(timestamp(1)));
        for (place, state) in [
            (0, MessageState::Sending),
            (0, MessageState::Queued),
            (0, MessageState::Sent),
            (1, MessageState::Failed),
            (2, MessageState::Cancelled),
            (3, MessageState::Dropped),
            (4, MessageState::Sending),
        ] {
            set_states(tx, &[(ids[place], state)], 50)?;
            let next = tx.find_next_message(id)?.map(|message| message.id);
            let expected = if state.is_pending() { place } else { place + 1 };
            assert_eq!(next, Some(ids[expected]), "{place} {state:?}");
        }
        set_states(
            tx,
            &[4, 5].map(|place| (ids[place], MessageState::Sent)),
            50,
        )?;
        assert_eq!(tx.find_next_message(id)?, None);
        assert!(tx.find_next_message(other)?.is_some());
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m37_an_update_of_a_message_sets_state_attempts_and_end(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    let done = store.change(move |tx| {
        let new = [1, 2].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        for (state, attempts, finished_at) in [
            (MessageState::Sending, 1, None),
            (MessageState::Queued, u32::MAX, None),
            (MessageState::Sent, 0, Some(Timestamp::MIN)),
            (MessageState::Dropped, 7, Some(Timestamp::MAX)),
        ] {
            tx.update_message(ids[0], state, attempts, finished_at)?;
            let mut expected = new[0].stored(ids[0]);
            expected.state = state;
            expected.attempts = attempts;
            expected.finished_at = finished_at;
            let bystander = new[1].stored(ids[1]);
            assert_eq!(list(tx, project, 9)?, [bystander, expected]);
        }
        tx.update_message(MessageId::new(i64::MAX), MessageState::Queued, 1, None)
    });
    done.wait().unwrap();
}

pub(super) fn m44_a_delayed_message_is_queued_until_its_new_time(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    let done = store.change(move |tx| {
        let new = [1, 2].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        tx.update_message(ids[0], MessageState::Sending, 3, None)?;
        tx.delay_message(ids[0], timestamp(7))?;
        let mut delayed = new[0].stored(ids[0]);
        (delayed.attempts, delayed.send_at) = (3, timestamp(7));
        let bystander = new[1].stored(ids[1]);
        assert_eq!(tx.find_next_message(id)?, Some(bystander.clone()));
        assert_eq!(list(tx, project, 9)?, [bystander, delayed.clone()]);
        let (state, now) = (MessageState::Dropped, timestamp(9));
        assert_eq!(tx.close_messages(id, timestamp(6), state, now)?, 1);
        assert_eq!(tx.find_next_message(id)?, Some(delayed));
        assert_eq!(tx.close_messages(id, timestamp(7), state, now)?, 1);
        tx.delay_message(MessageId::new(i64::MAX), timestamp(7))
    });
    done.wait().unwrap();
}

pub(super) fn m46_queued_messages_of_one_time_are_moved_to_another(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        let places = [(id, 5), (id, 5), (id, 5), (id, 5), (id, 6), (other, 5)];
        let new = places.map(|(channel, second)| message(project, channel, second));
        let ids = insert_messages(tx, project, &new)?;
        let (sent, end) = (MessageState::Sent, Some(timestamp(9)));
        tx.update_message(ids[2], MessageState::Sending, 1, None)?;
        tx.update_message(ids[3], sent, 1, end)?;
        assert_eq!(tx.reschedule_messages(id, timestamp(4), timestamp(1))?, 0);
        assert_eq!(tx.reschedule_messages(id, timestamp(5), timestamp(1))?, 2);
        let mut times: Vec<_> = list(tx, project, 9)?
            .into_iter()
            .map(|one| one.send_at)
            .collect();
        times.reverse();
        assert_eq!(times, [1, 1, 5, 5, 6, 5].map(timestamp));
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m38_sent_messages_are_counted_since_a_time_up_to_a_limit(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        let new = [1, 2, 3, 4, 5, 6].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        // Three are sent at the seconds 10 to 12, the others end in another way or wait.
        for (second, place) in [(10, 2), (11, 0), (12, 1)] {
            set_states(tx, &[(ids[place], MessageState::Sent)], second)?;
        }
        set_states(tx, &[(ids[3], MessageState::Failed)], 11)?;
        set_states(tx, &[(ids[4], MessageState::Sending)], 11)?;
        for (since, limit, expected) in [
            (0, 9, 3),
            (10, 9, 3),
            (11, 9, 2),
            (13, 9, 0),
            (10, 2, 2),
            (10, 0, 0),
        ] {
            let count = tx.count_sent_messages(id, timestamp(since), limit)?;
            assert_eq!(count, expected, "{since} {limit}");
        }
        assert_eq!(tx.count_sent_messages(other, Timestamp::MIN, 9)?, 0);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m39_thousands_of_messages_are_inserted_at_once(
    harness: &mut AreaHarness<Notifications>,
) {
    const MANY: i64 = 5_000;
    let [project, other] = harness.places();
    let store = harness.store();
    let [first, second] = insert_channels(store, [(project, "a"), (other, "b")]);
    let done = store.change(move |tx| {
        let of = |second_: i64| match second_ % 2 {
            0 => message(project, first, second_),
            _ => message(other, second, second_),
        };
        let new: Vec<NewMessage> = (0..MANY).map(of).collect();
        tx.insert_messages(&new)?;
        let mut seconds = Vec::new();
        for place in [project, other] {
            let listed = list(tx, place, usize::MAX)?;
            seconds.push(
                listed
                    .iter()
                    .map(|one| one.subject.id)
                    .rev()
                    .collect::<Vec<i64>>(),
            );
        }
        let expected = [0, 1].map(|start| (start..MANY).step_by(2).collect::<Vec<i64>>());
        assert_eq!(seconds, expected);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m45_pending_messages_are_counted_up_to_a_limit(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        let new = [1, 2, 3, 4, 5].map(|second| message(project, id, second));
        let ids = insert_messages(tx, project, &new)?;
        let states = [
            (ids[0], MessageState::Sent),
            (ids[1], MessageState::Cancelled),
            (ids[2], MessageState::Sending),
        ];
        set_states(tx, &states, 9)?;
        for (limit, expected) in [(9, 3), (3, 3), (2, 2), (0, 0)] {
            assert_eq!(tx.count_pending_messages(id, limit)?, expected, "{limit}");
        }
        assert_eq!(tx.count_pending_messages(other, 9)?, 0);
        Ok(())
    });
    done.wait().unwrap();
}
