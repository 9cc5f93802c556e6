//! Alerts that Prometheus posts as to an Alertmanager: replicas, and ends that are not reported.

use alert_intake::flow::expire::{SLACK_SECONDS, expire};
use alert_intake::flow::receive::receive;
use alert_intake::model::{AlertExpiry, AlertStatus, Delivery, IncomingAlert};
use alert_intake::store::SilenceRepository as _;
use storage::{Store as _, StoreError};

use crate::support::{HERE, Intake, at, counts, ends, fires, post};

/// POST of alerts that fire, each until `end` unless it is posted again.
fn posted(delivery: Delivery, end: i64) -> Delivery {
    let expiry = |alert: &IncomingAlert| AlertExpiry {
        project_id: delivery.project_id,
        identity: alert.identity,
        integration_id: delivery.integration_id,
        expires_at: at(end),
    };
    Delivery {
        expiries: delivery.alerts.iter().map(expiry).collect(),
        ..delivery
    }
}

/// Stores a POST and its expiries, as a host does.
fn send(intake: &Intake, delivery: Delivery) {
    let expiries = delivery.expiries.clone();
    intake.receive(&[delivery]);
    let put = intake.0.write(move |tx| tx.put_expiries(&expiries)).wait();
    put.unwrap();
}

/// Ends what expired by `now`, and returns the number of reports.
fn end_expired(intake: &Intake, now: i64) -> usize {
    let ended = intake.0.write(move |tx| {
        let ends = expire(tx, HERE, at(now))?;
        receive(tx, &ends.iter().collect::<Vec<_>>())?;
        Ok::<_, StoreError>(ends.len())
    });
    ended.wait().unwrap()
}

#[test]
fn replicas_with_starts_of_their_own_report_one_occurrence() {
    let intake = Intake::default();
    send(&intake, posted(post(100, vec![fires('a', 10)]), 400));
    // The other replica saw it two seconds later.
    send(&intake, posted(post(101, vec![fires('a', 12)]), 401));
    send(&intake, posted(post(160, vec![fires('a', 10)]), 460));
    let alerts = intake.rows(HERE).alerts;
    let alert = &alerts[0].summary;
    assert_eq!((alerts.len(), alert.occurrences, alert.flaps), (1, 1, 0));
    assert_eq!((alert.started_at, alert.last_start.at), (at(10), at(12)));
    // One replica sees the end first, and the other still fires.
    let first_end = post(200, vec![ends('a', 10, 190)]);
    assert_eq!(intake.counts_of(first_end), counts(0, 0, 1, 0));
    send(&intake, posted(post(201, vec![fires('a', 12)]), 501));
    intake.receive(&[post(202, vec![ends('a', 12, 192)])]);
    assert_eq!(intake.rows(HERE).alerts.len(), 1);
    // It fires again.
    send(&intake, posted(post(300, vec![fires('a', 290)]), 600));
    assert_eq!(intake.rows(HERE).alerts.len(), 2);
}

#[test]
fn an_alert_that_is_not_posted_again_ends_at_its_announced_end() {
    let intake = Intake::default();
    send(
        &intake,
        posted(post(100, vec![fires('a', 10), fires('b', 10)]), 400),
    );
    send(&intake, posted(post(160, vec![fires('b', 10)]), 460));
    assert_eq!(end_expired(&intake, 400 + SLACK_SECONDS - 1), 0);
    assert_eq!(end_expired(&intake, 400 + SLACK_SECONDS), 1);
    let status = |title: &str| {
        let alerts = intake.rows(HERE).alerts;
        let found = alerts
            .into_iter()
            .find(|alert| alert.summary.title == title);
        found.unwrap().summary.status
    };
    assert_eq!(status("a"), AlertStatus::Resolved { ended_at: at(400) });
    assert_eq!(status("b"), AlertStatus::Triggered);
    assert_eq!(end_expired(&intake, 400 + SLACK_SECONDS), 0);
    let last = intake.rows(HERE).receipts.pop().unwrap();
    let note = &last.receipt.context.notes[0];
    assert!(note.contains("1 alert was not reported again"), "{note}");
    // An end that was reported leaves nothing to end.
    intake.receive(&[post(420, vec![ends('b', 10, 420)])]);
    assert_eq!(end_expired(&intake, 460 + SLACK_SECONDS), 0);
    assert_eq!(status("b"), AlertStatus::Resolved { ended_at: at(420) });
}
