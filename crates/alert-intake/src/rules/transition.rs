//! Effect of a delivery on an alert, regardless of the order of arrival.
//!
//! Senders deliver at least once, from several peers, late, and again after a crash. The consequences differ:
//!
//! * The start of a metrics item identifies its occurrence. A report with the same start is another delivery, never a
//!   second occurrence, and a resolved alert is never reopened: a newer start creates a new alert, an older one is
//!   outdated.
//! * If a user resolved the alert while the sender still fires, the next report with the same start creates a new alert,
//!   once. Only the sender's own end makes later reports with that start outdated.
//! * A generic payload counts on every arrival: an identical one raises the counter of the open alert, and creates a
//!   new alert after that one was resolved (the specification's table of states). A sender that retries and wants to be
//!   counted once sends an `Idempotency-Key`, which is checked before this.
//! * An end resolves the open alert, of either kind. It is outdated only if the report states a start older than the
//!   alert's last start, the end is no later than that last start, and a sender stated that last start. An older start
//!   alone proves nothing, because Alertmanager moves starts back when it merges reports; neither does an arrival time
//!   used as a substitute, because it is later than the actual start.

use api_conventions::time::Timestamp;

use crate::model::{AlertStatus, Source, Start};

/// State of an existing alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertState {
    /// Status.
    pub status: AlertStatus,
    /// Start of the latest occurrence.
    pub last_start: Start,
    /// True if a user resolved the alert, and its sender has not reported the end.
    pub resolved_by_hand: bool,
}

/// Content of a delivery about one alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertReport {
    /// Payload format, which determines the rule for firings.
    pub source: Source,
    /// Start of the occurrence, if the sender stated it.
    pub started_at: Option<Timestamp>,
    /// End of the alert; `None` while it fires. The arrival time if the sender reports an end without a time.
    pub resolved_at: Option<Timestamp>,
    /// Time at which the delivery was received.
    pub received_at: Timestamp,
    /// True if an end without an open alert is stored as an alert that is already resolved.
    pub stores_end: bool,
}

/// A new alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Start time.
    pub start: Start,
    /// End time, if the alert was never seen firing. Never before the start.
    pub ended_at: Option<Timestamp>,
}

/// Effect of a delivery on an existing alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// Opens a new alert beside the resolved one.
    Open(Opening),
    /// Opens a new alert beside one that a user resolved, because its sender still reports it as firing.
    OpenAgain(Opening),
    /// Records the sender's end of an alert that a user resolved before. Changes nothing else, for
    /// [`Reason::LateEnd`].
    Confirm,
    /// Adds an occurrence to the open alert.
    Count {
        /// Start of the latest occurrence.
        last_start: Start,
    },
    /// Resolves the open alert.
    Resolve {
        /// End time, never before the last start.
        ended_at: Timestamp,
        /// Start of a new occurrence whose firing was not seen, and will be late if it arrives.
        unseen_start: Option<Start>,
    },
    /// Changes nothing.
    Repeat(Reason),
}

/// Reasons why a report changes nothing. The receipt states them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The alert is already open with this start.
    KnownStart,
    /// The alert is open with a newer start.
    OlderStart,
    /// The alert is open with an older start, and Prometheus posted it: each of several replicas has a start of its own.
    OtherReplica,
    /// The end belongs to an earlier occurrence than the one that fires.
    EarlierEnd,
    /// The alert with this start is already resolved.
    LateFiring,
    /// The alert is already resolved.
    LateEnd,
    /// No alert is open that the report could end.
    NothingOpen,
}

impl Reason {
    /// All reasons, in the order of a receipt.
    pub const ALL: [Self; 7] = [
        Self::KnownStart,
        Self::OlderStart,
        Self::OtherReplica,
        Self::EarlierEnd,
        Self::LateFiring,
        Self::LateEnd,
        Self::NothingOpen,
    ];

    /// Returns the reason in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KnownStart => "the alert is already open with the same start time",
            Self::OlderStart => "the alert is already open with a later start time",
            Self::OtherReplica => {
                "the alert is already open, and another replica posted it with a later start time"
            }
            Self::EarlierEnd => {
                "the end time belongs to an earlier occurrence; the alert has fired again since"
            }
            Self::LateFiring => "the alert with this start time is already resolved",
            Self::LateEnd => "the alert is already resolved",
            Self::NothingOpen => "it reports an end, and no alert with its identity is open",
        }
    }
}

/// Decides the effect of a `report` whose identity no alert has: it opens one, unless it is an end that is not stored.
///
/// # Errors
/// The reason why the report changes nothing.
pub fn decide_first(report: AlertReport) -> Result<Opening, Reason> {
    if report.resolved_at.is_some() && !report.stores_end {
        return Err(Reason::NothingOpen);
    }
    Ok(first(report))
}

/// Returns the new alert for a `report` whose identity no alert has.
pub fn first(report: AlertReport) -> Opening {
    let start = report.started_at.map(Start::stated);
    match report.resolved_at {
        None => Opening {
            start: start.unwrap_or(Start::arrival(report.received_at)),
            ended_at: None,
        },
        Some(ended_at) => {
            // Without a stated start, the end is used as the start, which is only an estimate.
            let start = start.unwrap_or(Start::arrival(ended_at));
            Opening {
                start,
                ended_at: Some(ended_at.max(start.at)),
            }
        }
    }
}

/// Decides the effect of `report` on the existing alert of its identity.
pub fn decide(known: AlertState, report: AlertReport) -> Transition {
    match (known.status.ended_at(), report.resolved_at) {
        (None, None) => fires_while_open(known.last_start, report),
        (None, Some(ended_at)) => ends_while_open(known.last_start, report, ended_at),
        (Some(known_end), None) => fires_after_end(known, known_end, report),
        (Some(known_end), Some(ended_at)) => ends_after_end(known, known_end, report, ended_at),
    }
}

fn fires_while_open(last: Start, report: AlertReport) -> Transition {
    let count = |start: Start| Transition::Count {
        last_start: last.or_later(start),
    };
    match (report.source, report.started_at) {
        // Without a start, repeats and occurrences look the same, and the specification counts them.
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

fn ends_while_open(last: Start, report: AlertReport, ended_at: Timestamp) -> Transition {
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

fn fires_after_end(known: AlertState, known_end: Timestamp, report: AlertReport) -> Transition {
    // A report that was received before the user resolved the alert does not say that it still fires.
    let still_fires = known.resolved_by_hand && report.received_at >= known_end;
    match (report.source, report.started_at) {
        (_, Some(started_at)) if started_at > known.last_start.at => {
            Transition::Open(first(report))
        }
        (Source::Metrics, Some(started_at)) if started_at < known.last_start.at || !still_fires => {
            Transition::Repeat(Reason::LateFiring)
        }
        _ if still_fires => Transition::OpenAgain(first(report)),
        _ => Transition::Open(first(report)),
    }
}

fn ends_after_end(
    known: AlertState,
    known_end: Timestamp,
    report: AlertReport,
    ended_at: Timestamp,
) -> Transition {
    let last = known.last_start;
    if known.resolved_by_hand && ends_latest(last, report, ended_at) {
        return Transition::Confirm;
    }
    let tells_nothing_new = match report.started_at {
        Some(started_at) => started_at <= last.at,
        // A sender that states neither start nor end only says that the alert is over.
        None => ended_at == report.received_at,
    };
    if tells_nothing_new || ended_at <= known_end || !report.stores_end {
        Transition::Repeat(Reason::LateEnd)
    } else {
        Transition::Open(first(report))
    }
}

/// True if an end is that of the latest occurrence: it states its start, or none, or an older one with an end after it,
/// because senders move starts back.
fn ends_latest(last: Start, report: AlertReport, ended_at: Timestamp) -> bool {
    report
        .started_at
        .is_none_or(|start| start == last.at || (start < last.at && ended_at > last.at))
}

#[cfg(test)]
mod tests;
