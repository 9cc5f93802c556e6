//! What a delivery does to an alert, whatever the order in which deliveries come.
//!
//! Senders deliver at least once, from several peers, late, and again after a crash. The rules here make any
//! number and order of such deliveries end in the same state:
//!
//! * the same start again is a delivery, never a second occurrence;
//! * an end that lies before the latest occurrence began is old news, whatever start it carries: Alertmanager
//!   itself moves the start of an alert back when it merges two reports;
//! * a resolved alert is never opened again: a newer start makes a new alert, an older one is old news.

use api_conventions::time::Timestamp;

use crate::model::AlertStatus;

/// What is known of the alert that an identity leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Where it stands.
    pub status: AlertStatus,
    /// When its latest occurrence began.
    pub last_started_at: Timestamp,
}

/// What a delivery says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// When the occurrence began, if the sender said.
    pub started_at: Option<Timestamp>,
    /// When it ended; `None` while it fires.
    pub resolved_at: Option<Timestamp>,
    /// When the delivery came.
    pub received_at: Timestamp,
}

/// What becomes of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// A new alert that fires since then.
    Open {
        /// The start.
        started_at: Timestamp,
    },
    /// A new alert that is over already: its firing was never seen.
    OpenResolved {
        /// The start.
        started_at: Timestamp,
        /// The end.
        ended_at: Timestamp,
    },
    /// One more occurrence of the open alert.
    Count {
        /// Its start.
        started_at: Timestamp,
    },
    /// The open alert is over.
    Resolve {
        /// The end.
        ended_at: Timestamp,
        /// The start of an occurrence that is news too: its firing was not seen, and comes late if it comes.
        unseen_start: Option<Timestamp>,
    },
    /// Nothing new: a retry, a repeat, or news that came too late.
    Repeat,
}

/// Decides what `report` does to the alert that its identity leads to.
pub fn decide(known: Option<Known>, report: Report) -> Transition {
    let Some(known) = known else {
        return open(report);
    };
    match (known.status.ended_at(), report.resolved_at) {
        (None, None) => fires_while_open(known, report),
        (None, Some(ended_at)) if is_over(known, ended_at) => {
            let unseen_start = report
                .started_at
                .filter(|start| *start > known.last_started_at);
            Transition::Resolve {
                ended_at,
                unseen_start,
            }
        }
        (None, Some(_)) => Transition::Repeat,
        (Some(_), None) => fires_after_end(known, report),
        (Some(known_end), Some(ended_at)) => ends_after_end(known, known_end, report, ended_at),
    }
}

fn open(report: Report) -> Transition {
    match report.resolved_at {
        None => Transition::Open {
            started_at: report.started_at.unwrap_or(report.received_at),
        },
        Some(ended_at) => {
            let started_at = report.started_at.unwrap_or(ended_at);
            Transition::OpenResolved {
                started_at,
                ended_at,
            }
        }
    }
}

fn fires_while_open(known: Known, report: Report) -> Transition {
    // Without a start there is nothing to tell a repeat from an occurrence by, and the specification counts.
    match report.started_at {
        None => Transition::Count {
            started_at: known.last_started_at.max(report.received_at),
        },
        Some(started_at) if started_at > known.last_started_at => Transition::Count { started_at },
        Some(_) => Transition::Repeat,
    }
}

/// Senders write ends in whole seconds, so an end within the second of the start is not before it.
fn is_over(known: Known, ended_at: Timestamp) -> bool {
    ended_at.as_unix_seconds() >= known.last_started_at.as_unix_seconds()
}

fn fires_after_end(known: Known, report: Report) -> Transition {
    match report.started_at {
        Some(started_at) if started_at <= known.last_started_at => Transition::Repeat,
        _ => open(report),
    }
}

fn ends_after_end(
    known: Known,
    known_end: Timestamp,
    report: Report,
    ended_at: Timestamp,
) -> Transition {
    let seen = match report.started_at {
        Some(started_at) => started_at <= known.last_started_at,
        None => ended_at <= known_end,
    };
    if seen || ended_at <= known_end {
        Transition::Repeat
    } else {
        open(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000).unwrap()
    }

    fn known(last: i64, end: Option<i64>) -> Option<Known> {
        let status = end.map_or(AlertStatus::Triggered, |end| AlertStatus::Resolved {
            ended_at: at(end),
        });
        Some(Known {
            status,
            last_started_at: at(last),
        })
    }

    fn report(start: Option<i64>, end: Option<i64>) -> Report {
        Report {
            started_at: start.map(at),
            resolved_at: end.map(at),
            received_at: at(1000),
        }
    }

    #[test]
    fn the_table_of_transitions() {
        use Transition::{Count, Open, OpenResolved, Repeat, Resolve};
        let cases = [
            (
                "first",
                None,
                report(Some(10), None),
                Open { started_at: at(10) },
            ),
            (
                "first, no start",
                None,
                report(None, None),
                Open {
                    started_at: at(1000),
                },
            ),
            (
                "end of the unknown",
                None,
                report(Some(10), Some(20)),
                OpenResolved {
                    started_at: at(10),
                    ended_at: at(20),
                },
            ),
            (
                "end of the unknown, no start",
                None,
                report(None, Some(20)),
                OpenResolved {
                    started_at: at(20),
                    ended_at: at(20),
                },
            ),
            (
                "same start",
                known(10, None),
                report(Some(10), None),
                Repeat,
            ),
            (
                "older start",
                known(10, None),
                report(Some(9), None),
                Repeat,
            ),
            (
                "newer start",
                known(10, None),
                report(Some(11), None),
                Count { started_at: at(11) },
            ),
            (
                "no start",
                known(10, None),
                report(None, None),
                Count {
                    started_at: at(1000),
                },
            ),
            (
                "end",
                known(10, None),
                report(Some(10), Some(20)),
                Resolve {
                    ended_at: at(20),
                    unseen_start: None,
                },
            ),
            (
                "end, start moved back",
                known(10, None),
                report(Some(5), Some(20)),
                Resolve {
                    ended_at: at(20),
                    unseen_start: None,
                },
            ),
            (
                "end within the second",
                known(10, None),
                report(Some(10), Some(10)),
                Resolve {
                    ended_at: at(10),
                    unseen_start: None,
                },
            ),
            (
                "end of an older occurrence",
                known(10, None),
                report(Some(5), Some(9)),
                Repeat,
            ),
            (
                "end of an unseen one",
                known(10, None),
                report(Some(15), Some(20)),
                Resolve {
                    ended_at: at(20),
                    unseen_start: Some(at(15)),
                },
            ),
            (
                "end without start",
                known(10, None),
                report(None, Some(20)),
                Resolve {
                    ended_at: at(20),
                    unseen_start: None,
                },
            ),
            (
                "late firing",
                known(10, Some(20)),
                report(Some(10), None),
                Repeat,
            ),
            (
                "newer firing",
                known(10, Some(20)),
                report(Some(21), None),
                Open { started_at: at(21) },
            ),
            (
                "firing without start",
                known(10, Some(20)),
                report(None, None),
                Open {
                    started_at: at(1000),
                },
            ),
            (
                "same end again",
                known(10, Some(20)),
                report(Some(10), Some(20)),
                Repeat,
            ),
            (
                "same end again, start moved back",
                known(10, Some(20)),
                report(Some(5), Some(20)),
                Repeat,
            ),
            (
                "end of a newer one",
                known(10, Some(20)),
                report(Some(30), Some(40)),
                OpenResolved {
                    started_at: at(30),
                    ended_at: at(40),
                },
            ),
            (
                "end again without start",
                known(10, Some(20)),
                report(None, Some(20)),
                Repeat,
            ),
            (
                "later end without start",
                known(10, Some(20)),
                report(None, Some(21)),
                OpenResolved {
                    started_at: at(21),
                    ended_at: at(21),
                },
            ),
        ];
        for (name, known, report, expected) in cases {
            assert_eq!(decide(known, report), expected, "{name}");
        }
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
                    alerts[latest.unwrap()].last_started_at = started_at
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
}
