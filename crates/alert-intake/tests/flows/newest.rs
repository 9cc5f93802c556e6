//! The newest report of an open alert: its texts, its severity, and its flaps.

use alert_intake::flow::receive::AlertChangeKind;
use alert_intake::flow::triage::{AlertEdit, triage};
use alert_intake::model::{Alert, Delivery, IncomingAlert, Severity};
use api_conventions::ids::AlertIid;
use storage::Store as _;

use super::support::{HERE, Intake, at, ends, fires, generic, post};

/// A report about the alert `a`, firing since second 10, with other texts.
fn says(text: &str, severity: Severity) -> IncomingAlert {
    let alert = IncomingAlert {
        title: text.to_owned(),
        description: format!("{text} is described"),
        severity,
        payload: format!("{{\"text\":\"{text}\"}}"),
        ..fires('a', 10)
    };
    alert.digested()
}

fn only(intake: &Intake) -> Alert {
    let mut alerts = intake.rows(HERE).alerts;
    assert_eq!(alerts.len(), 1);
    alerts.remove(0)
}

#[test]
fn an_open_alert_keeps_its_first_report_and_shows_its_newest() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![says("first", Severity::High)])]);
    let received = intake.receive(&[
        post(101, vec![says("second", Severity::High)]),
        post(102, vec![says("third", Severity::High)]),
        post(103, vec![says("third", Severity::High)]),
    ]);
    let titles: Vec<&str> = received
        .outcomes
        .iter()
        .map(|outcome| outcome.alerts[0].1.as_str())
        .collect();
    assert_eq!(titles, ["second", "third", "third"], "as it was then");
    assert_eq!(received.changes, [], "only the texts changed");
    let alert = only(&intake);
    assert_eq!(alert.summary.title, "third");
    assert_eq!(alert.summary.description, "third is described");
    assert_eq!(alert.payload, r#"{"text":"first"}"#);
    assert_eq!(alert.newest_payload(), r#"{"text":"third"}"#);
    assert_eq!(alert.summary.started_at, at(10));
    assert_eq!(
        (alert.summary.occurrences, alert.summary.deliveries),
        (1, 4)
    );
}

#[test]
fn an_end_and_a_late_report_change_no_text() {
    let intake = Intake::default();
    intake.receive(&[
        post(100, vec![says("first", Severity::High)]),
        post(
            101,
            vec![IncomingAlert {
                started_at: Some(at(5)),
                ..says("older", Severity::Critical)
            }],
        ),
        post(
            102,
            vec![IncomingAlert {
                resolved_at: Some(at(50)),
                ..says("[resolved] first", Severity::Critical)
            }],
        ),
        post(103, vec![says("late", Severity::Critical)]),
    ]);
    let alert = only(&intake);
    assert_eq!(
        (alert.summary.title.as_str(), alert.latest_payload),
        ("first", None)
    );
    assert_eq!(alert.summary.severity, Severity::High);
}

#[test]
fn a_more_severe_report_raises_the_severity_at_once_and_says_so() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![says("a", Severity::Medium)])]);
    let raised = intake.receive(&[
        post(101, vec![says("a", Severity::Critical)]),
        post(102, vec![says("a", Severity::Low)]),
    ]);
    let changes: Vec<_> = raised
        .changes
        .iter()
        .map(|change| (change.kind, change.severity, change.at))
        .collect();
    let from = Severity::Medium;
    assert_eq!(
        changes,
        [(
            AlertChangeKind::SeverityChanged { from },
            Some(Severity::Critical),
            at(101)
        )]
    );
    assert_eq!(only(&intake).summary.severity, Severity::Critical);
    // The endpoint has the rule that a lower severity counts.
    let lowered = intake.receive(&[Delivery {
        lowers_severity: true,
        ..post(103, vec![says("b", Severity::Low)])
    }]);
    assert_eq!(lowered.changes[0].severity, Some(Severity::Low));
    assert_eq!(only(&intake).summary.severity, Severity::Low);
}

#[test]
fn repeats_do_not_undo_the_severity_that_a_user_set() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![says("first", Severity::High)])]);
    let edit = AlertEdit {
        severity: Some(Severity::Low),
        ..AlertEdit::default()
    };
    let edited = intake
        .0
        .write(move |tx| triage(tx, HERE, AlertIid::new(1), edit, at(101)));
    edited.wait().unwrap();
    intake.receive(&[post(102, vec![says("second", Severity::High)])]);
    assert_eq!(only(&intake).summary.severity, Severity::Low);
    intake.receive(&[post(103, vec![says("third", Severity::Critical)])]);
    assert_eq!(only(&intake).summary.severity, Severity::Critical);
}

#[test]
fn an_alert_that_fires_again_within_an_hour_of_its_end_flaps() {
    let intake = Intake::default();
    let flaps = || {
        let alerts = intake.rows(HERE).alerts;
        let flaps = alerts.iter().map(|alert| alert.summary.flaps);
        flaps.collect::<Vec<_>>()
    };
    intake.receive(&[
        post(100, vec![fires('a', 10)]),
        post(110, vec![ends('a', 10, 50)]),
        post(200, vec![fires('a', 150)]),
        // The sender ended it in between, which was not received.
        post(300, vec![fires('a', 250)]),
        post(310, vec![ends('a', 250, 305)]),
        post(400, vec![fires('a', 350)]),
    ]);
    assert_eq!(flaps(), [0, 2, 3]);
    let last = intake.rows(HERE).alerts.pop().unwrap().summary;
    assert!(last.is_flapping());
    intake.receive(&[
        post(410, vec![ends('a', 350, 405)]),
        post(5000, vec![fires('a', 4900)]),
    ]);
    assert_eq!(flaps(), [0, 2, 3, 0], "it was quiet for more than an hour");
    // Repeats of a payload without an end are occurrences, and no flaps.
    intake.receive(&[
        post(6000, vec![generic('b', None, None)]),
        post(6001, vec![generic('b', None, None)]),
    ]);
    assert_eq!(flaps(), [0, 2, 3, 0, 0]);
}

#[test]
fn an_alert_becomes_stale_when_its_sender_is_silent_for_too_long() {
    let intake = Intake::default();
    let watched = |delivery| Delivery {
        stale_after: Some(5),
        ..delivery
    };
    intake.receive(&[watched(post(100, vec![fires('a', 10)]))]);
    let alert = only(&intake).summary;
    assert_eq!(alert.stale_at, Some(at(400)));
    assert!(!alert.is_stale(at(399)) && alert.is_stale(at(400)));
    intake.receive(&[watched(post(390, vec![fires('a', 10)]))]);
    assert!(!only(&intake).summary.is_stale(at(400)), "it was repeated");
    intake.receive(&[watched(post(500, vec![ends('a', 10, 450)]))]);
    assert!(!only(&intake).summary.is_stale(at(9000)), "it is over");
}
