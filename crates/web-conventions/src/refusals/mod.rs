//! Logging refused requests by their rate.
//!
//! A line for each would fill the disk under attack, and none at all would hide the attack. So refusals are
//! counted: the first of a kind is logged at once, and the others in one line for each interval.

mod senders;
pub mod tally;

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::tally::{Kind, Summary, Tally};
use crate::networks::counted;

/// How often it is looked whether a summary is due.
const TICK: Duration = Duration::from_secs(1);
/// What stands for a route where there was no request.
const CONNECTION: &str = "connection";

/// The refusals of one process.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<Tally>);

impl Refusals {
    /// Counts a refusal of a client that stands for all of its network. Whether it is to be logged at once.
    pub fn count(&self, kind: Kind, client: Option<IpAddr>) -> bool {
        self.lock().count(kind, client, Instant::now())
    }

    /// Counts a connection that ended with a refusal before there was a request, or that was cut (then without a
    /// status), and logs the first one of its kind.
    pub fn count_connection(
        &self,
        status: Option<u16>,
        reason: &'static str,
        peer: Option<IpAddr>,
    ) {
        let kind = Kind {
            status,
            route: Cow::Borrowed(CONNECTION),
            reason,
        };
        let client = peer.map(counted);
        if self.count(kind, client) {
            tracing::info!(
                response.status = status,
                client.address = client.map(shown),
                reason,
                "first connection refused in this way"
            );
        }
    }

    /// Logs what was counted and not logged yet, for the end of the process.
    pub fn log_rest(&self) {
        let summary = self.lock().take(Instant::now());
        log_summary(summary);
    }

    fn log_if_due(&self) {
        let summary = self.lock().due(Instant::now());
        log_summary(summary);
    }

    fn lock(&self) -> MutexGuard<'_, Tally> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Logs summaries as they are due, until the task is dropped.
pub async fn log_regularly(refusals: Arc<Refusals>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        refusals.log_if_due();
    }
}

/// How a client that stands for all of its network is written in a line.
pub fn shown(client: IpAddr) -> String {
    match client {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(network) => format!("{network}/64"),
    }
}

fn log_summary(summary: Option<Summary>) {
    let Some(summary) = summary else { return };
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(
                refused.count = summary.count,
                refused.kinds = summary.kinds_text(),
                refused.seconds = summary.period.as_secs(),
                client.address = summary.most_from.map(|(client, _)| shown(client)),
                client.count = summary.most_from.map(|(_, count)| count),
                "requests refused"
            )
        };
    }
    if summary.has_overload() {
        line!(warn);
    } else {
        line!(info);
    }
}
