//! Sample rows: plain ones, and ones at the limits of the columns.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use api_conventions::page::OffsetPage;
#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
use api_conventions::time::Timestamp;
#[cfg(any(
    feature = "accounts",
    feature = "alert-intake",
    feature = "projects",
    feature = "notifications"
))]
use storage::{StoreError, StoreErrorKind};

#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
/// Text that careless code breaks on: quotes, wildcards, control characters, other scripts, joined characters.
pub(crate) const HOSTILE: &str = "'; DROP TABLE users; -- \"%_\\ \u{1}\r\n\t {}[]<&> ÄßЖ漢\u{202e}\u{1f525}e\u{301}\u{fffd}\u{10ffff}";

#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
/// A time in an ordinary year, with microseconds, this many seconds later.
pub(crate) fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_123_456)
        .unwrap()
        .plus_seconds(seconds)
}

/// The error of an insertion that must succeed, because no row conflicts with it.
#[cfg(any(
    feature = "accounts",
    feature = "alert-intake",
    feature = "projects",
    feature = "notifications"
))]
pub(crate) fn unexpected_conflict(operation: &'static str, what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Internal, operation).with_detail(format!("rejected: {what}"))
}

/// A page.
pub(crate) fn page(number: u64, size: u64) -> OffsetPage {
    OffsetPage::new(number, size)
}

/// Raises a flag when it is dropped, so that threads that watch the flag also end when the case fails.
pub(crate) struct SetOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `work` on several threads that start together, and returns their results. A panic of a thread is resumed in the
/// case, so that its message is not lost.
pub(crate) fn race<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(threads);
    let (start, work) = (&start, &work);
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    start.wait();
                    work(thread)
                })
            })
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}
