//! POSTs with an `Idempotency-Key`: retries are recognized, however often they come and however they are grouped.

use alert_intake::flow::receive::KeyReused;
use alert_intake::model::{Delivery, IdempotencyRecord};
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, IntegrationId};

use crate::support::{HERE, Intake, THERE, at, counts, generic, keyed, post, post_to};

/// Creates a POST of one generic alert at this second, with a key and a body.
fn sent(second: i64, key: &str, body: &str) -> Delivery {
    keyed(post(second, vec![generic('a', Some(10), None)]), key, body)
}

#[test]
fn a_retry_gets_the_answer_of_the_first_try_and_changes_nothing() {
    let groups: [&[&[Delivery]]; 2] = [
        &[
            &[sent(100, "k", "b")],
            &[sent(101, "k", "b")],
            &[sent(102, "k", "b")],
        ],
        &[&[
            sent(100, "k", "b"),
            sent(101, "k", "b"),
            sent(102, "k", "b"),
        ]],
    ];
    for groups in groups {
        let intake = Intake::default();
        let received: Vec<_> = groups.iter().map(|group| intake.receive(group)).collect();
        let outcomes: Vec<_> = received
            .iter()
            .flat_map(|received| &received.outcomes)
            .collect();
        for (number, outcome) in outcomes.into_iter().enumerate() {
            assert_eq!(outcome.alerts, [(AlertIid::new(1), "a".to_owned())]);
            assert_eq!(
                outcome.changes.is_empty(),
                number > 0,
                "the feed lists it once"
            );
        }
        let rows = intake.rows(HERE);
        assert_eq!(rows.outline(), [("a", None, 1, 1)]);
        assert_eq!(rows.receipts.len(), 3);
        let retry = &rows.receipts[2].receipt;
        assert_eq!(retry.counts, counts(0, 0, 0, 1));
        let note = "retry with a known Idempotency-Key; no changes";
        assert_eq!(retry.context.notes, [note]);
    }
}

/// The first response stays valid, whatever happened to its alerts since.
#[test]
fn a_late_retry_does_not_reopen_a_resolved_alert() {
    let intake = Intake::default();
    let first = intake.receive(&[sent(100, "k", "b")]);
    intake.receive(&[post(101, vec![generic('a', Some(10), Some(50))])]);
    let retry = intake.receive(&[sent(102, "k", "b")]);
    assert_eq!(retry.outcomes[0].alerts, first.outcomes[0].alerts);
    assert_eq!(intake.rows(HERE).outline(), [("a", Some(at(50)), 1, 2)]);
}

#[test]
fn another_key_or_none_counts_again() {
    let intake = Intake::default();
    let without = post(103, vec![generic('a', Some(10), None)]);
    intake.receive(&[
        sent(100, "k", "b"),
        sent(101, "l", "b"),
        sent(102, "K", "b"),
        without,
    ]);
    assert_eq!(intake.rows(HERE).outline(), [("a", None, 4, 4)]);
}

#[test]
fn a_key_with_another_body_is_refused_and_leaves_nothing_behind() {
    for together in [true, false] {
        let intake = Intake::default();
        let posts = [
            sent(100, "k", "b"),
            sent(101, "k", "c"),
            sent(102, "k", "b"),
        ];
        let verdicts: Vec<_> = if together {
            intake.decide(&posts)
        } else {
            posts
                .chunks(1)
                .flat_map(|post| intake.decide(post))
                .collect()
        };
        let refused: Vec<bool> = verdicts.iter().map(Result::is_err).collect();
        assert_eq!(refused, [false, true, false]);
        let rows = intake.rows(HERE);
        assert_eq!(rows.outline(), [("a", None, 1, 1)]);
        assert_eq!(rows.receipts.len(), 2);
    }
    let response = ApiError::from(KeyReused);
    assert_eq!(response.status(), 422);
    assert!(
        response.body().to_string().contains("new key"),
        "{response}"
    );
}

#[test]
fn keys_of_other_endpoints_have_nothing_to_do_with_it() {
    let intake = Intake::default();
    let elsewhere = keyed(
        post_to(THERE, 100, vec![generic('a', None, None)]),
        "k",
        "c",
    );
    let beside = Delivery {
        integration_id: IntegrationId::new(7),
        ..sent(100, "k", "d")
    };
    intake.receive(&[sent(100, "k", "b"), elsewhere, beside]);
    assert_eq!(intake.rows(HERE).outline(), [("a", None, 2, 2)]);
    assert_eq!(intake.rows(THERE).outline(), [("a", None, 1, 1)]);
}

#[test]
fn after_a_day_a_key_is_a_new_one_with_any_body() {
    for together in [true, false] {
        let last = 100 + IdempotencyRecord::RETENTION_SECONDS;
        let posts = [
            sent(100, "k", "b"),
            sent(last - 1, "k", "b"),
            sent(last, "k", "c"),
            sent(last + 1, "k", "c"),
            sent(last + 2, "k", "b"),
        ];
        let intake = Intake::default();
        let verdicts: Vec<_> = if together {
            intake.decide(&posts)
        } else {
            posts
                .chunks(1)
                .flat_map(|post| intake.decide(post))
                .collect()
        };
        let refused: Vec<bool> = verdicts.iter().map(Result::is_err).collect();
        assert_eq!(refused, [false, false, false, false, true]);
        assert_eq!(intake.rows(HERE).outline(), [("a", None, 2, 2)]);
    }
}

#[test]
fn an_empty_post_keeps_its_empty_answer() {
    let intake = Intake::default();
    for second in 100..102 {
        let received = intake.receive(&[keyed(post(second, vec![]), "k", "b")]);
        assert_eq!(received.outcomes[0].alerts, []);
    }
    assert_eq!(intake.rows(HERE).receipts.len(), 2);
}
