//! Rate-limited logging of refused requests.
//!
//! A line per refusal would fill the disk under attack, and no line at all would hide the attack. Refusals are
//! therefore counted: the first of a kind is logged at once, and the others in one line per interval.

pub mod counter;
mod senders;

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::counter::{Kind, RefusalCounter, Summary};
use crate::networks::client_key;

/// Interval of the checks for a due summary.
const TICK: Duration = Duration::from_secs(1);
/// Route of refusals without a request.
const CONNECTION: &str = "connection";

/// Refusals of one process.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<RefusalCounter>);

impl Refusals {
    /// Counts a refusal of a client, which is a whole network for IPv6. Returns true if the caller must log it now.
    pub fn count(&self, kind: Kind, client: Option<IpAddr>) -> bool {
        self.lock().count(kind, client, Instant::now())
    }

    /// Counts a connection that was refused before it had a request, or that was cut (then without a status), and logs
    /// the first one of its kind.
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
        let client = peer.map(client_key);
        if self.count(kind, client) {
            tracing::info!(
                response.status = status,
                client.address = client.map(format_client),
                reason,
                "connection refused (further ones are counted)"
            );
        }
    }

    /// Logs refusals that were counted and not logged yet, at the end of the process.
    pub fn log_rest(&self) {
        let summary = self.lock().take(Instant::now());
        log_summary(summary);
    }

    fn log_if_due(&self) {
        let summary = self.lock().due(Instant::now());
        log_summary(summary);
    }

    fn lock(&self) -> MutexGuard<'_, RefusalCounter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Logs summaries when they are due, until the task is dropped.
pub async fn log_regularly(refusals: Arc<Refusals>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        refusals.log_if_due();
    }
}

/// Formats a client for a log line: an address, or a network for IPv6.
pub fn format_client(client: IpAddr) -> String {
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
                client.address = summary.top_sender.map(|(client, _)| format_client(client)),
                client.count = summary.top_sender.map(|(_, count)| count),
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
