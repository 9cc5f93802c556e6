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
mod tests;
