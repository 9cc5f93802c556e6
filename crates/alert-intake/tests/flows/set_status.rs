//! Manual status changes, and the effect of later deliveries.

use alert_intake::flow::set_status::{RequestedStatus, SetStatusError};
use alert_intake::model::AlertStatus;
use api_conventions::error::ApiError;
use api_conventions::ids::AlertIid;

use crate::support::{HERE, Intake, at, counts, ends, fires, post};

const ALL: [RequestedStatus; 4] = [
    RequestedStatus::Triggered,
    RequestedStatus::Acknowledged,
    RequestedStatus::Resolved,
    RequestedStatus::Ignored,
];

fn with_one_alert() -> Intake {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![fires('a', 10)])]);
    intake
}

#[test]
fn every_status_can_change_to_every_other() {
    for from in ALL {
        for to in ALL {
            let intake = with_one_alert();
            intake.set(1, from, 200).unwrap();
            let before = intake.rows(HERE).alerts.remove(0);
            let response = intake.set(1, to, 300).unwrap();
            let after = intake.rows(HERE).alerts.remove(0);
            assert_eq!(response, (before.clone(), after.clone()), "{from:?} {to:?}");
            if from == to {
                assert_eq!(after, before, "{from:?} again writes nothing");
            } else {
                assert_eq!(
                    (after.summary.status, after.summary.updated_at),
                    (to.at(at(300)), at(300))
                );
            }
        }
    }
}

#[test]
fn a_second_resolved_keeps_the_first_end() {
    let intake = with_one_alert();
    intake.set(1, RequestedStatus::Resolved, 200).unwrap();
    intake.set(1, RequestedStatus::Resolved, 300).unwrap();
    assert_eq!(
        intake.status(1),
        AlertStatus::Resolved { ended_at: at(200) }
    );
}

#[test]
fn an_unknown_alert_is_not_found() {
    let intake = with_one_alert();
    for iid in [0, 2, -1, i64::MAX] {
        let refused = intake.set(iid, RequestedStatus::Resolved, 200).unwrap_err();
        assert!(
            matches!(refused, SetStatusError::NotFound),
            "{iid}: {refused}"
        );
        let response = ApiError::from(refused);
        assert_eq!(
            (response.status(), response.body()["message"].as_str()),
            (404, Some("404 Alert Not Found"))
        );
    }
}

#[test]
fn an_alert_is_not_opened_beside_an_open_one_of_its_identity() {
    let intake = with_one_alert();
    intake.receive(&[post(101, vec![ends('a', 10, 50)])]);
    intake.receive(&[post(102, vec![fires('a', 60)])]);
    let before = intake.rows(HERE);
    for wanted in [
        RequestedStatus::Triggered,
        RequestedStatus::Acknowledged,
        RequestedStatus::Ignored,
    ] {
        let refused = intake.set(1, wanted, 200).unwrap_err();
        assert!(matches!(refused, SetStatusError::IdentityOpen(iid) if iid == AlertIid::new(2)));
        let response = ApiError::from(refused);
        assert_eq!(response.status(), 400);
        assert!(
            response.body().to_string().contains("(alert 2)"),
            "the message names the solution"
        );
    }
    assert_eq!(intake.rows(HERE), before, "a refusal writes nothing");
    intake.set(2, RequestedStatus::Resolved, 200).unwrap();
    intake.set(1, RequestedStatus::Triggered, 201).unwrap();
    assert_eq!(intake.status(1), AlertStatus::Triggered);
}

/// ALRT-08.
#[test]
fn acknowledged_and_ignored_alerts_absorb_repeats_and_stay_so() {
    for (wanted, status) in [
        (RequestedStatus::Acknowledged, AlertStatus::Acknowledged),
        (RequestedStatus::Ignored, AlertStatus::Ignored),
    ] {
        let intake = with_one_alert();
        intake.set(1, wanted, 200).unwrap();
        assert_eq!(
            intake.counts_of(post(201, vec![fires('a', 20)])),
            counts(0, 1, 0, 0)
        );
        assert_eq!(
            intake.counts_of(post(202, vec![fires('a', 20)])),
            counts(0, 0, 0, 1)
        );
        assert_eq!(intake.status(1), status);
        assert_eq!(
            intake.counts_of(post(203, vec![ends('a', 20, 50)])),
            counts(0, 0, 1, 0)
        );
        assert_eq!(intake.status(1), AlertStatus::Resolved { ended_at: at(50) });
    }
}

#[test]
fn an_alert_that_still_fires_after_a_manual_end_opens_another_once() {
    let intake = with_one_alert();
    intake.set(1, RequestedStatus::Resolved, 200).unwrap();
    // Two peers deliver the same report.
    let again = intake.receive(&[post(201, vec![fires('a', 10)])]);
    assert_eq!(again.outcomes[0].counts, counts(1, 0, 0, 0));
    let opened = &again.changes[0];
    let (_, old) = opened.instead_of.unwrap();
    assert_eq!((opened.iid, old), (AlertIid::new(2), AlertIid::new(1)));
    let peer = intake.counts_of(post(202, vec![fires('a', 10)]));
    assert_eq!(peer, counts(0, 0, 0, 1));
    assert_eq!(
        intake.status(1),
        AlertStatus::Resolved { ended_at: at(200) }
    );
    // After the sender's own end, reports with that start are late, also if a user resolved the alert first.
    intake.set(2, RequestedStatus::Resolved, 300).unwrap();
    let end = intake.counts_of(post(301, vec![ends('a', 10, 250)]));
    assert_eq!(end, counts(0, 0, 0, 1));
    let late = intake.counts_of(post(302, vec![fires('a', 10)]));
    assert_eq!(late, counts(0, 0, 0, 1));
    assert_eq!(
        intake.counts_of(post(303, vec![fires('a', 260)])),
        counts(1, 0, 0, 0)
    );
}

#[test]
fn all_reports_of_one_group_count_once_after_a_manual_end() {
    let intake = with_one_alert();
    intake.set(1, RequestedStatus::Resolved, 200).unwrap();
    let group = intake.receive(&[
        post(199, vec![fires('a', 10)]),
        post(201, vec![fires('a', 10)]),
        post(202, vec![fires('a', 10), ends('a', 10, 203)]),
        post(204, vec![fires('a', 10)]),
    ]);
    let counted: Vec<_> = group.outcomes.iter().map(|one| one.counts).collect();
    let expected = [
        counts(0, 0, 0, 1),
        counts(1, 0, 0, 0),
        counts(0, 0, 1, 1),
        counts(0, 0, 0, 1),
    ];
    assert_eq!(counted, expected);
}

#[test]
fn an_occurrence_that_was_over_before_the_end_by_hand_is_old_news() {
    let intake = with_one_alert();
    intake.set(1, RequestedStatus::Resolved, 200).unwrap();
    let late = post(201, vec![ends('a', 150, 180), ends('b', 150, 180)]);
    assert_eq!(intake.counts_of(late), counts(0, 0, 1, 1));
    let after = post(202, vec![ends('a', 150, 201)]);
    assert_eq!(intake.counts_of(after), counts(0, 0, 1, 0));
}

#[test]
fn words_and_numbers_of_statuses() {
    let words = ["triggered", "acknowledged", "resolved", "ignored"];
    for (number, (word, wanted)) in (0_i16..).zip(words.into_iter().zip(ALL)) {
        assert_eq!(
            (RequestedStatus::parse(word), wanted.number()),
            (Some(wanted), number)
        );
        assert_eq!(wanted.at(at(5)).as_str(), word);
    }
    for wrong in ["", "Resolved", "open", "2", " resolved"] {
        assert_eq!(RequestedStatus::parse(wrong), None, "{wrong:?}");
    }
}
