//! A time limit that is set and lifted many times.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// A time limit.
#[derive(Debug, Default)]
pub(super) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
    is_running: bool,
}

impl Timer {
    /// Whether the limit is over. It begins with the first call since it was lifted, and the task is woken at its end.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, limit: Duration) -> Poll<()> {
        let end = Instant::now() + limit;
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if !self.is_running {
            self.is_running = true;
            sleep.as_mut().reset(end);
        }
        sleep.as_mut().poll(context)
    }

    /// Lifts the limit.
    pub(super) fn lift(&mut self) {
        self.is_running = false;
    }
}
