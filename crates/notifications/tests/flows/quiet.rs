//! Quiet hours of a channel.

use api_conventions::ids::ChannelId;
use notifications::flow::{ChannelInput, SubjectChange, test_channel, update_channel};
use notifications::model::{
    AttemptOutcome, LocalTime, MessageEvent, MessageSeverity, NewChannel, QuietHours,
};
use storage_diesel::SqliteStore;

use crate::{
    HERE, announce_all, at, change, claim_due, closed, deliver_all, insert, new_channel, opened,
    outbox, run, store, stored,
};

const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// A channel with quiet hours in UTC.
fn quiet_channel(from: &str, until: &str) -> NewChannel {
    let mut new = new_channel("night");
    new.settings.quiet_hours = Some(QuietHours {
        from: LocalTime::parse(from).unwrap(),
        until: LocalTime::parse(until).unwrap(),
        time_zone: QuietHours::parse_time_zone("UTC").unwrap(),
        severity: QuietHours::DEFAULT_SEVERITY,
    });
    new
}

/// Creates a channel whose quiet hours end at 7 o'clock.
fn night(store: &SqliteStore) -> ChannelId {
    insert(store, quiet_channel("22:00", "07:00")).id
}

fn delivered(store: &SqliteStore, second: i64) -> Vec<MessageEvent> {
    deliver_all(store, AttemptOutcome::Delivered, second)
}

#[test]
fn messages_wait_for_the_end_of_quiet_hours_and_are_sent_once() {
    let store = store();
    let id = night(&store);
    announce_all(&store, vec![opened(1, HOUR)]);
    announce_all(&store, vec![opened(2, 2 * HOUR)]);
    assert_eq!(delivered(&store, 2 * HOUR), []);
    let lane = stored(&store, id).lane;
    assert_eq!((lane.due_at, lane.is_waiting), (Some(at(7 * HOUR)), true));
    assert_eq!(claim_due(&store, 7 * HOUR - 1), None);
    let sent = delivered(&store, 7 * HOUR);
    assert_eq!(sent, [MessageEvent::AlertOpened; 2]);
    assert_eq!(delivered(&store, 8 * HOUR), []);
    assert_eq!(outbox(&store), [("alert.opened", "sent"); 2]);
}

#[test]
fn severe_messages_and_tests_do_not_wait() {
    let store = store();
    let id = night(&store);
    announce_all(&store, vec![opened(1, HOUR)]);
    let critical = |kind| change(2, kind, MessageSeverity::Critical, HOUR);
    announce_all(&store, vec![critical(SubjectChange::Opened)]);
    run(&store, move |tx| {
        test_channel(tx, HERE.into(), id, at(HOUR)).unwrap();
        Ok(())
    });
    let sent = delivered(&store, HOUR);
    assert_eq!(sent, [MessageEvent::AlertOpened, MessageEvent::Test]);
    announce_all(&store, vec![critical(SubjectChange::Closed)]);
    assert_eq!(delivered(&store, HOUR + 1), [MessageEvent::AlertResolved]);
    // The first alert becomes critical in quiet hours.
    let rise = SubjectChange::SeverityChanged(MessageSeverity::High);
    let rise = change(1, rise, MessageSeverity::Critical, 2 * HOUR);
    announce_all(&store, vec![rise]);
    assert_eq!(delivered(&store, 2 * HOUR), [MessageEvent::AlertOpened]);
}

/// Changes the quiet hours of a channel at a second.
fn set_quiet_hours(store: &SqliteStore, id: ChannelId, hours: Option<QuietHours>, second: i64) {
    let input = ChannelInput {
        quiet_hours: Some(hours),
        ..ChannelInput::default()
    };
    run(store, move |tx| {
        update_channel(tx, HERE.into(), id, &input, at(second)).unwrap();
        Ok(())
    });
}

#[test]
fn what_waits_is_sent_when_quiet_hours_are_removed_or_moved() {
    let store = store();
    let id = night(&store);
    let hours = stored(&store, id).settings.quiet_hours.unwrap();
    announce_all(&store, vec![opened(1, HOUR)]);
    assert_eq!(delivered(&store, HOUR), []);
    let earlier = QuietHours {
        until: LocalTime::parse("04:00").unwrap(),
        ..hours
    };
    set_quiet_hours(&store, id, Some(earlier), 2 * HOUR);
    assert_eq!(delivered(&store, 2 * HOUR), []);
    assert_eq!(delivered(&store, 4 * HOUR), [MessageEvent::AlertOpened]);
    set_quiet_hours(&store, id, Some(hours), 4 * HOUR);
    announce_all(&store, vec![opened(2, 4 * HOUR)]);
    assert_eq!(delivered(&store, 4 * HOUR), []);
    set_quiet_hours(&store, id, None, 5 * HOUR);
    assert_eq!(delivered(&store, 5 * HOUR), [MessageEvent::AlertOpened]);
    // A delay of the channel stays.
    set_quiet_hours(&store, id, Some(hours), 5 * HOUR);
    let input = ChannelInput {
        delay_minutes: Some(10),
        ..ChannelInput::default()
    };
    run(&store, move |tx| {
        update_channel(tx, HERE.into(), id, &input, at(5 * HOUR)).unwrap();
        Ok(())
    });
    announce_all(&store, vec![opened(3, 5 * HOUR)]);
    set_quiet_hours(&store, id, None, 5 * HOUR + 60);
    assert_eq!(delivered(&store, 5 * HOUR + 599), []);
    let sent = delivered(&store, 5 * HOUR + 600);
    assert_eq!(sent, [MessageEvent::AlertOpened]);
}

#[test]
fn the_end_of_an_alert_cancels_what_waits_and_is_not_sent() {
    let store = store();
    night(&store);
    announce_all(&store, vec![opened(1, HOUR), opened(2, HOUR)]);
    assert_eq!(delivered(&store, HOUR), []);
    let known = change(2, SubjectChange::Acknowledged, MessageSeverity::High, HOUR);
    announce_all(&store, vec![closed(1, 2 * HOUR), known]);
    assert_eq!(delivered(&store, 7 * HOUR), []);
    let expected = [
        ("alert.opened", "resolved"),
        ("alert.opened", "acknowledged"),
    ];
    assert_eq!(outbox(&store), expected);
}

#[test]
fn the_end_of_an_alert_that_was_sent_waits_too() {
    let store = store();
    night(&store);
    announce_all(&store, vec![opened(1, 21 * HOUR)]);
    assert_eq!(delivered(&store, 21 * HOUR), [MessageEvent::AlertOpened]);
    announce_all(&store, vec![closed(1, 23 * HOUR)]);
    assert_eq!(delivered(&store, 23 * HOUR), []);
    let sent = delivered(&store, DAY + 7 * HOUR);
    assert_eq!(sent, [MessageEvent::AlertResolved]);
}

#[test]
fn the_limits_of_age_start_at_the_end_of_quiet_hours() {
    let store = store();
    let mut new = quiet_channel("01:00", "00:30");
    new.settings.hourly_limit = 1;
    insert(&store, new);
    announce_all(&store, vec![opened(1, HOUR * 3 / 4)]);
    assert_eq!(delivered(&store, HOUR * 3 / 4), [MessageEvent::AlertOpened]);
    // The limit is reached and the quiet hours begin while this message waits.
    announce_all(&store, vec![opened(2, HOUR)]);
    assert_eq!(delivered(&store, HOUR), []);
    announce_all(&store, vec![opened(3, 2 * HOUR)]);
    assert_eq!(delivered(&store, 3 * HOUR), []);
    let end = DAY + HOUR / 2;
    assert_eq!(delivered(&store, end), [MessageEvent::AlertOpened]);
    // The third message is not dropped for its age, but waits for the next quiet hours to end.
    assert_eq!(delivered(&store, end + HOUR), []);
    assert_eq!(delivered(&store, end + DAY), [MessageEvent::AlertOpened]);
    assert_eq!(outbox(&store), [("alert.opened", "sent"); 3]);
}

#[test]
fn a_receiver_that_refuses_for_days_does_not_fill_the_queue() {
    let store = store();
    night(&store);
    announce_all(&store, vec![opened(1, HOUR)]);
    let failed = |second| deliver_all(&store, AttemptOutcome::Failed, second);
    for day in 0..4 {
        assert_eq!(failed(day * DAY + HOUR), [], "{day}");
        let tried = failed(day * DAY + 7 * HOUR);
        assert_eq!(tried, [MessageEvent::AlertOpened], "{day}");
    }
    assert_eq!(failed(4 * DAY + 2 * HOUR), []);
    assert_eq!(outbox(&store)[0], ("alert.opened", "dropped"));
}
