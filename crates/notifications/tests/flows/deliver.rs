//! Delivery: order, retries and leases.

use notifications::model::{AttemptOutcome, MessageState};

use crate::{
    alert, announce_all, at, attempts, channel, claim_due, deliver_all, end, messages, opened,
    outbox, run, store, stored,
};
use notifications::flow::{finish, skip};

#[test]
fn messages_are_sent_in_the_order_of_the_changes() {
    let store = store();
    let id = channel(&store, "a");
    announce_all(&store, vec![opened(3, 10), opened(1, 11)]);
    announce_all(&store, vec![opened(2, 10)]);
    assert_eq!(claim_due(&store, 9), None);
    let mut next = claim_due(&store, 12);
    let mut subjects = Vec::new();
    while let Some(delivery) = next {
        assert_eq!(delivery.message.state, MessageState::Sending);
        assert_eq!(delivery.message.attempts, 1);
        subjects.push(delivery.message.subject);
        // One message is under way at a time.
        assert_eq!(claim_due(&store, 12), None);
        next = end(&store, &delivery, AttemptOutcome::Delivered, 12);
    }
    assert_eq!(subjects, [alert(3), alert(2), alert(1)]);
    assert_eq!(outbox(&store), [("alert.opened", "sent"); 3]);
    let ends: Vec<_> = messages(&store).iter().map(|one| one.finished_at).collect();
    assert_eq!(ends, [Some(at(12)); 3]);
    assert_eq!(stored(&store, id).lane.due_at, None);
    let numbers: Vec<_> = attempts(&store)
        .iter()
        .map(|one| (one.number, one.at))
        .collect();
    assert_eq!(numbers, [(1, at(12)); 3]);
}

#[test]
fn a_failed_message_is_sent_again_under_the_same_key_before_others() {
    let store = store();
    let id = channel(&store, "a");
    announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
    let first = claim_due(&store, 10).unwrap();
    assert_eq!(end(&store, &first, AttemptOutcome::Failed, 11), None);
    let lane = stored(&store, id).lane;
    let due_at = lane.due_at.unwrap();
    assert_eq!(lane.failures, 1);
    assert!(due_at >= at(16) && due_at < at(17), "{due_at:?}");
    assert_eq!(outbox(&store), [("alert.opened", "queued"); 2]);
    assert_eq!(claim_due(&store, 15), None);
    let again = claim_due(&store, 17).unwrap();
    assert_eq!(again.message.key(), first.message.key());
    assert_eq!(
        (again.message.id, again.message.attempts),
        (first.message.id, 2)
    );
    let next = end(&store, &again, AttemptOutcome::Delivered, 18).unwrap();
    assert_eq!(next.message.subject, alert(2));
    assert_ne!(next.message.key(), first.message.key());
    assert_eq!(stored(&store, id).lane.failures, 0);
    let outcomes: Vec<_> = attempts(&store)
        .iter()
        .map(|one| (one.message_id, one.number, one.outcome))
        .collect();
    let id = first.message.id;
    let expected = [
        (id, 1, AttemptOutcome::Failed),
        (id, 2, AttemptOutcome::Delivered),
    ];
    assert_eq!(outcomes, expected);
}

#[test]
fn a_receiver_can_ask_for_a_later_attempt() {
    let store = store();
    let id = channel(&store, "a");
    announce_all(&store, vec![opened(1, 10)]);
    let delivery = claim_due(&store, 10).unwrap();
    run(&store, move |tx| {
        let mut report = crate::report(AttemptOutcome::Failed);
        report.retry_after = Some(600);
        report.detail = "x".repeat(501);
        finish(tx, &delivery, report, |_| Ok(true), at(11))
    });
    assert_eq!(stored(&store, id).lane.due_at, Some(at(611)));
    let detail = attempts(&store).first().unwrap().detail.clone();
    assert_eq!(detail.chars().count(), 500);
}

#[test]
fn a_message_is_sent_again_when_its_process_ends() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10)]);
    let lost = claim_due(&store, 10).unwrap();
    let until = lost.channel.lane.due_at.unwrap();
    let second = until.as_micros() / 1_000_000;
    assert_eq!(claim_due(&store, second - 1), None);
    let again = claim_due(&store, second).unwrap();
    assert_eq!(again.message.key(), lost.message.key());
    assert_eq!(again.message.attempts, 2);
}

#[test]
fn a_late_outcome_does_not_disturb_the_next_attempt() {
    for outcome in [
        AttemptOutcome::Delivered,
        AttemptOutcome::Failed,
        AttemptOutcome::Rejected,
        AttemptOutcome::Gone,
    ] {
        let store = store();
        channel(&store, "a");
        announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
        let late = claim_due(&store, 10).unwrap();
        let again = claim_due(&store, 1_000).unwrap();
        assert_eq!(end(&store, &late, outcome, 1_001), None, "{outcome:?}");
        assert_eq!(claim_due(&store, 1_002), None);
        let next = end(&store, &again, AttemptOutcome::Delivered, 1_003).unwrap();
        assert_eq!(next.message.subject, alert(2));
        let numbers: Vec<_> = attempts(&store)
            .iter()
            .map(|one| (one.number, one.outcome))
            .collect();
        assert_eq!(numbers, [(1, outcome), (2, AttemptOutcome::Delivered)]);
    }
}

#[test]
fn a_refused_message_does_not_hold_up_the_next_one() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
    let first = claim_due(&store, 10).unwrap();
    let next = end(&store, &first, AttemptOutcome::Rejected, 11).unwrap();
    assert_eq!(next.message.subject, alert(2));
    let expected = [("alert.opened", "failed"), ("alert.opened", "sending")];
    assert_eq!(outbox(&store), expected);
}

#[test]
fn channels_are_served_independently() {
    let store = store();
    let [first, second] = ["a", "b"].map(|name| channel(&store, name));
    announce_all(&store, vec![opened(1, 10)]);
    let one = claim_due(&store, 10).unwrap();
    let other = claim_due(&store, 10).unwrap();
    assert_eq!((one.channel.id, other.channel.id), (first, second));
    assert_ne!(one.message.key(), other.message.key());
    end(&store, &one, AttemptOutcome::Failed, 11);
    assert_eq!(end(&store, &other, AttemptOutcome::Delivered, 11), None);
    let expected = [("alert.opened", "queued"), ("alert.opened", "sent")];
    assert_eq!(outbox(&store), expected);
    assert_eq!(deliver_all(&store, AttemptOutcome::Delivered, 20).len(), 1);
}

#[test]
fn a_message_whose_reason_ended_between_two_attempts_is_cancelled() {
    let store = store();
    channel(&store, "a");
    announce_all(&store, vec![opened(1, 10), opened(2, 10)]);
    let first = claim_due(&store, 10).unwrap();
    end(&store, &first, AttemptOutcome::Failed, 11);
    let again = claim_due(&store, 17).unwrap();
    let skipped = again.clone();
    let next = run(&store, move |tx| {
        skip(tx, &skipped, MessageState::Silenced, at(18))
    })
    .unwrap();
    assert_eq!(next.message.subject, alert(2));
    let expected = [("alert.opened", "silenced"), ("alert.opened", "sending")];
    assert_eq!(outbox(&store), expected);
    let listed = messages(&store);
    assert_eq!(
        (listed[0].attempts, listed[0].finished_at),
        (1, Some(at(18)))
    );
    // The reservation of another process stays.
    let late = again.clone();
    assert_eq!(
        run(&store, move |tx| skip(
            tx,
            &late,
            MessageState::Resolved,
            at(19)
        )),
        None
    );
    assert_eq!(outbox(&store), expected);
}
