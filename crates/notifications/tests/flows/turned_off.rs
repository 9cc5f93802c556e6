//! Channels that are turned off or deleted while messages wait or are under way.

use api_conventions::ids::ChannelId;
use notifications::flow::{ChannelInput, delete_channel, update_channel};
use notifications::model::AttemptOutcome;
use storage_diesel::SqliteStore;

use crate::{
    HERE, announce_all, at, attempts, channel, claim_due, end, messages, opened, outbox, store,
    stored, write,
};

fn turn_off(store: &SqliteStore, id: ChannelId, second: i64) {
    let input = ChannelInput {
        active: Some(false),
        ..ChannelInput::default()
    };
    let changed = write(store, move |tx| {
        update_channel(tx, HERE.into(), id, &input, at(second))
    });
    assert!(!changed.unwrap().settings.is_active);
}

fn delete(store: &SqliteStore, id: ChannelId, second: i64) {
    let deleted = write(store, move |tx| {
        delete_channel(tx, HERE.into(), id, at(second))
    });
    deleted.unwrap();
}

#[test]
fn a_receiver_that_is_gone_turns_its_channel_off() {
    let store = store();
    let id = channel(&store, "a");
    announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
    let delivery = claim_due(&store, 10).unwrap();
    assert_eq!(end(&store, &delivery, AttemptOutcome::Gone, 11), None);
    let expected = [("alert.opened", "failed"), ("alert.opened", "channel_off")];
    assert_eq!(outbox(&store), expected);
    let channel = stored(&store, id);
    assert!(!channel.settings.is_active);
    assert_eq!((channel.lane.due_at, channel.updated_at), (None, at(11)));
}

#[test]
fn a_channel_that_is_turned_off_cancels_what_waits() {
    let store = store();
    let id = channel(&store, "a");
    announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
    turn_off(&store, id, 11);
    assert_eq!(outbox(&store), [("alert.opened", "channel_off"); 2]);
    assert_eq!(claim_due(&store, 20), None);
    assert_eq!(stored(&store, id).lane.due_at, None);
}

#[test]
fn an_attempt_under_way_ends_as_it_does_when_its_channel_is_turned_off_or_deleted() {
    for (outcome, state) in [
        (AttemptOutcome::Delivered, "sent"),
        (AttemptOutcome::Failed, "channel_off"),
        (AttemptOutcome::Rejected, "failed"),
        (AttemptOutcome::Gone, "failed"),
    ] {
        for close in [turn_off, delete] {
            let store = store();
            let id = channel(&store, "a");
            announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
            let delivery = claim_due(&store, 10).unwrap();
            close(&store, id, 11);
            assert_eq!(end(&store, &delivery, outcome, 12), None, "{outcome:?}");
            let expected = [("alert.opened", state), ("alert.opened", "channel_off")];
            assert_eq!(outbox(&store), expected, "{outcome:?}");
            assert_eq!(attempts(&store).len(), 1);
            assert_eq!(claim_due(&store, 10_000), None);
        }
    }
}

#[test]
fn an_attempt_that_was_lost_is_cancelled_when_its_channel_is_turned_off_or_deleted() {
    for close in [turn_off, delete] {
        let store = store();
        let id = channel(&store, "a");
        announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
        claim_due(&store, 10).unwrap();
        close(&store, id, 11);
        assert_eq!(claim_due(&store, 10_000), None);
        assert_eq!(outbox(&store), [("alert.opened", "channel_off"); 2]);
        assert!(messages(&store).iter().all(|one| one.finished_at.is_some()));
        assert_eq!(claim_due(&store, 20_000), None);
    }
}
