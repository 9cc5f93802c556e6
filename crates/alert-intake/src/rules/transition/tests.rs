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
        resolved_by_hand: false,
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

/// Returns an alert that a user resolved.
fn resolved_by_user(last: i64, end: i64) -> AlertState {
    AlertState {
        resolved_by_hand: true,
        ..over(last, end)
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

#[test]
fn a_firing_of_an_alert_that_a_user_resolved_opens_another() {
    let again = |start| Transition::OpenAgain(opening(start, None));
    check(
        Source::Metrics,
        resolved_by_user(10, 500),
        &[
            ("the same start", Some(10), None, again(stated(10))),
            ("no start", None, None, again(arrival(1000))),
            ("a newer start", Some(11), None, opened(stated(11))),
            ("an older start", Some(9), None, repeat(Reason::LateFiring)),
        ],
    );
    check(
        Source::Generic,
        resolved_by_user(10, 500),
        &[
            ("the same start", Some(10), None, again(stated(10))),
            ("an older start", Some(9), None, again(stated(9))),
            ("a newer start", Some(11), None, opened(stated(11))),
        ],
    );
    // These reports were received at second 1000, before the user resolved the alert.
    check(
        Source::Metrics,
        resolved_by_user(10, 1001),
        &[(
            "received before",
            Some(10),
            None,
            repeat(Reason::LateFiring),
        )],
    );
    for source in [Source::Metrics, Source::Generic] {
        check(
            source,
            resolved_by_user(10, 500),
            &[
                ("its end", Some(10), Some(600), Transition::Confirm),
                ("an earlier end", Some(10), Some(400), Transition::Confirm),
                ("start moved back", Some(5), Some(600), Transition::Confirm),
                ("no start", None, Some(600), Transition::Confirm),
                (
                    "an earlier occurrence",
                    Some(5),
                    Some(9),
                    repeat(Reason::LateEnd),
                ),
                (
                    "a newer occurrence",
                    Some(700),
                    Some(800),
                    opened_resolved(stated(700), 800),
                ),
            ],
        );
    }
}

/// Returns all alerts of one identity after these reports, latest last.
fn apply(reports: &[AlertReport]) -> Vec<AlertState> {
    let mut alerts: Vec<AlertState> = Vec::new();
    for &report in reports {
        deliver(&mut alerts, report);
    }
    alerts
}

/// Resolves the open alert as a user does, before any report is received.
fn resolve_by_hand(alerts: &mut [AlertState]) {
    if let Some(open) = alerts.iter_mut().find(|alert| alert.status.is_open()) {
        let ended_at = open.last_start.at.max(at(999));
        open.status = AlertStatus::Resolved { ended_at };
        open.resolved_by_hand = true;
    }
}

fn deliver(alerts: &mut Vec<AlertState>, report: AlertReport) {
    {
        let open = alerts.iter().rposition(|alert| alert.status.is_open());
        let Some(latest) = open.or_else(|| alerts.len().checked_sub(1)) else {
            alerts.push(new(first(report)));
            return;
        };
        let alert = &mut alerts[latest];
        match decide(*alert, report) {
            Transition::Open(opening) | Transition::OpenAgain(opening) => {
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
            Transition::Confirm => alert.resolved_by_hand = false,
            Transition::Repeat(_) => {}
        }
    }
}

fn new(opening: Opening) -> AlertState {
    AlertState {
        status: opening
            .ended_at
            .map_or(AlertStatus::Triggered, |ended_at| AlertStatus::Resolved {
                ended_at,
            }),
        last_start: opening.start,
        resolved_by_hand: false,
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

    /// Two peers deliver everything at least once, and a user resolves the alert somewhere in between. Once the sender
    /// has reported the end of every occurrence, no alert is open, and repeats open none.
    #[test]
    fn the_end_of_the_sender_is_final_after_a_user_resolved_the_alert(
        (reports, by_hand) in history().prop_flat_map(|reports| {
            let count = reports.len();
            (Just(reports), proptest::collection::vec(0..=count, 1..3))
        }),
    ) {
        let mut alerts = Vec::new();
        for (place, report) in reports.iter().enumerate() {
            if by_hand.contains(&place) {
                resolve_by_hand(&mut alerts);
            }
            for _ in 0..2 {
                deliver(&mut alerts, *report);
            }
        }
        let last_ends = reports.last().is_some_and(|report| report.resolved_at.is_some());
        prop_assert_eq!(alerts.last().is_some_and(|alert| alert.status.is_open()), !last_ends);
        if last_ends {
            let before = alerts.clone();
            for report in &reports {
                deliver(&mut alerts, *report);
            }
            prop_assert_eq!(alerts, before);
        }
    }

    /// A report that fires on opens one alert after each manual end, however often it is repeated.
    #[test]
    fn each_manual_end_of_a_firing_alert_opens_one_more(repeats in proptest::collection::vec(1..4_usize, 1..5)) {
        let mut alerts = Vec::new();
        for repeats in &repeats {
            for _ in 0..*repeats {
                deliver(&mut alerts, report(Some(100), None));
            }
            resolve_by_hand(&mut alerts);
        }
        prop_assert_eq!(alerts.len(), repeats.len());
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
