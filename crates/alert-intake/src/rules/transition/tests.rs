//! Table of transitions, and its results when reports are repeated and overtake each other.

use proptest::prelude::*;

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// Returns an open alert whose latest occurrence began at `last`, as stated by a sender.
fn open(last: i64) -> AlertState {
    AlertState {
        status: AlertStatus::Triggered,
        last_start: Start::stated(at(last)),
    }
}

/// Returns an open alert whose latest delivery arrived at `last` without a start.
fn open_since_arrival(last: i64) -> AlertState {
    AlertState {
        last_start: Start::arrival(at(last)),
        ..open(last)
    }
}

/// Returns a resolved alert.
fn over(last: i64, end: i64) -> AlertState {
    AlertState {
        status: AlertStatus::Resolved { ended_at: at(end) },
        ..open(last)
    }
}

/// Returns a webhook report received at second 1000.
fn report(start: Option<i64>, end: Option<i64>) -> AlertReport {
    AlertReport {
        source: Source::Metrics,
        started_at: start.map(at),
        resolved_at: end.map(at),
        received_at: at(1000),
        stores_end: true,
    }
}

fn opening(start: Start, end: Option<i64>) -> Opening {
    Opening {
        start,
        ended_at: end.map(at),
    }
}

fn stated(second: i64) -> Start {
    Start::stated(at(second))
}

fn arrival(second: i64) -> Start {
    Start::arrival(at(second))
}

fn opened(start: Start) -> Transition {
    Transition::Open(opening(start, None))
}

fn opened_resolved(start: Start, end: i64) -> Transition {
    Transition::Open(opening(start, Some(end)))
}

fn counted(last_start: Start) -> Transition {
    Transition::Count { last_start }
}

fn resolved(end: i64, unseen_start: Option<i64>) -> Transition {
    Transition::Resolve {
        ended_at: at(end),
        unseen_start: unseen_start.map(stated),
    }
}

fn repeat(reason: Reason) -> Transition {
    Transition::Repeat(reason)
}

/// Start and end stated by a report, and the expected effect.
type Case<T> = (&'static str, Option<i64>, Option<i64>, T);

/// Asserts the effects of a source's reports on an alert.
#[track_caller]
fn check(source: Source, known: AlertState, cases: &[Case<Transition>]) {
    for (name, start, end, expected) in cases {
        let report = AlertReport {
            source,
            ..report(*start, *end)
        };
        assert_eq!(decide(known, report), *expected, "{source:?}: {name}");
    }
}

#[test]
fn a_report_of_something_unknown_opens_an_alert() {
    let cases: [Case<Opening>; 6] = [
        ("firing", Some(10), None, opening(stated(10), None)),
        (
            "no start: the time of arrival",
            None,
            None,
            opening(arrival(1000), None),
        ),
        ("an end", Some(10), Some(20), opening(stated(10), Some(20))),
        (
            "an end without start",
            None,
            Some(20),
            opening(arrival(20), Some(20)),
        ),
        (
            "an end before the start is the start",
            Some(10),
            Some(5),
            opening(stated(10), Some(10)),
        ),
        (
            "an end in the future",
            Some(10),
            Some(2000),
            opening(stated(10), Some(2000)),
        ),
    ];
    for source in [Source::Metrics, Source::Generic] {
        for (name, start, end, expected) in &cases {
            let report = AlertReport {
                source,
                ..report(*start, *end)
            };
            assert_eq!(first(report), *expected, "{source:?}: {name}");
        }
    }
}

#[test]
fn a_firing_of_a_webhook_while_the_alert_is_open_counts_when_its_start_is_newer() {
    check(
        Source::Metrics,
        open(10),
        &[
            ("the same start", Some(10), None, repeat(Reason::KnownStart)),
            ("an older start", Some(9), None, repeat(Reason::OlderStart)),
            ("a newer start", Some(11), None, counted(stated(11))),
            ("no start", None, None, counted(arrival(1000))),
        ],
    );
    check(
        Source::Metrics,
        open(2000),
        &[(
            "no start, after a future one",
            None,
            None,
            counted(stated(2000)),
        )],
    );
}

/// ALRT-08.
#[test]
fn a_generic_firing_while_the_alert_is_open_always_counts() {
    check(
        Source::Generic,
        open(10),
        &[
            ("the same start", Some(10), None, counted(stated(10))),
            ("an older start", Some(9), None, counted(stated(10))),
            ("a newer start", Some(11), None, counted(stated(11))),
            ("no start", None, None, counted(arrival(1000))),
        ],
    );
    check(
        Source::Generic,
        open_since_arrival(10),
        &[
            ("an older start", Some(9), None, counted(arrival(10))),
            ("the same time, stated", Some(10), None, counted(stated(10))),
        ],
    );
}

/// ALRT-03.
#[test]
fn an_end_resolves_the_open_alert_unless_it_is_certainly_that_of_an_earlier_occurrence() {
    for source in [Source::Metrics, Source::Generic] {
        check(
            source,
            open(10),
            &[
                ("its end", Some(10), Some(20), resolved(20, None)),
                ("start moved back", Some(5), Some(20), resolved(20, None)),
                (
                    "its end at its start",
                    Some(10),
                    Some(10),
                    resolved(10, None),
                ),
                ("an end without start", None, Some(20), resolved(20, None)),
                (
                    "an end before the start, without one of its own, is the start",
                    None,
                    Some(3),
                    resolved(10, None),
                ),
                (
                    "an end before the same start is the start",
                    Some(10),
                    Some(3),
                    resolved(10, None),
                ),
                (
                    "the end of an older occurrence",
                    Some(5),
                    Some(9),
                    repeat(Reason::EarlierEnd),
                ),
                (
                    "the end of an older occurrence, when the newer one began",
                    Some(5),
                    Some(10),
                    repeat(Reason::EarlierEnd),
                ),
                (
                    "an older start, and an end just after the last start",
                    Some(5),
                    Some(11),
                    resolved(11, None),
                ),
                (
                    "the end of one never seen",
                    Some(15),
                    Some(20),
                    resolved(20, Some(15)),
                ),
                (
                    "the end of one never seen, before its start",
                    Some(15),
                    Some(12),
                    resolved(15, Some(15)),
                ),
            ],
        );
    }
}

/// ALRT-03. The arrival is later than the unstated start, so an end before it proves nothing.
#[test]
fn an_end_before_a_timestamp_of_arrival_resolves() {
    for source in [Source::Metrics, Source::Generic] {
        check(
            source,
            open_since_arrival(10),
            &[
                (
                    "an older start and an end",
                    Some(5),
                    Some(9),
                    resolved(10, None),
                ),
                ("an end without start", None, Some(9), resolved(10, None)),
                ("a later end", Some(5), Some(20), resolved(20, None)),
            ],
        );
    }
}

#[test]
fn a_report_of_an_alert_that_is_over_repeats_or_opens_another() {
    for source in [Source::Metrics, Source::Generic] {
        check(
            source,
            over(10, 20),
            &[
                ("a newer firing", Some(21), None, opened(stated(21))),
                ("a firing without start", None, None, opened(arrival(1000))),
                ("the same end", Some(10), Some(20), repeat(Reason::LateEnd)),
                (
                    "the same end, start moved back",
                    Some(5),
                    Some(20),
                    repeat(Reason::LateEnd),
                ),
                ("a later end", Some(10), Some(30), repeat(Reason::LateEnd)),
                (
                    "the end of a newer one",
                    Some(30),
                    Some(40),
                    opened_resolved(stated(30), 40),
                ),
                (
                    "the end without start",
                    None,
                    Some(20),
                    repeat(Reason::LateEnd),
                ),
                (
                    "a later end without start",
                    None,
                    Some(21),
                    opened_resolved(arrival(21), 21),
                ),
                (
                    "that it is over, and nothing else",
                    None,
                    Some(1000),
                    repeat(Reason::LateEnd),
                ),
            ],
        );
    }
    check(
        Source::Metrics,
        over(10, 20),
        &[("a late firing", Some(10), None, repeat(Reason::LateFiring))],
    );
}

/// ALRT-08.
#[test]
fn a_generic_firing_after_the_end_always_opens_another() {
    check(
        Source::Generic,
        over(10, 20),
        &[
            ("the same start", Some(10), None, opened(stated(10))),
            ("an older start", Some(9), None, opened(stated(9))),
        ],
    );
}

/// Returns all alerts of one identity after these reports, latest last.
fn apply(reports: &[AlertReport]) -> Vec<AlertState> {
    let mut alerts: Vec<AlertState> = Vec::new();
    for &report in reports {
        let open = alerts.iter().rposition(|alert| alert.status.is_open());
        let Some(latest) = open.or_else(|| alerts.len().checked_sub(1)) else {
            alerts.push(new(first(report)));
            continue;
        };
        let alert = &mut alerts[latest];
        match decide(*alert, report) {
            Transition::Open(opening) => {
                assert!(open.is_none(), "an alert is opened beside an open one");
                alerts.push(new(opening));
            }
            Transition::Count { last_start } => alert.last_start = last_start,
            Transition::Resolve {
                ended_at,
                unseen_start,
            } => {
                alert.status = AlertStatus::Resolved { ended_at };
                alert.last_start = unseen_start.unwrap_or(alert.last_start);
            }
            Transition::Repeat(_) => {}
        }
    }
    alerts
}

fn new(opening: Opening) -> AlertState {
    AlertState {
        status: opening
            .ended_at
            .map_or(AlertStatus::Triggered, |ended_at| AlertStatus::Resolved {
                ended_at,
            }),
        last_start: opening.start,
    }
}

/// Generates occurrences of one alert that do not overlap, each with a firing and an end; the last may still fire.
fn history() -> impl Strategy<Value = Vec<AlertReport>> {
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
        let again: Vec<AlertReport> = reports.iter().chain(&reports).copied().collect();
        prop_assert_eq!(once, apply(&again));
    }

    #[test]
    fn no_alert_ends_before_its_last_start(
        reports in proptest::collection::vec(
            (any::<bool>(), proptest::option::of(0_i64..9), proptest::option::of(0_i64..9)), 1..12,
        ),
    ) {
        let reports: Vec<AlertReport> = reports.into_iter().map(|(is_generic, start, end)| AlertReport {
            source: if is_generic { Source::Generic } else { Source::Metrics },
            ..report(start, end)
        }).collect();
        for alert in apply(&reports) {
            let ended_at = alert.status.ended_at();
            prop_assert!(ended_at.is_none_or(|end| end >= alert.last_start.at), "{alert:?}");
        }
    }
}
