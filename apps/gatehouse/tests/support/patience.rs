//! Waiting for something that another process does: asked again and again, up to a deadline, never for a fixed time.

use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take before it counts as not happening.
const DEADLINE: Duration = Duration::from_secs(90);

/// Asks until there is an answer, and gives it.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            started.elapsed() < DEADLINE,
            "it never came to be that {what}"
        );
        thread::park_timeout(Duration::from_millis(50));
    }
}
