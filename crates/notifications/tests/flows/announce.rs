//! Announcements of alerts and incidents.

use api_conventions::ids::ProjectId;
use notifications::flow::{Announcement, SubjectChange};
use notifications::model::{
    AttemptOutcome, MessageEvent, MessageSeverity, MessageSubject, MessageSubjectKind,
};

use crate::{
    alert, announce_all, at, change, channel, claim_due, closed, deliver_all, end, insert,
    messages, new_channel, opened, outbox, store, stored,
};

#[test]
fn an_alert_is_announced_to_every_channel_of_its_project() {
    let store = store();
    let first = channel(&store, "a");
    let second = channel(&store, "b");
    let mut foreign = new_channel("a");
    foreign.owner = ProjectId::new(2).into();
    insert(&store, foreign);
    announce_all(&store, vec![opened(1, 10), opened(2, 11)]);
    let listed = messages(&store);
    let found: Vec<_> = listed
        .iter()
        .map(|message| (message.channel_id, message.subject, message.created_at))
        .collect();
    let expected = [
        (first, alert(1), at(10)),
        (first, alert(2), at(11)),
        (second, alert(1), at(10)),
        (second, alert(2), at(11)),
    ];
    assert_eq!(found, expected);
    assert!(
        listed
            .iter()
            .all(|one| one.content.title.starts_with("Alert "))
    );
    assert_eq!(stored(&store, first).lane.due_at, Some(at(10)));
    announce_all(&store, Vec::new());
    assert_eq!(messages(&store).len(), 4);
}

#[test]
fn an_alert_that_ends_before_it_was_sent_is_cancelled() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10)]);
    announce_all(&store, vec![closed(1, 20)]);
    assert_eq!(outbox(&store), [("alert.opened", "resolved")]);
    assert_eq!(messages(&store).first().unwrap().finished_at, Some(at(20)));
    assert_eq!(deliver_all(&store, AttemptOutcome::Delivered, 30), []);
}

#[test]
fn an_end_is_announced_where_the_beginning_was_attempted() {
    for outcome in [
        Some(AttemptOutcome::Delivered),
        Some(AttemptOutcome::Failed),
        Some(AttemptOutcome::Rejected),
        None,
    ] {
        let store = store();
        channel(&store, "a");
        announce_all(&store, vec![opened(1, 10)]);
        let delivery = claim_due(&store, 11).unwrap();
        // The channel is created after the alert was opened, so it gets no message about the end.
        channel(&store, "late");
        if let Some(outcome) = outcome {
            assert_eq!(end(&store, &delivery, outcome, 12), None);
        }
        announce_all(&store, vec![closed(1, 13)]);
        let states = match outcome {
            Some(AttemptOutcome::Delivered) => "sent",
            Some(AttemptOutcome::Failed) => "resolved",
            Some(_) => "failed",
            None => "sending",
        };
        let expected = [("alert.opened", states), ("alert.resolved", "queued")];
        assert_eq!(outbox(&store), expected, "{outcome:?}");
    }
}

#[test]
fn an_end_follows_its_beginning_whatever_the_clocks_of_servers_say() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10)]);
    let delivery = claim_due(&store, 10).unwrap();
    announce_all(&store, vec![closed(1, 8)]);
    let next = end(&store, &delivery, AttemptOutcome::Delivered, 11).unwrap();
    assert_eq!(next.message.event, MessageEvent::AlertResolved);
    assert_eq!(next.message.send_at, at(10));
}

#[test]
fn an_end_is_announced_once() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10)]);
    deliver_all(&store, AttemptOutcome::Delivered, 11);
    announce_all(&store, vec![closed(1, 20)]);
    deliver_all(&store, AttemptOutcome::Delivered, 21);
    // The alert was reopened below the severity of the channel, and ends again.
    announce_all(&store, vec![closed(1, 30)]);
    let expected = [("alert.opened", "sent"), ("alert.resolved", "sent")];
    assert_eq!(outbox(&store), expected);
}

#[test]
fn an_acknowledgement_cancels_the_messages_that_wait() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
    let acknowledged = change(1, SubjectChange::Acknowledged, MessageSeverity::High, 20);
    announce_all(&store, vec![acknowledged.clone()]);
    let expected = [("alert.opened", "acknowledged"), ("alert.opened", "queued")];
    assert_eq!(outbox(&store), expected);
    // The end of an alert that was acknowledged in time is no news.
    announce_all(&store, vec![closed(1, 30)]);
    assert_eq!(outbox(&store), expected);
}

#[test]
fn a_severity_is_announced_when_it_reaches_that_of_the_channel() {
    let store = store();
    let mut new = new_channel("severe");
    new.settings.minimum_severity = MessageSeverity::High;
    insert(&store, new);
    let raised = |from, to, second| change(1, SubjectChange::SeverityChanged(from), to, second);
    for (announcement, count) in [
        (
            change(1, SubjectChange::Opened, MessageSeverity::Low, 10),
            0,
        ),
        (raised(MessageSeverity::Low, MessageSeverity::Medium, 11), 0),
        (
            raised(MessageSeverity::Medium, MessageSeverity::High, 12),
            1,
        ),
        (
            raised(MessageSeverity::High, MessageSeverity::Critical, 13),
            1,
        ),
        (
            raised(MessageSeverity::Critical, MessageSeverity::Low, 14),
            1,
        ),
        (
            raised(MessageSeverity::Low, MessageSeverity::Critical, 15),
            2,
        ),
    ] {
        announce_all(&store, vec![announcement.clone()]);
        assert_eq!(messages(&store).len(), count, "{announcement:?}");
    }
    let events: Vec<_> = messages(&store).iter().map(|one| one.event).collect();
    assert_eq!(events, [MessageEvent::AlertOpened; 2]);
}

#[test]
fn more_than_ten_alerts_are_announced_as_one() {
    let store = store();
    channel(&store, "a");
    let many = |count: i64| {
        let mut all: Vec<Announcement> = (1..=count).map(|id| opened(id, 10)).collect();
        for place in [3, 5] {
            all.get_mut(place).unwrap().content.severity = Some(MessageSeverity::Critical);
        }
        all
    };
    announce_all(&store, many(10));
    assert_eq!(messages(&store).len(), 10);
    announce_all(&store, many(11));
    let listed = messages(&store);
    assert_eq!(listed.len(), 11);
    let last = listed.last().unwrap();
    assert_eq!(last.event, MessageEvent::AlertsOpened);
    assert_eq!(last.subject, MessageSubject::NONE);
    assert_eq!(last.content.count, Some(11));
    // The first one of those with the highest severity.
    assert_eq!(last.content.title, "Alert 4");
}

#[test]
fn alerts_below_the_severity_of_a_channel_do_not_count() {
    let store = store();
    let mut new = new_channel("severe");
    new.settings.minimum_severity = MessageSeverity::Critical;
    insert(&store, new);
    let mut all: Vec<Announcement> = (1..=12).map(|id| opened(id, 10)).collect();
    all.get_mut(7).unwrap().content.severity = Some(MessageSeverity::Critical);
    announce_all(&store, all);
    let listed = messages(&store);
    let subjects: Vec<_> = listed.iter().map(|one| (one.event, one.subject)).collect();
    assert_eq!(subjects, [(MessageEvent::AlertOpened, alert(8))]);
}

#[test]
fn only_news_at_the_end_of_the_changes_is_announced() {
    let acknowledged = change(1, SubjectChange::Acknowledged, MessageSeverity::High, 11);
    for (changes, count) in [
        (vec![opened(1, 10), closed(1, 11)], 0),
        (vec![opened(1, 10), acknowledged.clone()], 0),
        (vec![opened(1, 10), closed(1, 11), opened(1, 12)], 1),
        (vec![acknowledged, opened(1, 12)], 1),
        (vec![closed(1, 11)], 0),
    ] {
        let store = store();
        channel(&store, "a");
        announce_all(&store, changes.clone());
        assert_eq!(messages(&store).len(), count, "{changes:?}");
    }
}

#[test]
fn an_inactive_channel_gets_nothing() {
    let store = store();
    let mut new = new_channel("off");
    new.settings.is_active = false;
    let id = insert(&store, new).id;
    announce_all(&store, vec![opened(1, 10)]);
    announce_all(&store, vec![closed(1, 11)]);
    assert_eq!(outbox(&store), []);
    assert_eq!(stored(&store, id).lane.due_at, None);
}

#[test]
fn a_channel_chooses_between_alerts_and_incidents() {
    let incident = |change, second| Announcement {
        subject: MessageSubject {
            kind: MessageSubjectKind::Incident,
            id: 1,
        },
        change,
        ..opened(1, second)
    };
    for (alert_events, incident_events) in [(true, false), (false, true)] {
        let store = store();
        let mut new = new_channel("a");
        new.settings.alert_events = alert_events;
        new.settings.incident_events = incident_events;
        insert(&store, new);
        let changes = vec![opened(1, 10), incident(SubjectChange::Opened, 10)];
        announce_all(&store, changes);
        deliver_all(&store, AttemptOutcome::Delivered, 20);
        announce_all(
            &store,
            vec![closed(1, 30), incident(SubjectChange::Closed, 30)],
        );
        let expected = if alert_events {
            [("alert.opened", "sent"), ("alert.resolved", "queued")]
        } else {
            [("incident.opened", "sent"), ("incident.closed", "queued")]
        };
        assert_eq!(outbox(&store), expected);
    }
}
