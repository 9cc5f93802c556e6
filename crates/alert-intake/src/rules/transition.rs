//! What a delivery does to an alert, whatever the order in which deliveries come.
//!
//! Senders deliver at least once, from several peers, late, and again after a crash. What that means differs:
//!
//! * An item of a metrics webhook names the occurrence by its start. The same start again is a delivery, never a second
//!   occurrence, and a resolved alert is never opened again: a newer start makes a new alert, an older one is old news.
//! * A generic payload counts each time it comes: an identical one raises the counter of the open alert, and makes a
//!   new alert after that one was resolved (the specification's table of states). A sender that retries and wants to
//!   be counted once sends an `Idempotency-Key`, which is checked before this.
//! * An end resolves the open alert, of either kind. It is old news only when the report names a start of its own that
//!   is older than the alert's last start, ends no later than that, and that start came from a sender. An older start
//!   alone proves nothing, because Alertmanager moves starts back when it merges reports; and a time of arrival that
//!   stood in for a start proves nothing either, because it is later than what it stands for.

use api_conventions::time::Timestamp;

use crate::model::{AlertStatus, Source, Start};

/// What is known of the alert that an identity leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Where it stands.
    pub status: AlertStatus,
    /// When its latest occurrence began.
    pub last_start: Start,
}

/// What a delivery says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Whose rule for firings counts.
    pub source: Source,
    /// When the occurrence began, if the sender said.
    pub started_at: Option<Timestamp>,
    /// When it ended; `None` while it fires. A sender that says that it ended, but not when, gives the time of
    /// arrival.
    pub resolved_at: Option<Timestamp>,
    /// When the delivery came.
    pub received_at: Timestamp,
}

/// A new alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// When it began.
    pub start: Start,
    /// When it ended, for one whose firing was never seen. Never before the start.
    pub ended_at: Option<Timestamp>,
}

/// What becomes of a delivery about an alert that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// A new alert beside the one that is over.
    Open(Opening),
    /// One more occurrence of the open alert.
    Count {
        /// When the latest occurrence began.
        last_start: Start,
    },
    /// The open alert is over.
    Resolve {
        /// The end, never before the last start.
        ended_at: Timestamp,
        /// The start of an occurrence that is news too: its firing was not seen, and comes late if it comes.
        unseen_start: Option<Start>,
    },
    /// Nothing new.
    Repeat(Reason),
}

/// Why a report changes nothing. The receipt says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The alert is open with this start already.
    KnownStart,
    /// The alert is open with a newer start.
    OlderStart,
    /// The end belongs to an earlier occurrence than the one that fires.
    EarlierEnd,
    /// The alert with this start is over.
    LateFiring,
    /// The alert is over already.
    LateEnd,
}

impl Reason {
    /// All reasons, in the order in which a receipt tells them.
    pub const ALL: [Self; 5] = [
        Self::KnownStart,
        Self::OlderStart,
        Self::EarlierEnd,
        Self::LateFiring,
        Self::LateEnd,
    ];

    /// The reason in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KnownStart => "the alert is open with the same start already",
            Self::OlderStart => "the alert is open with a newer start",
            Self::EarlierEnd => {
                "the end is that of an earlier occurrence, and the alert has started again since"
            }
            Self::LateFiring => "the alert with this start is resolved already",
            Self::LateEnd => "the alert is resolved already",
        }
    }
}

/// What `report` makes when no alert has its identity.
pub fn first(report: Report) -> Opening {
    let start = report.started_at.map(Start::stated);
    match report.resolved_at {
        None => Opening {
            start: start.unwrap_or(Start::arrival(report.received_at)),
            ended_at: None,
        },
        Some(ended_at) => {
            // Nobody said when it began, so it began when it ended, which is not more than a guess.
            let start = start.unwrap_or(Start::arrival(ended_at));
            Opening {
                start,
                ended_at: Some(ended_at.max(start.at)),
            }
        }
    }
}

/// Decides what `report` does to the alert that its identity leads to.
pub fn decide(known: Known, report: Report) -> Transition {
    match (known.status.ended_at(), report.resolved_at) {
        (None, None) => fires_while_open(known.last_start, report),
        (None, Some(ended_at)) => ends_while_open(known.last_start, report, ended_at),
        (Some(_), None) => fires_after_end(known.last_start, report),
        (Some(known_end), Some(ended_at)) => {
            ends_after_end(known.last_start, known_end, report, ended_at)
        }
    }
}

fn fires_while_open(last: Start, report: Report) -> Transition {
    let count = |start: Start| Transition::Count {
        last_start: last.or_later(start),
    };
    match (report.source, report.started_at) {
        // Without a start there is nothing to tell a repeat from an occurrence by, and the specification counts.
        (_, None) => count(Start::arrival(report.received_at)),
        (Source::Generic, Some(started_at)) => count(Start::stated(started_at)),
        (Source::Metrics, Some(started_at)) if started_at > last.at => {
            count(Start::stated(started_at))
        }
        (Source::Metrics, Some(started_at)) if started_at == last.at => {
            Transition::Repeat(Reason::KnownStart)
        }
        (Source::Metrics, Some(_)) => Transition::Repeat(Reason::OlderStart),
    }
}

fn ends_while_open(last: Start, report: Report, ended_at: Timestamp) -> Transition {
    let names_older = report
        .started_at
        .is_some_and(|started_at| started_at < last.at);
    if last.is_stated && names_older && ended_at <= last.at {
        return Transition::Repeat(Reason::EarlierEnd);
    }
    let unseen = report
        .started_at
        .filter(|started_at| *started_at > last.at)
        .map(Start::stated);
    Transition::Resolve {
        ended_at: ended_at.max(unseen.unwrap_or(last).at),
        unseen_start: unseen,
    }
}

fn fires_after_end(last: Start, report: Report) -> Transition {
    match (report.source, report.started_at) {
        (Source::Metrics, Some(started_at)) if started_at <= last.at => {
            Transition::Repeat(Reason::LateFiring)
        }
        _ => Transition::Open(first(report)),
    }
}

fn ends_after_end(
    last: Start,
    known_end: Timestamp,
    report: Report,
    ended_at: Timestamp,
) -> Transition {
    let tells_nothing_new = match report.started_at {
        Some(started_at) => started_at <= last.at,
        // Who says neither when it began nor when it ended says only that it is over.
        None => ended_at == report.received_at,
    };
    if tells_nothing_new || ended_at <= known_end {
        Transition::Repeat(Reason::LateEnd)
    } else {
        Transition::Open(first(report))
    }
}

#[cfg(test)]
mod tests;
