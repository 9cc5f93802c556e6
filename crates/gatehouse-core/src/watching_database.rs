//! Clock and size of a PostgreSQL server, as this process sees them.
//!
//! Servers on one database compare times that others wrote: a clock that is wrong ends sessions, leases and waits too early or too
//! late.

use std::sync::{Arc, Mutex, PoisonError};

use api_conventions::time::Clock;
use storage::StoreError;

use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Difference of clocks beyond which an operator has to act, in microseconds.
const TOLERATED_SKEW: i64 = 5_000_000;

/// State of a database server, as of the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchedServer {
    /// Microseconds by which the clock of this process is ahead of that of the database server; negative if it is behind.
    pub skew: i64,
    /// Size of the database, in bytes.
    pub bytes: u64,
}

impl WatchedServer {
    /// Compares the clocks: the database answered between two times of this process.
    fn new(before: i64, of_server: i64, after: i64, bytes: u64) -> Self {
        // Within the time of the request nothing is known about the difference.
        let skew = if of_server < before {
            before - of_server
        } else if of_server > after {
            after - of_server
        } else {
            0
        };
        Self { skew, bytes }
    }

    /// True if the difference of the clocks does harm.
    pub const fn is_skewed(self) -> bool {
        self.skew.abs() > TOLERATED_SKEW
    }
}

/// The last look at the database server.
#[derive(Debug, Default)]
pub struct DatabaseWatch {
    last: Mutex<Option<WatchedServer>>,
}

impl DatabaseWatch {
    /// The last look; `None` before the first one, and for an embedded database.
    pub fn last(&self) -> Option<WatchedServer> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the database server, if there is one.
    ///
    /// # Errors
    /// Failures of the store. The last look stays.
    async fn look(&self, database: &Database, clock: &dyn Clock) -> Result<(), StoreError> {
        let before = clock.now().as_micros();
        if let Some(state) = database.server_state().await? {
            let (at, after) = (state.now.as_micros(), clock.now().as_micros());
            let found = WatchedServer::new(before, at, after, state.bytes);
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Some(found);
        }
        Ok(())
    }
}

/// Looks at the database server regularly, until the task is dropped.
pub async fn watch_database(
    jobs: BackgroundJobs,
    database: Arc<Database>,
    watch: Arc<DatabaseWatch>,
    clock: Arc<dyn Clock>,
) {
    let run = async |_| watch.look(&database, &*clock).await;
    jobs.repeat(BackgroundJob::WatchDatabase, run).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_differ_by_what_the_request_does_not_explain() {
        for (before, of_server, after, skew) in [
            (10, 10, 20, 0),
            (10, 20, 20, 0),
            (10, 7, 20, 3),
            (10, 25, 20, -5),
        ] {
            let found = WatchedServer::new(before, of_server, after, 1);
            assert_eq!(found.skew, skew, "{before} {of_server} {after}");
        }
        for (skew, is_skewed) in [(5_000_000, false), (-5_000_001, true), (5_000_001, true)] {
            let found = WatchedServer { skew, bytes: 0 };
            assert_eq!(found.is_skewed(), is_skewed, "{skew}");
        }
    }
}
