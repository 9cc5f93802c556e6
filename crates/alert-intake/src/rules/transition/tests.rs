//! The table of transitions, and what it comes to when reports are repeated and overtake each other.

use proptest::prelude::*;

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// An alert that is open; its latest occurrence began then.
fn open(last: i64) -> Known {
    Known {
        status: AlertStatus::Triggered,
        last_started_at: at(last),
    }
}

/// An alert that is over.
fn over(last: i64, end: i64) -> Known {
    Known {
        status: AlertStatus::Resolved { ended_at: at(end) },
        last_started_at: at(last),
    }
}

/// A report that comes at second 1000.
fn report(start: Option<i64>, end: Option<i64>) -> Report {
    Report {
        started_at: start.map(at),
        resolved_at: end.map(at),
        received_at: at(1000),
    }
}

fn opened(start: i64) -> Transition {
    Transition::Open {
        started_at: at(start),
    }
}

fn opened_resolved(start: i64, end: i64) -> Transition {
    Transition::OpenResolved {
        started_at: at(start),
        ended_at: at(end),
    }
}

fn counted(start: i64) -> Transition {
    Transition::Count {
        started_at: at(start),
    }
}

fn resolved(end: i64, unseen_start: Option<i64>) -> Transition {
    Transition::Resolve {
        ended_at: at(end),
        unseen_start: unseen_start.map(at),
    }
}

/// Checks what reports do to an alert: what it shows, when the report says that it began and ended, and what
/// becomes of it.
fn check(known: Option<Known>, cases: &[(&str, Option<i64>, Option<i64>, Transition)]) {
    for (name, start, end, expected) in cases {
        assert_eq!(decide(known, report(*start, *end)), *expected, "{name}");
    }
}

#[test]
fn a_report_of_something_unknown_opens_an_alert() {
    check(
        None,
        &[
            ("firing", Some(10), None, opened(10)),
            ("no start: the moment of arrival", None, None, opened(1000)),
            ("an end", Some(10), Some(20), opened_resolved(10, 20)),
            (
                "an end without start",
                None,
                Some(20),
                opened_resolved(20, 20),
            ),
        ],
    );
}

#[test]
fn a_report_of_an_open_alert_repeats_counts_or_ends_it() {
    check(
        Some(open(10)),
        &[
            ("the same start", Some(10), None, Transition::Repeat),
            ("an older start", Some(9), None, Transition::Repeat),
            ("a newer start", Some(11), None, counted(11)),
            ("no start", None, None, counted(1000)),
            ("its end", Some(10), Some(20), resolved(20, None)),
            (
                "its end, start moved back",
                Some(5),
                Some(20),
                resolved(20, None),
            ),
            (
                "its end within the second",
                Some(10),
                Some(10),
                resolved(10, None),
            ),
            (
                "the end of an older occurrence",
                Some(5),
                Some(9),
                Transition::Repeat,
            ),
            (
                "the end of one never seen",
                Some(15),
                Some(20),
                resolved(20, Some(15)),
            ),
            ("an end without start", None, Some(20), resolved(20, None)),
        ],
    );
}

#[test]
fn a_report_of_an_alert_that_is_over_repeats_or_opens_another() {
    check(
        Some(over(10, 20)),
        &[
            ("a late firing", Some(10), None, Transition::Repeat),
            ("a newer firing", Some(21), None, opened(21)),
            ("a firing without start", None, None, opened(1000)),
            ("the same end", Some(10), Some(20), Transition::Repeat),
            (
                "the same end, start moved back",
                Some(5),
                Some(20),
                Transition::Repeat,
            ),
            (
                "the end of a newer one",
                Some(30),
                Some(40),
                opened_resolved(30, 40),
            ),
            (
                "the same end without start",
                None,
                Some(20),
                Transition::Repeat,
            ),
            (
                "a later end without start",
                None,
                Some(21),
                opened_resolved(21, 21),
            ),
        ],
    );
}

/// All alerts of one identity: the state of each, the latest last.
fn apply(reports: &[Report]) -> Vec<Known> {
    let mut alerts: Vec<Known> = Vec::new();
    for &report in reports {
        let open = alerts.iter().rposition(|alert| alert.status.is_open());
        let latest = open.or_else(|| alerts.len().checked_sub(1));
        match decide(latest.map(|at| alerts[at]), report) {
            Transition::Open { started_at } => {
                assert!(open.is_none(), "two open alerts of one identity");
                alerts.push(Known {
                    status: AlertStatus::Triggered,
                    last_started_at: started_at,
                });
            }
            Transition::OpenResolved {
                started_at,
                ended_at,
            } => {
                assert!(open.is_none(), "a resolved alert beside an open one");
                alerts.push(Known {
                    status: AlertStatus::Resolved { ended_at },
                    last_started_at: started_at,
                });
            }
            Transition::Count { started_at } => {
                alerts[latest.unwrap()].last_started_at = started_at;
            }
            Transition::Resolve {
                ended_at,
                unseen_start,
            } => {
                let alert = &mut alerts[latest.unwrap()];
                alert.status = AlertStatus::Resolved { ended_at };
                alert.last_started_at = unseen_start.unwrap_or(alert.last_started_at);
            }
            Transition::Repeat => {}
        }
    }
    alerts
}

/// Occurrences of one alert that do not overlap, each with a firing and an end; the last may still fire.
fn history() -> impl Strategy<Value = Vec<Report>> {
    (1_usize..5, any::<bool>()).prop_map(|(count, last_fires)| {
        let mut reports = Vec::new();
        for number in 0..i64::try_from(count).unwrap() {
            let (start, end) = (number * 100, number * 100 + 50);
            reports.push(report(Some(start), None));
            let is_last = number + 1 == i64::try_from(count).unwrap();
            if !(is_last && last_fires) {
                reports.push(report(Some(start), Some(end)));
            }
        }
        reports
    })
}

proptest! {
    #[test]
    fn any_order_with_any_repeats_ends_in_the_same_state(
        (reports, order) in history().prop_flat_map(|reports| {
            let mut twice = reports.clone();
            twice.extend(reports.clone());
            (Just(reports), Just(twice).prop_shuffle())
        }),
    ) {
        let straight = apply(&reports).last().map(|alert| alert.status.is_open());
        let shuffled = apply(&order).last().map(|alert| alert.status.is_open());
        prop_assert_eq!(straight, shuffled);
    }

    #[test]
    fn a_retry_of_everything_changes_nothing(reports in history()) {
        let once = apply(&reports);
        let again: Vec<Report> = reports.iter().chain(&reports).copied().collect();
        prop_assert_eq!(once, apply(&again));
    }
}
