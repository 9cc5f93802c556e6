//! Polling for an effect of another process, up to a deadline, never for a fixed time.

use std::thread;
use std::time::{Duration, Instant};

/// Longest time to wait before a test fails.
const DEADLINE: Duration = Duration::from_secs(90);

/// Polls until there is a value, and returns it.
#[track_caller]
pub(crate) fn eventually<T>(condition: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    eventually_ok(condition, || poll().ok_or_else(String::new))
}

/// Polls until there is a value, and returns it. A failure shows the last error.
#[track_caller]
pub(crate) fn eventually_ok<T>(condition: &str, mut poll: impl FnMut() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        let error = match poll() {
            Ok(answer) => return answer,
            Err(error) => error,
        };
        assert!(
            started.elapsed() < DEADLINE,
            "it never came to be that {condition}: {error}"
        );
        thread::park_timeout(Duration::from_millis(50));
    }
}
