//! Delivery of channels: when they are due, leases and locks.

use ::notifications::model::{ChannelLane, DueChannel, MessageState};
use api_conventions::ids::ChannelId;
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{insert_channels, message};
use crate::areas::{AreaHarness, Notifications};
use crate::samples::{race, timestamp};

/// Number of threads of a race, and of the rounds of each.
const THREADS: usize = 4;
const ROUNDS: usize = 10;

fn due_at(due_at: Timestamp) -> ChannelLane {
    ChannelLane {
        due_at: Some(due_at),
        ..ChannelLane::default()
    }
}

pub(super) fn m20_the_channel_that_is_due_for_longest_comes_first(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let channels = [
        (project, "late"),
        (project, "early"),
        (other, "tied"),
        (project, "first"),
        (other, "last"),
        (project, "idle"),
    ];
    let [late, early, tied, first, last, _] = insert_channels(store, channels);
    let times = [
        (late, timestamp(20)),
        (tied, timestamp(10)),
        (early, timestamp(10)),
        (first, Timestamp::MIN),
        (last, Timestamp::MAX),
    ];
    let done = store.change(move |tx| {
        for (id, at) in times {
            tx.set_lane(id, &due_at(at))?;
        }
        let found = tx.list_due_channels(timestamp(10), 9)?;
        let expected = [
            (first, Timestamp::MIN),
            (early, timestamp(10)),
            (tied, timestamp(10)),
            (late, timestamp(20)),
            (last, Timestamp::MAX),
        ];
        let expected = expected.map(|(id, due_at)| DueChannel { id, due_at });
        assert_eq!(found, expected[..3]);
        assert_eq!(tx.list_due_channels(timestamp(9), 9)?, expected[..1]);
        assert_eq!(tx.list_due_channels(timestamp(20), 2)?, expected[..2]);
        assert_eq!(tx.list_due_channels(timestamp(20), 0)?, []);
        assert_eq!(tx.list_due_channels(Timestamp::MAX, 9)?, expected);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn m21_a_channel_that_is_due_is_leased_once(harness: &mut AreaHarness<Notifications>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let due = DueChannel {
        id,
        due_at: timestamp(10),
    };
    let lease = |due: DueChannel, until: i64| {
        let leased = store.change(move |tx| tx.lease_channel(due, timestamp(until)));
        leased.wait().unwrap()
    };
    assert_eq!(lease(due, 20), None, "a channel at rest is not due");
    let set = store.change(move |tx| {
        tx.set_lane(id, &due_at(timestamp(10)))?;
        tx.set_lane(other, &due_at(timestamp(10)))
    });
    set.wait().unwrap();
    let leased = race(THREADS, |thread| {
        lease(due, 20 + i64::try_from(thread).unwrap())
    });
    let mut leased = leased.into_iter().flatten();
    let winner = leased.next().unwrap();
    assert_eq!(leased.next(), None, "one of many leases succeeds");
    let found = store.query(move |tx| tx.find_channel(project.into(), id));
    assert_eq!(found.wait().unwrap().as_ref(), Some(&winner));
    let until = winner.lane.due_at.unwrap();
    assert!(until >= timestamp(20), "{until:?}");
    assert_eq!(lease(due, 40), None, "the time has passed on");
    let again = DueChannel { id, due_at: until };
    assert_eq!(lease(again, 40).unwrap().lane, due_at(timestamp(40)));
    let unknown = DueChannel {
        id: ChannelId::new(i64::MAX),
        ..due
    };
    assert_eq!(lease(unknown, 40), None);
    let found = store.query(move |tx| tx.find_channel(project.into(), other));
    assert_eq!(found.wait().unwrap().unwrap().lane, due_at(timestamp(10)));
}

pub(super) fn m22_a_lane_is_set_for_one_channel(harness: &mut AreaHarness<Notifications>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id, other] = insert_channels(store, [(project, "a"), (project, "b")]);
    let done = store.change(move |tx| {
        for due_at in [Some(Timestamp::MAX), None, Some(Timestamp::MIN)] {
            let lane = ChannelLane {
                due_at,
                is_waiting: due_at.is_some(),
                failures: u32::MAX,
                dropped: u32::MAX - 1,
            };
            tx.set_lane(id, &lane)?;
            let found = tx.lock_channel(id)?;
            assert_eq!(found, tx.find_channel(project.into(), id)?);
            assert_eq!(found.map(|channel| channel.lane), Some(lane));
        }
        let found = tx.lock_channel(other)?;
        assert_eq!(
            found.map(|channel| channel.lane),
            Some(ChannelLane::default())
        );
        assert_eq!(tx.lock_channel(ChannelId::new(i64::MAX))?, None);
        tx.set_lane(ChannelId::new(i64::MAX), &ChannelLane::default())
    });
    done.wait().unwrap();
}

pub(super) fn m23_racing_changes_of_locked_channels_are_all_kept(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    race(THREADS, |_| {
        for _ in 0..ROUNDS {
            let changed = store.change(move |tx| {
                let Some(mut channel) = tx.lock_channel(id)? else {
                    return Ok(());
                };
                channel.lane.failures += 1;
                tx.set_lane(id, &channel.lane)
            });
            changed.wait().unwrap();
        }
    });
    let found = store.query(move |tx| tx.find_channel(project.into(), id));
    let failures = found.wait().unwrap().unwrap().lane.failures;
    assert_eq!(usize::try_from(failures), Ok(THREADS * ROUNDS));
}

pub(super) fn m24_no_message_misses_a_channel_that_goes_to_rest(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let [id] = insert_channels(store, [(project, "a")]);
    // Some threads write messages. The others send all that wait, and leave the channel at rest.
    race(THREADS, |thread| {
        for _ in 0..ROUNDS {
            let step = store.change(move |tx| {
                if thread % 2 == 0 {
                    return tx.insert_messages(&[message(project, id, 1)]);
                }
                tx.lock_channel(id)?;
                while let Some(next) = tx.find_next_message(id)? {
                    let end = Some(timestamp(2));
                    tx.update_message(next.id, MessageState::Sent, 1, end)?;
                }
                tx.set_lane(id, &ChannelLane::default())
            });
            step.wait().unwrap();
        }
    });
    let rest = store.query(move |tx| {
        let waits = tx.find_next_message(id)?.is_some();
        let channel = tx.find_channel(project.into(), id)?;
        Ok((
            waits,
            channel.is_some_and(|channel| channel.lane.due_at.is_some()),
        ))
    });
    let (waits, is_due) = rest.wait().unwrap();
    assert_eq!(waits, is_due);
}

pub(super) fn m25_channels_with_a_queue_are_listed_with_the_most_failures_first(
    harness: &mut AreaHarness<Notifications>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let channels = [
        (project, "calm"),
        (other, "failing"),
        (project, "early"),
        (project, "tied"),
        (project, "idle"),
    ];
    let [calm, failing, early, tied, idle] = insert_channels(store, channels);
    let done = store.change(move |tx| {
        let lane = |second, failures| ChannelLane {
            failures,
            ..due_at(timestamp(second))
        };
        tx.set_lane(calm, &lane(1, 0))?;
        tx.set_lane(failing, &lane(90, 7))?;
        tx.set_lane(tied, &lane(20, 3))?;
        tx.set_lane(early, &lane(20, 3))?;
        let resting = ChannelLane {
            due_at: None,
            ..lane(0, 9)
        };
        tx.set_lane(idle, &resting)?;
        let listed = tx.list_waiting_channels(9)?;
        let ids: Vec<ChannelId> = listed.iter().map(|channel| channel.id).collect();
        assert_eq!(ids, [failing, early, tied, calm]);
        assert_eq!(listed[0], tx.find_channel(other.into(), failing)?.unwrap());
        assert_eq!(tx.list_waiting_channels(2)?, listed[..2]);
        assert_eq!(tx.list_waiting_channels(0)?, []);
        Ok(())
    });
    done.wait().unwrap();
}
