//! Subjects that nobody is to hear of for a while.

use super::*;

fn unmuted(id: i64, second: i64) -> Announcement {
    change(id, SubjectChange::Unmuted, MessageSeverity::High, second)
}

#[test]
fn the_beginning_of_a_muted_alert_is_not_announced_and_its_end_only_where_it_was() {
    let store = store();
    channel(&store, "a");
    announce_audible(&store, vec![opened(1, 10), opened(2, 10)], &[1]);
    assert_eq!(outbox(&store), [("alert.opened", "queued")]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 11);
    assert_eq!(sent, [MessageEvent::AlertOpened]);
    announce_audible(&store, vec![closed(1, 20), closed(2, 20)], &[1, 2]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 21);
    assert_eq!(sent, [MessageEvent::AlertResolved]);
    let subjects: BTreeSet<_> = messages(&store).iter().map(|one| one.subject).collect();
    assert_eq!(subjects, BTreeSet::from([alert(2)]));
}

#[test]
fn an_alert_that_is_unmuted_is_announced_where_it_was_not() {
    let store = store();
    let id = channel(&store, "a");
    announce_audible(&store, vec![opened(1, 10)], &[]);
    deliver_all(&store, AttemptOutcome::Delivered, 11);
    announce_audible(&store, vec![opened(2, 20)], &[2]);
    announce_audible(
        &store,
        vec![unmuted(1, 30), unmuted(2, 30), unmuted(3, 30)],
        &[3],
    );
    let expected = [("alert.opened", "sent"), ("alert.opened", "queued")];
    assert_eq!(outbox(&store), expected);
    let last = messages(&store).pop().unwrap();
    assert_eq!((last.subject, last.channel_id), (alert(2), id));
    deliver_all(&store, AttemptOutcome::Delivered, 31);
    // It ended and opened again while nobody was to hear of it.
    announce_audible(&store, vec![closed(1, 40)], &[]);
    deliver_all(&store, AttemptOutcome::Delivered, 41);
    announce_audible(&store, vec![unmuted(1, 50)], &[]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 51);
    assert_eq!(sent, [MessageEvent::AlertOpened]);
}

#[test]
fn a_channel_with_reminders_gets_one_about_an_alert_that_it_knows() {
    let store = store();
    let mut new = new_channel("a");
    new.settings.repeat_minutes = 30;
    insert(&store, new);
    announce_audible(&store, vec![opened(1, 10)], &[]);
    deliver_all(&store, AttemptOutcome::Delivered, 11);
    announce_audible(&store, vec![unmuted(1, 20)], &[]);
    let sent = deliver_all(&store, AttemptOutcome::Delivered, 21);
    assert_eq!(sent, [MessageEvent::AlertReminder]);
}

#[test]
fn nobody_asks_what_is_muted_unless_a_channel_might_hear_of_it() {
    let never = |store: &SqliteStore, changes: Vec<Announcement>| {
        run(store, move |tx| {
            announce(tx, &changes, |_| panic!("no channel can hear of it"))
        });
    };
    let store = store();
    never(&store, vec![opened(1, 10)]);
    channel(&store, "a");
    never(&store, vec![closed(1, 20)]);
    assert_eq!(messages(&store), []);
}
