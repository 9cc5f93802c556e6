//! The authentication epoch as this process knows it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use api_conventions::time::{Clock, Timestamp};
use storage::{Store as _, StoreError};

use crate::database::Database;

/// How often the epoch is read. A revocation in another process takes effect here within about this time.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// How long the cache is trusted after the epoch was last read. It bounds what an unreachable database can
/// keep alive.
pub const TRUST: Duration = Duration::from_secs(3);

/// The highest epoch seen, and when it was last confirmed.
#[derive(Debug)]
pub struct Epoch {
    known: AtomicI64,
    confirmed_at: AtomicI64,
}

impl Epoch {
    /// Nothing is known and nothing is trusted yet.
    pub const fn new() -> Self {
        Self {
            known: AtomicI64::new(i64::MIN),
            confirmed_at: AtomicI64::new(i64::MIN),
        }
    }

    /// The epoch under which a cached entry may be trusted at `now`, or `None` when none may.
    pub fn trusted(&self, now: Timestamp) -> Option<i64> {
        let age = now
            .as_micros()
            .saturating_sub(self.confirmed_at.load(Ordering::Acquire));
        let trusted = age <= i64::try_from(TRUST.as_micros()).unwrap_or(i64::MAX);
        trusted.then(|| self.known.load(Ordering::Acquire))
    }

    /// Notes an epoch that a transaction saw. It never goes back.
    pub fn observe(&self, epoch: i64) {
        self.known.fetch_max(epoch, Ordering::AcqRel);
    }

    /// Notes that `epoch` was the newest one at `now`.
    fn confirm(&self, epoch: i64, now: Timestamp) {
        self.observe(epoch);
        self.confirmed_at
            .fetch_max(now.as_micros(), Ordering::AcqRel);
    }
}

impl Default for Epoch {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads the epoch again and again, until the task is dropped. The moment noted is the one before the read, so
/// that a slow read never makes an entry look fresher than it is.
pub async fn watch(database: Arc<Database>, epoch: Arc<Epoch>, clock: Arc<dyn Clock>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut reachable = true;
    loop {
        ticks.tick().await;
        let asked_at = clock.now();
        let outcome: Result<i64, StoreError> = database.read(|tx| tx.auth_epoch()).await;
        match outcome {
            Ok(number) => {
                epoch.confirm(number, asked_at);
                reachable = true;
            }
            Err(error) if reachable => {
                tracing::warn!(error = %error, "cannot read the authentication epoch; tokens are checked in the database");
                reachable = false;
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000).unwrap()
    }

    #[test]
    fn nothing_is_trusted_before_the_first_confirmation() {
        let epoch = Epoch::new();
        epoch.observe(7);
        assert_eq!(epoch.trusted(at(0)), None);
    }

    #[test]
    fn trust_ends_when_the_confirmation_is_old() {
        let epoch = Epoch::new();
        epoch.confirm(7, at(100));
        assert_eq!(epoch.trusted(at(103)), Some(7));
        assert_eq!(epoch.trusted(at(104)), None);
    }

    #[test]
    fn the_epoch_never_goes_back() {
        let epoch = Epoch::new();
        epoch.confirm(7, at(100));
        epoch.observe(9);
        epoch.confirm(8, at(99));
        assert_eq!(epoch.trusted(at(100)), Some(9));
    }
}
