//! Continuations of pending outcomes.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::dynamic::AnyResult;
use crate::pending::SharedState;
use crate::{Pending, StoreError};

impl<T, E> Pending<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    /// Maps the outcome with `step`.
    /// `step` runs once, as soon as the outcome arrives, on the thread that delivers it, even if no caller waits any
    /// more: work that must follow a commit does not depend on who awaits the result. It must not block.
    pub fn then<U, F>(self, step: F) -> Pending<U, E>
    where
        U: Send + 'static,
        F: FnOnce(Result<T, E>) -> Result<U, E> + Send + 'static,
    {
        let (promise, pending) = Pending::new();
        let (first, recall) = self.into_parts();
        let continuation = Continuation {
            first,
            step: Box::new(move |outcome| promise.fulfil(step(recall.recall(outcome)))),
        };
        let following = ContinuationWaker(Mutex::new(Some(continuation)));
        Arc::new(following).advance();
        pending
    }
}

/// Awaited outcome and its continuation.
struct Continuation {
    first: Arc<SharedState>,
    step: Box<dyn FnOnce(AnyResult) + Send>,
}

/// Waker that runs the continuation once the outcome is available.
/// A thread takes the content out while it works on it.
struct ContinuationWaker(Mutex<Option<Continuation>>);

impl ContinuationWaker {
    fn advance(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut continuation = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(next) = continuation.take() else {
            return;
        };
        match next.first.poll(&Context::from_waker(&waker)) {
            Poll::Ready(outcome) => {
                drop(continuation);
                (next.step)(outcome);
            }
            // A thread that fulfils `first` after the poll waits here for the lock and then finds everything in place.
            Poll::Pending => *continuation = Some(next),
        }
    }
}

impl Wake for ContinuationWaker {
    fn wake(self: Arc<Self>) {
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::StoreErrorKind;

    #[test]
    fn continuations_run_once_even_without_a_waiter() {
        let (promise, pending) = Pending::<u32, StoreError>::new();
        let done = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&done);
        drop(pending.then(move |outcome| {
            assert!(!noted.swap(true, Ordering::SeqCst));
            outcome
        }));
        assert!(!done.load(Ordering::SeqCst));
        promise.fulfil(Ok(1));
        assert!(done.load(Ordering::SeqCst));
    }

    #[test]
    fn continuations_run_before_the_outcome_is_reported() {
        for fulfil_first in [true, false] {
            let (promise, pending) = Pending::<u32, StoreError>::new();
            let doubled = if fulfil_first {
                promise.fulfil(Ok(4));
                pending.then(|outcome| outcome.map(|number| number * 2))
            } else {
                let doubled = pending.then(|outcome| outcome.map(|number| number * 2));
                thread::spawn(move || promise.fulfil(Ok(4)));
                doubled
            };
            assert_eq!(doubled.wait().unwrap(), 8);
        }
    }

    #[test]
    fn continuations_run_with_an_error_if_work_is_lost() {
        let (promise, pending) = Pending::<u32, StoreError>::new();
        let response = pending.then(|outcome| {
            assert!(outcome.is_err());
            outcome
        });
        drop(promise);
        assert_eq!(
            response.wait().unwrap_err().kind(),
            StoreErrorKind::Unavailable
        );
    }
}
