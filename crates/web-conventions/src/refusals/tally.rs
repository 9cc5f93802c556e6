//! Counting refusals, without a clock and without a log: time is handed in, and what is to be logged is handed out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use super::senders::Senders;

/// How long refusals are counted before they are logged.
pub const INTERVAL: Duration = Duration::from_secs(10);
/// How long a kind stays known after it was last seen. Only then is its next refusal a first one.
const KNOWN: Duration = Duration::from_mins(10);
/// The most kinds that are counted each. What is beyond that is counted by its status alone.
const KINDS: usize = 256;
/// The most clients that are counted each.
const CLIENTS: usize = 1024;
/// The most kinds that one summary names.
const NAMED: usize = 8;

/// What is refused in the same way.
///
/// Nothing in it can be chosen by a client: a route is a pattern of ours, and a reason is a text of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kind {
    /// The status of the answer; `None` where the connection was cut without one.
    pub status: Option<u16>,
    /// The pattern of the route, or what stands for it where there is none.
    pub route: Cow<'static, str>,
    /// Why, where more is known than the status tells; else empty.
    pub reason: &'static str,
}

impl Kind {
    /// Where kinds go for which there is no room.
    fn beyond(status: Option<u16>) -> Self {
        Self {
            status,
            route: Cow::Borrowed("other routes"),
            reason: "",
        }
    }

    /// Whether it is the server's own trouble, not a fault of clients.
    pub fn is_overload(&self) -> bool {
        self.status.is_some_and(|status| status >= 500)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.status {
            Some(status) => write!(f, "{status} {}", self.route)?,
            None => write!(f, "cut {}", self.route)?,
        }
        if self.reason.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.reason)
    }
}

/// How often a kind was refused.
#[derive(Debug)]
struct Count {
    in_interval: u64,
    last_seen: Instant,
}

/// What was refused since the last summary, and which kinds are known. Its memory is bounded whatever comes.
#[derive(Debug)]
pub struct Tally {
    kinds: HashMap<Kind, Count>,
    senders: Senders,
    most_kinds: usize,
    /// When the interval began; `None` while there is nothing to tell.
    began: Option<Instant>,
    /// Refusals of the interval that were not logged.
    unreported: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self::with_room(KINDS, CLIENTS)
    }
}

/// What was refused in an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// How many requests and connections.
    pub count: u64,
    /// How long they were counted.
    pub period: Duration,
    /// How often each kind was refused, the most frequent first.
    pub kinds: Vec<(Kind, u64)>,
    /// Who sent most, and how many at least.
    pub most_from: Option<(IpAddr, u64)>,
}

impl Tally {
    fn with_room(kinds: usize, clients: usize) -> Self {
        Self {
            kinds: HashMap::new(),
            senders: Senders::new(clients),
            most_kinds: kinds,
            began: None,
            unreported: 0,
        }
    }

    /// Counts a refusal. Whether it is the first of its kind in a long time, so that it is logged at once.
    pub fn count(&mut self, kind: Kind, client: Option<IpAddr>, now: Instant) -> bool {
        self.began.get_or_insert(now);
        if let Some(client) = client {
            self.senders.count(client);
        }
        let has_room = self.kinds.len() < self.most_kinds || self.kinds.contains_key(&kind);
        let kind = if has_room {
            kind
        } else {
            Kind::beyond(kind.status)
        };
        let mut is_first = false;
        let count = self.kinds.entry(kind).or_insert_with(|| {
            is_first = true;
            Count {
                in_interval: 0,
                last_seen: now,
            }
        });
        is_first |= now.saturating_duration_since(count.last_seen) >= KNOWN;
        count.in_interval += 1;
        count.last_seen = now;
        self.unreported += u64::from(!is_first);
        is_first
    }

    /// The summary, when the interval is over and something in it was not logged yet.
    pub fn due(&mut self, now: Instant) -> Option<Summary> {
        let period = now.saturating_duration_since(self.began?);
        if period < INTERVAL {
            return None;
        }
        self.take(now)
    }

    /// The summary of what was counted so far, unless everything in it was logged.
    pub fn take(&mut self, now: Instant) -> Option<Summary> {
        let began = self.began.take()?;
        let unreported = std::mem::take(&mut self.unreported);
        let most_from = self.senders.take_most();
        let mut kinds = Vec::new();
        self.kinds.retain(|kind, count| {
            let refused = std::mem::take(&mut count.in_interval);
            if refused > 0 {
                kinds.push((kind.clone(), refused));
            }
            now.saturating_duration_since(count.last_seen) < KNOWN
        });
        kinds.sort_by(|(one, more), (other, less)| {
            let order = less.cmp(more).then(one.status.cmp(&other.status));
            order.then_with(|| (&one.route, one.reason).cmp(&(&other.route, other.reason)))
        });
        (unreported > 0).then(|| Summary {
            count: kinds.iter().map(|(_, count)| count).sum(),
            period: now.saturating_duration_since(began),
            kinds,
            most_from,
        })
    }
}

impl Summary {
    /// Whether some of it is the server's own trouble.
    pub fn has_overload(&self) -> bool {
        self.kinds.iter().any(|(kind, _)| kind.is_overload())
    }

    /// The kinds with their counts, on one line that has an end however many there are.
    pub fn kinds_text(&self) -> String {
        let mut text = String::new();
        for (kind, count) in self.kinds.iter().take(NAMED) {
            let separator = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{separator}{count} x {kind}");
        }
        let rest = self.kinds.iter().skip(NAMED);
        let others: u64 = rest.map(|(_, count)| count).sum();
        if others > 0 {
            let _ = write!(text, ", {others} of other kinds");
        }
        text
    }
}

#[cfg(test)]
mod tests;
