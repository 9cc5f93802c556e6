//! Counting of refusals, without a clock and a log: callers pass the time in, and get back what to log.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use super::senders::Senders;

/// Time for which refusals are counted before they are logged.
pub const INTERVAL: Duration = Duration::from_secs(10);
/// Time for which a kind stays known after it was last seen. After that, its next refusal counts as the first one
/// again.
const KNOWN_FOR: Duration = Duration::from_mins(10);
/// Maximum number of kinds that are counted separately. Further ones are counted by status only.
const MAX_KINDS: usize = 256;
/// Maximum number of clients that are counted separately.
const MAX_CLIENTS: usize = 1024;
/// Maximum number of kinds that one summary names.
const MAX_NAMED_KINDS: usize = 8;

/// Kind of refusal.
///
/// Clients cannot choose any part of it: a route is a pattern of ours, and a reason is a text of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Status of the response; `None` if the connection was cut without one.
    pub status: Option<u16>,
    /// Route pattern, or a placeholder if there is none.
    pub route: Cow<'static, str>,
    /// Reason, if more is known than the status says; otherwise empty.
    pub reason: &'static str,
}

impl Kind {
    /// Returns the kind for refusals without room of their own.
    fn overflow(status: Option<u16>) -> Self {
        Self {
            status,
            route: Cow::Borrowed("other routes"),
            reason: "",
        }
    }

    /// True for a failure of the server, false for a fault of a client.
    pub fn is_overload(&self) -> bool {
        self.status.is_some_and(|status| status >= 500)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => write!(f, "{status} {}", self.route)?,
            None => write!(f, "closed {}", self.route)?,
        }
        if self.reason.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.reason)
    }
}

/// Number of refusals of a kind.
#[derive(Debug)]
struct KindCount {
    in_interval: u64,
    last_seen: Instant,
}

/// Refusals since the last summary, and the known kinds. Memory is bounded for any input.
#[derive(Debug)]
pub struct RefusalCounter {
    kinds: HashMap<Kind, KindCount>,
    senders: Senders,
    max_kinds: usize,
    /// Start of the interval; `None` while there is nothing to report.
    began: Option<Instant>,
    /// Refusals of the interval that were not logged yet.
    unreported: u64,
}

impl Default for RefusalCounter {
    fn default() -> Self {
        Self::with_capacity(MAX_KINDS, MAX_CLIENTS)
    }
}

/// Refusals of an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Number of requests and connections.
    pub count: u64,
    /// Length of the interval.
    pub period: Duration,
    /// Number of refusals of each kind, the most frequent first.
    pub kinds: Vec<(Kind, u64)>,
    /// Client that sent most, and its minimum count.
    pub top_sender: Option<(IpAddr, u64)>,
}

impl RefusalCounter {
    fn with_capacity(kinds: usize, clients: usize) -> Self {
        Self {
            kinds: HashMap::new(),
            senders: Senders::new(clients),
            max_kinds: kinds,
            began: None,
            unreported: 0,
        }
    }

    /// Counts a refusal. Returns true if it is the first of its kind in a long time, so that it is logged at once.
    pub fn count(&mut self, kind: Kind, client: Option<IpAddr>, now: Instant) -> bool {
        self.began.get_or_insert(now);
        if let Some(client) = client {
            self.senders.count(client);
        }
        let has_room = self.kinds.len() < self.max_kinds || self.kinds.contains_key(&kind);
        let kind = if has_room {
            kind
        } else {
            Kind::overflow(kind.status)
        };
        let mut is_first = false;
        let count = self.kinds.entry(kind).or_insert_with(|| {
            is_first = true;
            KindCount {
                in_interval: 0,
                last_seen: now,
            }
        });
        is_first |= now.saturating_duration_since(count.last_seen) >= KNOWN_FOR;
        count.in_interval += 1;
        count.last_seen = now;
        self.unreported += u64::from(!is_first);
        is_first
    }

    /// Returns the summary, if the interval is over and not all of it was logged yet.
    pub fn due(&mut self, now: Instant) -> Option<Summary> {
        let period = now.saturating_duration_since(self.began?);
        if period < INTERVAL {
            return None;
        }
        self.take(now)
    }

    /// Returns the summary of the refusals so far, unless all of them were logged.
    pub fn take(&mut self, now: Instant) -> Option<Summary> {
        let began = self.began.take()?;
        let unreported = std::mem::take(&mut self.unreported);
        let top_sender = self.senders.take_top();
        let mut kinds = Vec::new();
        self.kinds.retain(|kind, count| {
            let refused = std::mem::take(&mut count.in_interval);
            if refused > 0 {
                kinds.push((kind.clone(), refused));
            }
            now.saturating_duration_since(count.last_seen) < KNOWN_FOR
        });
        kinds.sort_by(|(one, more), (other, less)| {
            let order = less.cmp(more).then(one.status.cmp(&other.status));
            order.then_with(|| (&one.route, one.reason).cmp(&(&other.route, other.reason)))
        });
        (unreported > 0).then(|| Summary {
            count: kinds.iter().map(|(_, count)| count).sum(),
            period: now.saturating_duration_since(began),
            kinds,
            top_sender,
        })
    }
}

impl Summary {
    /// True if the summary includes a failure of the server.
    pub fn has_overload(&self) -> bool {
        self.kinds.iter().any(|(kind, _)| kind.is_overload())
    }

    /// Returns the kinds with their counts, on one line of bounded length.
    pub fn kinds_text(&self) -> String {
        let mut text = String::new();
        for (kind, count) in self.kinds.iter().take(MAX_NAMED_KINDS) {
            let separator = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{separator}{count} x {kind}");
        }
        let rest = self.kinds.iter().skip(MAX_NAMED_KINDS);
        let others: u64 = rest.map(|(_, count)| count).sum();
        if others > 0 {
            let _ = write!(text, ", {others} of other kinds");
        }
        text
    }
}

#[cfg(test)]
mod tests;
