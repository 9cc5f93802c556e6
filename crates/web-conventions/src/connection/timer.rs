//! Time limit that is set and lifted many times.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// A time limit. Lifting it is free: the sleep stays as it is, and is reset only if it ends too early.
#[derive(Debug, Default)]
pub(super) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
    end: Option<Instant>,
}

impl Timer {
    /// Polls a limit that begins with the first call since the timer was lifted; ready when the limit is over, which
    /// wakes the task.
    pub(super) fn poll(&mut self, context: &mut Context<'_>, limit: Duration) -> Poll<()> {
        let end = self.end.unwrap_or_else(|| Instant::now() + limit);
        self.poll_until(context, end)
    }

    /// Polls a limit with a known end; ready when the limit is over, which wakes the task.
    pub(super) fn poll_until(&mut self, context: &mut Context<'_>, end: Instant) -> Poll<()> {
        self.end = Some(end);
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if sleep.deadline() > end {
            sleep.as_mut().reset(end);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() == end {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(end);
        }
    }

    /// Lifts the limit.
    pub(super) fn lift(&mut self) {
        self.end = None;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const LONG: Duration = Duration::from_hours(1);
    const SHORT: Duration = Duration::from_millis(20);

    fn run(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().unwrap().block_on(test);
    }

    async fn is_running(timer: &mut Timer, limit: Duration) -> bool {
        poll_fn(|context| Poll::Ready(timer.poll(context, limit).is_pending())).await
    }

    async fn ended(timer: &mut Timer, limit: Duration) -> Duration {
        let start = Instant::now();
        poll_fn(|context| timer.poll(context, limit)).await;
        start.elapsed()
    }

    #[test]
    fn a_limit_is_over_at_its_own_time_whatever_ran_before() {
        run(async {
            let mut timer = Timer::default();
            assert!(is_running(&mut timer, LONG).await);
            timer.lift();
            // After a longer limit, after one that is over, and after a shorter one that was lifted.
            assert!(ended(&mut timer, SHORT).await >= SHORT);
            timer.lift();
            assert!(ended(&mut timer, SHORT).await >= SHORT);
            timer.lift();
            assert!(is_running(&mut timer, SHORT).await);
            timer.lift();
            assert!(ended(&mut timer, SHORT * 2).await >= SHORT * 2);
            timer.lift();
            assert!(is_running(&mut timer, LONG).await);
        });
    }

    #[test]
    fn a_limit_begins_with_the_first_look_at_it() {
        run(async {
            let mut timer = Timer::default();
            assert!(is_running(&mut timer, SHORT).await);
            // The limit is over at the time that was set first.
            ended(&mut timer, LONG).await;
        });
    }

    #[test]
    fn an_end_may_be_put_off() {
        run(async {
            let mut timer = Timer::default();
            assert!(is_running(&mut timer, SHORT).await);
            let end = Instant::now() + SHORT * 2;
            poll_fn(|context| timer.poll_until(context, end)).await;
            assert!(Instant::now() >= end);
        });
    }
}
