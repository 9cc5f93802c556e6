//! Watchdog: a thread that answers for work that takes too long.
//!
//! A database that hangs blocks the thread that uses it, for as long as it hangs. Callers are answered nevertheless:
//! every thread of the store registers its current work, and the watchdog answers overdue work, as well as overdue
//! items of a queue that no thread empties. A later result of such work cannot be delivered any more, and is not
//! undone.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use storage::{Expiry, StoreError, StoreErrorKind};

/// Interval between two checks.
const INTERVAL: Duration = Duration::from_millis(250);

/// Source of work that may be overdue.
pub(crate) trait Sweep: Send + Sync {
    /// Answers all overdue work.
    fn sweep(&self);
}

/// Current work of one thread.
#[derive(Debug, Default)]
pub(crate) struct WorkSlot {
    busy: Mutex<Option<CurrentWork>>,
}

#[derive(Debug)]
struct CurrentWork {
    since: Instant,
    expiries: Vec<Expiry>,
}

impl WorkSlot {
    fn lock(&self) -> MutexGuard<'_, Option<CurrentWork>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers that the thread begins work, of which the oldest was submitted at `since`.
    pub(super) fn begin(&self, since: Instant, expiries: Vec<Expiry>) {
        *self.lock() = Some(CurrentWork { since, expiries });
    }

    /// Registers that the thread is done.
    pub(super) fn end(&self) {
        *self.lock() = None;
    }

    /// Answers work that the thread has had for longer than `limit`, once.
    pub(super) fn sweep(&self, limit: Duration, operation: &'static str) {
        let overdue = {
            let mut busy = self.lock();
            let overdue = busy
                .as_mut()
                .filter(|busy| busy.since.elapsed() > limit && !busy.expiries.is_empty());
            overdue.map(|busy| (busy.since.elapsed(), std::mem::take(&mut busy.expiries)))
        };
        if let Some((waited, expiries)) = overdue {
            let waited = waited.as_secs();
            tracing::warn!(
                operation,
                waited_s = waited,
                answered = expiries.len(),
                "the database is not responding in time"
            );
            for expiry in expiries {
                let late = StoreError::new(StoreErrorKind::Unavailable, operation);
                expiry.expire(late.with_detail("the database is not responding in time"));
            }
        }
    }
}

#[derive(Debug, Default)]
struct StopSignal {
    ended: Mutex<bool>,
    changed: Condvar,
}

/// Watchdog thread.
#[derive(Debug)]
pub(crate) struct Watchdog {
    end: Arc<StopSignal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watchdog {
    /// Starts the thread, which supervises all of `watched`.
    pub(crate) fn start(watched: Vec<Arc<dyn Sweep>>) -> std::io::Result<Self> {
        let end = Arc::new(StopSignal::default());
        let mine = Arc::clone(&end);
        let work = move || {
            let mut ended = mine.ended.lock().unwrap_or_else(PoisonError::into_inner);
            while !*ended {
                (ended, _) = mine
                    .changed
                    .wait_timeout(ended, INTERVAL)
                    .unwrap_or_else(PoisonError::into_inner);
                for watched in &watched {
                    watched.sweep();
                }
            }
        };
        let thread = Builder::new()
            .name("store-watchdog".to_owned())
            .spawn(work)?;
        Ok(Self {
            end,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Ends the thread.
    /// Called when there is nothing left to supervise.
    pub(crate) fn stop(&self) {
        *self
            .end
            .ended
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.end.changed.notify_all();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the watchdog thread panicked");
        }
    }
}
