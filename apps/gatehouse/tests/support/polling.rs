//! Polling for an effect of another process, up to a deadline, never for a fixed time.

use std::thread;
use std::time::{Duration, Instant};

/// Longest time to wait before a test fails.
const DEADLINE: Duration = Duration::from_secs(90);

/// Polls until there is a value, and returns it.
#[track_caller]
pub(crate) fn eventually<T>(condition: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = poll() {
            return answer;
        }
        assert!(
            started.elapsed() < DEADLINE,
            "it never came to be that {condition}"
        );
        thread::park_timeout(Duration::from_millis(50));
    }
}
