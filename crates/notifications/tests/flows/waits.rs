//! Messages that wait for their time: delays and reminders; and errors, which have neither.

use notifications::flow::{finish, test_channel};
use notifications::model::{AttemptOutcome, MessageEvent, MessageSeverity, MessageSubjectKind};

use super::*;

/// Inserts a webhook with a delay and an interval of reminders, in minutes, and returns its id.
fn waiting(store: &SqliteStore, delay_minutes: u32, repeat_minutes: u32) -> ChannelId {
    let mut new = new_channel("a");
    new.settings.delay_minutes = delay_minutes;
    new.settings.repeat_minutes = repeat_minutes;
    insert(store, new).id
}

fn acknowledged(id: i64, second: i64) -> Announcement {
    change(
        id,
        SubjectChange::Acknowledged,
        MessageSeverity::High,
        second,
    )
}

#[test]
fn a_channel_with_a_delay_gets_what_nobody_acknowledged_in_time() {
    let store = store();
    let id = waiting(&store, 15, 0);
    announce_all(&store, vec![opened(1, 10), opened(2, 10), opened(3, 10)]);
    assert_eq!(stored(&store, id).lane.due_at, Some(at(910)));
    announce_all(&store, vec![acknowledged(1, 20)]);
    announce_all(&store, vec![closed(2, 30)]);
    assert_eq!(claim_due(&store, 909), None);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 910);
    assert_eq!(sent, [MessageEvent::AlertOpened]);
    let expected = [
        ("alert.opened", "acknowledged"),
        ("alert.opened", "resolved"),
        ("alert.opened", "sent"),
    ];
    assert_eq!(outbox(&store), expected);
    // The end of an alert is sent at once.
    announce_all(&store, vec![closed(3, 920)]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 920);
    assert_eq!(sent, [MessageEvent::AlertResolved]);
}

#[test]
fn a_message_for_now_does_not_wait_behind_one_for_later() {
    let store = store();
    let id = waiting(&store, 15, 0);
    announce_all(&store, vec![opened(1, 10)]);
    let lane = stored(&store, id).lane;
    assert_eq!((lane.due_at, lane.is_waiting), (Some(at(910)), true));
    let tested = write(&store, move |tx| test_channel(tx, HERE.into(), id, at(20)));
    tested.unwrap();
    assert_eq!(
        deliver_all(&store, AttemptOutcome::Delivered, 20),
        [MessageEvent::Test]
    );
    let lane = stored(&store, id).lane;
    assert_eq!((lane.due_at, lane.is_waiting), (Some(at(910)), true));
}

#[test]
fn a_channel_that_failed_is_not_hurried_by_a_message_for_now() {
    let store = store();
    let id = waiting(&store, 0, 0);
    announce_all(&store, vec![opened(1, 10)]);
    let delivery = claim_due(&store, 10).unwrap();
    end(&store, &delivery, AttemptOutcome::Failed, 11);
    let due_at = stored(&store, id).lane.due_at;
    announce_all(&store, vec![opened(2, 12)]);
    assert_eq!(stored(&store, id).lane.due_at, due_at);
}

#[test]
fn reminders_follow_until_somebody_knows() {
    let store = store();
    waiting(&store, 0, 5);
    announce_all(&store, vec![opened(1, 10)]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 11);
    assert_eq!(sent, [MessageEvent::AlertOpened]);
    for second in [311, 611] {
        assert_eq!(claim_due(&store, second - 1), None);
        let sent = deliver_all(&store, AttemptOutcome::Delivered, second);
        assert_eq!(sent, [MessageEvent::AlertReminder]);
    }
    announce_all(&store, vec![acknowledged(1, 700)]);
    assert_eq!(deliver_all(&store, AttemptOutcome::Delivered, 911), []);
    // The channel got the alert, so it gets the end.
    announce_all(&store, vec![closed(1, 920)]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 920);
    assert_eq!(sent, [MessageEvent::AlertResolved]);
}

#[test]
fn an_alert_that_somebody_knows_when_it_was_sent_gets_no_reminder() {
    let store = store();
    waiting(&store, 0, 5);
    announce_all(&store, vec![opened(1, 10)]);
    let delivery = claim_due(&store, 10).unwrap();
    // While the message is under way, there is nothing to cancel.
    announce_all(&store, vec![acknowledged(1, 11)]);
    run(&store, move |tx| {
        let answer = report(AttemptOutcome::Delivered);
        finish(tx, &delivery, answer, |_| Ok(false), at(12))
    });
    assert_eq!(outbox(&store), [("alert.opened", "sent")]);
}

fn error(id: i64, how: SubjectChange) -> Announcement {
    let mut error = change(id, how, MessageSeverity::High, 10);
    error.subject.kind = MessageSubjectKind::Error;
    error
}

#[test]
fn errors_are_announced_at_once_and_many_of_them_as_one() {
    let store = store();
    waiting(&store, 15, 5);
    announce_all(
        &store,
        vec![
            error(1, SubjectChange::Opened),
            error(2, SubjectChange::Regressed),
        ],
    );
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 10);
    assert_eq!(
        sent,
        [MessageEvent::ErrorCreated, MessageEvent::ErrorRegressed]
    );
    let many = (1..=11).map(|id| error(id, SubjectChange::Opened));
    announce_all(&store, many.collect());
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 10);
    assert_eq!(sent, [MessageEvent::ErrorsCreated]);
}
