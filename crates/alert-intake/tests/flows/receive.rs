//! Single POSTs in sequence: what is created, counted, resolved and recognised (`ALRT-03`, `ALRT-08`).

use alert_intake::flow::receive::AlertChangeKind;
use alert_intake::model::AlertStatus;
use api_conventions::ids::AlertIid;

use crate::support::{HERE, Intake, THERE, at, counts, ends, fires, item, post, post_to};

#[test]
fn a_first_firing_is_an_alert_with_the_fields_of_its_payload() {
    let intake = Intake::default();
    let received = intake.receive(&[post(100, vec![fires('a', 10)])]);
    assert_eq!(
        received.outcomes[0].alerts,
        [(AlertIid::new(1), "a".to_owned())]
    );
    assert_eq!(received.outcomes[0].counts, counts(1, 0, 0, 0));
    let rows = intake.rows(HERE);
    let alert = &rows.alerts[0].summary;
    assert_eq!((alert.iid, alert.project_id), (AlertIid::new(1), HERE));
    assert_eq!(alert.status, AlertStatus::Triggered);
    assert_eq!((alert.started_at, alert.last_start.at), (at(10), at(10)));
    assert_eq!((alert.created_at, alert.updated_at), (at(100), at(100)));
    assert_eq!((alert.occurrences, alert.deliveries), (1, 1));
    assert_eq!(rows.alerts[0].payload, fires('a', 10).payload);
}

#[test]
fn without_a_start_the_arrival_is_the_start() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![item('a', None, None)])]);
    assert_eq!(intake.rows(HERE).alerts[0].summary.started_at, at(100));
}

#[test]
fn the_same_start_again_is_a_repeat_and_a_newer_one_an_occurrence() {
    let intake = Intake::default();
    assert_eq!(
        intake.counts_of(post(100, vec![fires('a', 10)])),
        counts(1, 0, 0, 0)
    );
    assert_eq!(
        intake.counts_of(post(101, vec![fires('a', 10)])),
        counts(0, 0, 0, 1)
    );
    assert_eq!(
        intake.counts_of(post(102, vec![fires('a', 20)])),
        counts(0, 1, 0, 0)
    );
    assert_eq!(
        intake.counts_of(post(103, vec![fires('a', 15)])),
        counts(0, 0, 0, 1)
    );
    let rows = intake.rows(HERE);
    assert_eq!(rows.outline(), [("a", None, 2, 4)]);
    let alert = &rows.alerts[0].summary;
    assert_eq!((alert.started_at, alert.last_start.at), (at(10), at(20)));
    assert_eq!((alert.created_at, alert.updated_at), (at(100), at(103)));
}

#[test]
fn a_repeat_changes_neither_text_nor_severity() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![fires('a', 10)])]);
    let mut other = fires('a', 20);
    other.title = "another title".to_owned();
    other.description = "another description".to_owned();
    let received = intake.receive(&[post(101, vec![other])]);
    assert_eq!(
        received.outcomes[0].alerts,
        [(AlertIid::new(1), "a".to_owned())]
    );
    let alert = &intake.rows(HERE).alerts[0];
    assert_eq!(alert.summary.title, "a");
    assert_eq!(
        alert.payload,
        fires('a', 10).payload,
        "the first payload is kept"
    );
}

#[test]
fn payloads_without_a_start_count_each_time() {
    let intake = Intake::default();
    for second in 100..103 {
        intake.receive(&[post(second, vec![item('a', None, None)])]);
    }
    assert_eq!(intake.rows(HERE).outline(), [("a", None, 3, 3)]);
}

/// ALRT-03.
#[test]
fn an_end_resolves_and_a_newer_start_creates_a_new_alert() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![fires('a', 10)])]);
    assert_eq!(
        intake.counts_of(post(101, vec![ends('a', 10, 50)])),
        counts(0, 0, 1, 0)
    );
    assert_eq!(
        intake.counts_of(post(102, vec![ends('a', 10, 50)])),
        counts(0, 0, 0, 1)
    );
    assert_eq!(
        intake.counts_of(post(103, vec![fires('a', 10)])),
        counts(0, 0, 0, 1)
    );
    assert_eq!(
        intake.counts_of(post(104, vec![fires('a', 60)])),
        counts(1, 0, 0, 0)
    );
    let expected = [("a", Some(at(50)), 1, 4), ("a", None, 1, 1)];
    assert_eq!(intake.rows(HERE).outline(), expected);
}

#[test]
fn an_end_of_the_unknown_is_stored_as_over() {
    let intake = Intake::default();
    let received = intake.receive(&[post(100, vec![ends('a', 10, 50)])]);
    assert_eq!(received.outcomes[0].counts, counts(0, 0, 1, 0));
    let kinds: Vec<AlertChangeKind> = received.changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [AlertChangeKind::Opened, AlertChangeKind::Resolved]);
    assert_eq!(
        intake.counts_of(post(101, vec![fires('a', 10)])),
        counts(0, 0, 0, 1)
    );
    assert_eq!(intake.rows(HERE).outline(), [("a", Some(at(50)), 1, 2)]);
}

#[test]
fn the_end_of_an_older_occurrence_does_not_end_the_newer_one() {
    let intake = Intake::default();
    intake.receive(&[
        post(100, vec![fires('a', 10)]),
        post(101, vec![fires('a', 60)]),
    ]);
    assert_eq!(
        intake.counts_of(post(102, vec![ends('a', 10, 50)])),
        counts(0, 0, 0, 1)
    );
    assert_eq!(intake.rows(HERE).outline(), [("a", None, 2, 3)]);
    assert_eq!(
        intake.counts_of(post(103, vec![ends('a', 60, 70)])),
        counts(0, 0, 1, 0)
    );
}

#[test]
fn the_end_of_an_occurrence_that_nobody_saw_counts_it_and_ends_it() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![fires('a', 10)])]);
    assert_eq!(
        intake.counts_of(post(101, vec![ends('a', 60, 70)])),
        counts(0, 0, 1, 0)
    );
    assert_eq!(
        intake.counts_of(post(102, vec![fires('a', 60)])),
        counts(0, 0, 0, 1)
    );
    assert_eq!(intake.rows(HERE).outline(), [("a", Some(at(70)), 2, 3)]);
}

#[test]
fn a_post_can_repeat_an_alert() {
    let intake = Intake::default();
    let alerts = vec![
        fires('a', 10),
        fires('b', 10),
        fires('a', 10),
        ends('a', 10, 50),
        fires('a', 60),
    ];
    let received = intake.receive(&[post(100, alerts)]);
    let response: Vec<(i64, &str)> = received.outcomes[0]
        .alerts
        .iter()
        .map(|(iid, title)| (iid.get(), &**title))
        .collect();
    assert_eq!(
        response,
        [(1, "a"), (2, "b"), (3, "a")],
        "each alert once, in the order of the body"
    );
    assert_eq!(received.outcomes[0].counts, counts(3, 0, 1, 1));
    let expected = [
        ("a", Some(at(50)), 1, 3),
        ("b", None, 1, 1),
        ("a", None, 1, 1),
    ];
    assert_eq!(intake.rows(HERE).outline(), expected);
}

#[test]
fn changes_are_reported_in_the_order_in_which_they_happened() {
    let intake = Intake::default();
    let group = [
        post(100, vec![fires('a', 10), fires('b', 10)]),
        post(101, vec![ends('b', 10, 50), fires('a', 10)]),
        post(102, vec![ends('a', 10, 50), fires('b', 60)]),
    ];
    let changes = intake.receive(&group).changes;
    let response: Vec<_> = changes
        .iter()
        .map(|change| (change.iid.get(), change.kind, change.at))
        .collect();
    let (opened, resolved) = (AlertChangeKind::Opened, AlertChangeKind::Resolved);
    let expected = [
        (1, opened, at(100)),
        (2, opened, at(100)),
        (2, resolved, at(101)),
        (1, resolved, at(102)),
        (3, opened, at(102)),
    ];
    assert_eq!(response, expected);
}

#[test]
fn projects_count_their_alerts_on_their_own() {
    let intake = Intake::default();
    let group = [
        post(100, vec![fires('a', 10)]),
        post_to(THERE, 100, vec![fires('a', 10), fires('b', 10)]),
        post(101, vec![fires('b', 10)]),
    ];
    intake.receive(&group);
    for project in [HERE, THERE] {
        let rows = intake.rows(project);
        let iids: Vec<i64> = rows
            .alerts
            .iter()
            .map(|alert| alert.summary.iid.get())
            .collect();
        assert_eq!(iids, [1, 2]);
        assert_eq!(rows.outline(), [("a", None, 1, 1), ("b", None, 1, 1)]);
    }
}

#[test]
fn each_post_leaves_a_receipt_even_if_it_changes_nothing() {
    let intake = Intake::default();
    let mut first = post(100, vec![fires('a', 10), fires('b', 10)]);
    first.context.notes.push("odd".to_owned());
    first.context.truncated_alerts = 3;
    let context = first.context.clone();
    intake.receive(&[first, post(101, vec![]), post(102, vec![fires('a', 10)])]);
    let receipts = intake.rows(HERE).receipts;
    let response: Vec<_> = receipts
        .iter()
        .map(|row| {
            (
                row.receipt.received_at,
                row.receipt.counts,
                row.receipt.body_bytes,
            )
        })
        .collect();
    let expected = [
        (at(100), counts(2, 0, 0, 0), 200),
        (at(101), counts(0, 0, 0, 0), 0),
        (at(102), counts(0, 0, 0, 1), 100),
    ];
    assert_eq!(response, expected);
    assert_eq!(receipts[0].receipt.context, context);
}

#[test]
fn ten_thousand_alerts_in_one_post_are_stored_and_a_retry_doubles_none() {
    let alerts: Vec<_> = (0..10_000_u32)
        .map(|number| {
            let mut alert = fires('a', 10);
            let mut identity = [0; 32];
            identity[..4].copy_from_slice(&number.to_le_bytes());
            alert.identity = alert_intake::model::AlertIdentity::from_bytes(identity);
            alert
        })
        .collect();
    let intake = Intake::default();
    assert_eq!(
        intake.counts_of(post(100, alerts.clone())),
        counts(10_000, 0, 0, 0)
    );
    assert_eq!(intake.counts_of(post(101, alerts)), counts(0, 0, 0, 10_000));
    let rows = intake.rows(HERE);
    assert_eq!(rows.alerts.len(), 10_000);
    assert!(rows.outline().iter().all(|row| *row == ("a", None, 1, 2)));
}
#[test]
fn a_post_can_resolve_a_stored_alert_and_open_its_successor() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![fires('a', 10)])]);
    let both = post(101, vec![ends('a', 10, 50), fires('a', 60)]);
    assert_eq!(intake.counts_of(both), counts(1, 0, 1, 0));
    assert_eq!(
        intake.rows(HERE).outline(),
        [("a", Some(at(50)), 1, 2), ("a", None, 1, 1)]
    );
}
