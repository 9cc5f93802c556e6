//! The watchdog: a thread that answers in the place of whatever takes too long.
//!
//! A database that hangs keeps the thread that asked it, for as long as it hangs. Anyone who waits is answered all the same:
//! every thread of the store says what it is busy with, and the watchdog answers what is overdue, as it does with what
//! waits in a queue that nobody empties. What such work does later comes too late for an answer, and is not undone.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use storage::{Expiry, StoreError, StoreErrorKind};

/// How often the watchdog looks.
const INTERVAL: Duration = Duration::from_millis(250);

/// Something that may have overdue work.
pub(crate) trait Sweep: Send + Sync {
    /// Answers all that is overdue.
    fn sweep(&self);
}

/// What one thread is busy with.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    busy: Mutex<Option<Busy>>,
}

#[derive(Debug)]
struct Busy {
    since: Instant,
    expiries: Vec<Expiry>,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Busy>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread begins with work, the oldest of which was handed over at `since`.
    pub(super) fn begin(&self, since: Instant, expiries: Vec<Expiry>) {
        *self.lock() = Some(Busy { since, expiries });
    }

    /// The thread is done.
    pub(super) fn end(&self) {
        *self.lock() = None;
    }

    /// Answers what the thread has had for longer than `limit`, once.
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
                "the database takes too long"
            );
            for expiry in expiries {
                let late = StoreError::new(StoreErrorKind::Unavailable, operation);
                expiry.expire(late.with_detail("the database takes too long"));
            }
        }
    }
}

#[derive(Debug, Default)]
struct End {
    ended: Mutex<bool>,
    changed: Condvar,
}

/// The thread.
#[derive(Debug)]
pub(crate) struct Watchdog {
    end: Arc<End>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watchdog {
    /// Starts the thread, which looks after all of `watched`.
    pub(crate) fn start(watched: Vec<Arc<dyn Sweep>>) -> std::io::Result<Self> {
        let end = Arc::new(End::default());
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

    /// Ends the thread. Called when nothing is left to be looked after.
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
