//! Generic payloads count on every arrival (`ALRT-08`), and an end resolves the alert (`ALRT-03`).

use alert_intake::flow::set_status::RequestedStatus;

use crate::support::{HERE, Intake, at, counts, generic, post};

/// ALRT-08. The specification's rows: an identical payload raises the counter of the open alert, and creates a new
/// alert after that one was resolved, even with the same start.
#[test]
fn identical_payloads_count_on_the_open_alert_or_create_a_new_one() {
    for start in [None, Some(10)] {
        let intake = Intake::default();
        for second in 100..103 {
            intake.receive(&[post(second, vec![generic('a', start, None)])]);
        }
        assert_eq!(intake.rows(HERE).outline(), [("a", None, 3, 3)]);
        let over = post(103, vec![generic('a', start, Some(104))]);
        assert_eq!(intake.counts_of(over), counts(0, 0, 1, 0));
        let again = post(105, vec![generic('a', start, None)]);
        assert_eq!(intake.counts_of(again), counts(1, 0, 0, 0));
        let expected = [("a", Some(at(104)), 3, 4), ("a", None, 1, 1)];
        assert_eq!(intake.rows(HERE).outline(), expected);
    }
}

/// ALRT-08.
#[test]
fn an_older_start_counts_too_and_moves_nothing_back() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![generic('a', Some(50), None)])]);
    let older = post(101, vec![generic('a', Some(40), None)]);
    assert_eq!(intake.counts_of(older), counts(0, 1, 0, 0));
    let rows = intake.rows(HERE);
    let alert = &rows.alerts[0].summary;
    assert_eq!((alert.started_at, alert.last_start.at), (at(50), at(50)));
}

/// ALRT-08.
#[test]
fn an_identical_start_after_manual_resolution_creates_a_new_alert() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![generic('a', Some(10), None)])]);
    intake.set(1, RequestedStatus::Resolved, 200).unwrap();
    let again = post(201, vec![generic('a', Some(10), None)]);
    assert_eq!(intake.counts_of(again), counts(1, 0, 0, 0));
}

/// ALRT-03. The alert is open since its arrival, which is later than the end that its sender states.
#[test]
fn an_end_before_the_arrival_used_as_start_resolves_the_alert() {
    for start in [None, Some(20)] {
        let intake = Intake::default();
        intake.receive(&[post(100, vec![generic('a', None, None)])]);
        let over = post(101, vec![generic('a', start, Some(30))]);
        assert_eq!(intake.counts_of(over), counts(0, 0, 1, 0));
        // An alert cannot end before it began.
        assert_eq!(intake.rows(HERE).outline(), [("a", Some(at(100)), 1, 2)]);
    }
}

/// ALRT-03. Here too the arrival substitutes for the last start, of an alert whose first start was stated.
#[test]
fn an_end_before_a_counted_arrival_resolves() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![generic('a', Some(10), None)])]);
    intake.receive(&[post(101, vec![generic('a', None, None)])]);
    let over = post(102, vec![generic('a', Some(10), Some(90))]);
    assert_eq!(intake.counts_of(over), counts(0, 0, 1, 0));
    assert_eq!(intake.rows(HERE).outline(), [("a", Some(at(101)), 2, 3)]);
}

/// A repeated end says nothing new: the alert is already resolved.
#[test]
fn a_repeated_end_creates_no_second_alert() {
    let intake = Intake::default();
    intake.receive(&[post(100, vec![generic('a', Some(10), None)])]);
    for (second, expected) in [(101, counts(0, 0, 1, 0)), (102, counts(0, 0, 0, 1))] {
        let over = post(second, vec![generic('a', Some(10), Some(50))]);
        assert_eq!(intake.counts_of(over), expected);
    }
    assert_eq!(intake.rows(HERE).outline(), [("a", Some(at(50)), 1, 3)]);
}
