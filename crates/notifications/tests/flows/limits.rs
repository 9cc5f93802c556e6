//! Limits of a channel: messages in an hour, and the age of a message.

use notifications::flow::Announcement;
use notifications::model::{AttemptOutcome, MessageEvent, MessageState};

use crate::{
    announce_all, at, channel, claim_due, deliver_all, insert, messages, new_channel, opened,
    outbox, store, stored,
};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// Announces this many alerts one by one, from a second on.
fn announce_some(store: &storage_diesel::SqliteStore, first: i64, count: i64, second: i64) {
    for id in first..first + count {
        let one: Announcement = opened(id, second);
        announce_all(store, vec![one]);
    }
}

#[test]
fn a_channel_at_its_limit_drops_what_waits_for_an_hour_and_says_so() {
    let store = store();
    let mut new = new_channel("quiet");
    new.settings.hourly_limit = 2;
    let id = insert(&store, new).id;
    announce_some(&store, 1, 2, 0);
    announce_some(&store, 3, 3, 20);
    assert_eq!(deliver_all(&store, AttemptOutcome::Delivered, 30).len(), 2);
    let lane = stored(&store, id).lane;
    assert_eq!((lane.due_at, lane.dropped), (Some(at(90)), 0));
    // An hour after the first messages were sent, the others go out in time.
    assert_eq!(claim_due(&store, 100), None);
    assert_eq!(
        deliver_all(&store, AttemptOutcome::Delivered, 31 + HOUR).len(),
        2
    );
    announce_some(&store, 6, 2, 40 + HOUR);
    // The fifth message waits for more than an hour now, and the two last ones do not.
    assert_eq!(claim_due(&store, 100 + HOUR), None);
    assert_eq!(stored(&store, id).lane.dropped, 1);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 32 + 2 * HOUR);
    assert_eq!(sent, [MessageEvent::AlertOpened; 2]);
    // The notice is a message like any other: it waits for its turn.
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 33 + 3 * HOUR);
    assert_eq!(sent, [MessageEvent::MessagesDropped]);
    let listed = messages(&store);
    let dropped = listed
        .iter()
        .filter(|one| one.state == MessageState::Limited);
    assert_eq!(dropped.count(), 1);
    let notice = listed
        .iter()
        .find(|one| one.event == MessageEvent::MessagesDropped);
    assert_eq!(notice.unwrap().content.count, Some(1));
    assert_eq!(stored(&store, id).lane.dropped, 0);
}

#[test]
fn a_message_of_a_day_is_dropped_and_counted() {
    let store = store();
    let id = channel(&store, "a");
    announce_some(&store, 1, 2, 0);
    announce_some(&store, 3, 1, HOUR);
    let failed = deliver_all(&store, AttemptOutcome::Failed, 1);
    assert_eq!(failed, [MessageEvent::AlertOpened]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, DAY);
    // Both messages of the start are a day old.
    let expected = [MessageEvent::AlertOpened, MessageEvent::MessagesDropped];
    assert_eq!(sent, expected);
    assert_eq!(
        outbox(&store),
        [
            ("alert.opened", "dropped"),
            ("alert.opened", "dropped"),
            ("alert.opened", "sent"),
            ("messages.dropped", "sent"),
        ]
    );
    assert_eq!(messages(&store).last().unwrap().content.count, Some(2));
    assert_eq!(
        stored(&store, id).lane,
        notifications::model::ChannelLane::default()
    );
}

#[test]
fn a_channel_at_its_limit_rests_if_nothing_waits() {
    let store = store();
    let mut new = new_channel("quiet");
    new.settings.hourly_limit = 1;
    let id = insert(&store, new).id;
    announce_some(&store, 1, 1, 10);
    assert_eq!(deliver_all(&store, AttemptOutcome::Delivered, 11).len(), 1);
    assert_eq!(stored(&store, id).lane.due_at, None);
    // A message that is refused does not count.
    announce_some(&store, 2, 2, 20 + HOUR);
    assert_eq!(
        deliver_all(&store, AttemptOutcome::Rejected, 21 + HOUR).len(),
        2
    );
}
