//! Pending results, built on the standard library alone.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::dynamic::{self, AnyPending, AnyResult};
use crate::{StoreError, StoreErrorKind};

/// Restores the types of an outcome.
pub(crate) struct Recall<T, E> {
    /// Number of times the types were erased before the last erasure: once for each store behind `dyn` on the way.
    layers: usize,
    last: fn(AnyResult) -> Result<T, E>,
}

impl<T, E> Recall<T, E> {
    pub(crate) fn recall(&self, mut outcome: AnyResult) -> Result<T, E> {
        for _ in 0..self.layers {
            outcome = dynamic::recall(outcome);
        }
        (self.last)(outcome)
    }
}

/// Outcome of work submitted to a [`Store`](crate::Store).
///
/// Await it in any runtime, or call [`wait`](Pending::wait) where there is none. Dropping it does not cancel the
/// work. When the adapter loses the work, the outcome is [`StoreErrorKind::Unavailable`].
///
/// The types of an outcome are erased on the way between two threads, so that this path is compiled once and not for
/// every closure of a program. It costs an allocation.
#[must_use = "only the outcome confirms the work"]
pub struct Pending<T, E> {
    shared: Arc<SharedState>,
    recall: Recall<T, E>,
}

/// The adapter's end of a [`Pending`], fulfilled once.
/// Dropping it unfulfilled reports the work as lost.
pub struct Promise<T, E> {
    end: PromiseEnd,
    outcome: PhantomData<fn(Result<T, E>)>,
}

/// Type-erased [`Promise`].
struct PromiseEnd(Option<Arc<SharedState>>);

/// State shared by the two ends.
pub(crate) struct SharedState {
    state: Mutex<OutcomeState>,
}

enum OutcomeState {
    Waiting(Option<Waker>),
    Done(AnyResult),
    Taken,
}

/// Handle that answers a [`Pending`] whose work takes too long, from a thread that does not do the work.
#[derive(Clone)]
pub struct Expiry(Weak<SharedState>);

impl Expiry {
    /// Answers with `error` unless there is an outcome already.
    /// A later outcome of the work is dropped.
    pub fn expire(&self, error: StoreError) {
        if let Some(shared) = self.0.upgrade() {
            shared.complete(Err(error.into()));
        }
    }
}

impl fmt::Debug for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expiry").finish_non_exhaustive()
    }
}

impl SharedState {
    fn in_state(state: OutcomeState) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(state),
        })
    }

    /// Stores the outcome, unless there is one already.
    fn complete(&self, outcome: AnyResult) {
        let mut state = self.lock();
        let OutcomeState::Waiting(waker) = &mut *state else {
            return;
        };
        let waker = waker.take();
        *state = OutcomeState::Done(outcome);
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Returns the outcome if it is available.
    /// Otherwise the thread that fulfils the promise wakes `cx`.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<AnyResult> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, OutcomeState::Taken) {
            OutcomeState::Done(outcome) => Poll::Ready(outcome),
            OutcomeState::Taken => Poll::Ready(Err(lost("outcome was already taken").into())),
            OutcomeState::Waiting(_) => {
                *state = OutcomeState::Waiting(Some(cx.waker().clone()));
                Poll::Pending
            }
        }
    }

    /// Blocks this thread until the outcome is available.
    fn wait(&self) -> AnyResult {
        // Both ways of waiting use the same waker, so that completing costs nothing for the one not used.
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let context = Context::from_waker(&waker);
        loop {
            match self.poll(&context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => thread::park(),
            }
        }
    }

    /// The state has no invariant that a panic could break, so a poisoned lock is still usable.
    fn lock(&self) -> MutexGuard<'_, OutcomeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T, E> Pending<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    /// Creates the two ends.
    pub fn new() -> (Promise<T, E>, Self) {
        let shared = SharedState::in_state(OutcomeState::Waiting(None));
        let promise = Promise {
            end: PromiseEnd(Some(Arc::clone(&shared))),
            outcome: PhantomData,
        };
        (promise, Self::of(shared, 0))
    }

    /// Creates an outcome that is already known.
    pub fn ready(outcome: Result<T, E>) -> Self {
        Self::of(
            SharedState::in_state(OutcomeState::Done(dynamic::forget(outcome))),
            0,
        )
    }

    fn of(shared: Arc<SharedState>, layers: usize) -> Self {
        let last = dynamic::recall;
        Self {
            shared,
            recall: Recall { layers, last },
        }
    }
}

impl AnyPending {
    /// Returns the same outcome with the types of the closure that produced it.
    pub fn typed<T, E>(self) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        Pending::of(self.shared, self.recall.layers + 1)
    }
}

impl<T, E> Pending<T, E> {
    /// Blocks this thread until the outcome is available.
    /// Never call it on a runtime's worker thread.
    ///
    /// # Errors
    /// The error of the work itself, or [`StoreErrorKind::Unavailable`] when the adapter lost it.
    pub fn wait(self) -> Result<T, E> {
        self.recall.recall(self.shared.wait())
    }

    /// Returns the type-erased outcome and the way to restore its types.
    pub(crate) fn into_parts(self) -> (Arc<SharedState>, Recall<T, E>) {
        (self.shared, self.recall)
    }
}

/// Wakes the waiting thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn lost(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, operation)
}

impl<T, E> Future for Pending<T, E> {
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = self.shared.poll(cx);
        outcome.map(|outcome| self.recall.recall(outcome))
    }
}

impl<T, E> Promise<T, E>
where
    T: Send + 'static,
    E: Send + 'static,
{
    /// Fulfils the promise and wakes the waiting task.
    pub fn fulfil(mut self, outcome: Result<T, E>) {
        self.end.complete(dynamic::forget(outcome));
    }
}

impl<T, E> Promise<T, E> {
    /// True if no caller waits for the outcome any more.
    pub fn is_abandoned(&self) -> bool {
        let PromiseEnd(shared) = &self.end;
        shared
            .as_ref()
            .is_none_or(|shared| Arc::strong_count(shared) == 1)
    }

    /// Returns a handle that can answer in place of this promise when the work takes too long.
    pub fn expiry(&self) -> Expiry {
        let PromiseEnd(shared) = &self.end;
        Expiry(shared.as_ref().map(Arc::downgrade).unwrap_or_default())
    }
}

impl PromiseEnd {
    fn complete(&mut self, outcome: AnyResult) {
        if let Some(shared) = self.0.take() {
            shared.complete(outcome);
        }
    }
}

impl Drop for PromiseEnd {
    fn drop(&mut self) {
        self.complete(Err(lost("work was dropped before it completed").into()));
    }
}

impl<T, E> fmt::Debug for Pending<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").finish_non_exhaustive()
    }
}

impl<T, E> fmt::Debug for Promise<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Promise").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Wake;
    use std::thread;

    struct Flag(AtomicBool);

    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn waiting_sees_the_outcome_of_another_thread() {
        let (promise, pending) = Pending::<_, StoreError>::new();
        let other = thread::spawn(move || promise.fulfil(Ok(41)));
        assert_eq!(pending.wait().unwrap(), 41);
        other.join().unwrap();
    }

    #[test]
    fn a_poll_leaves_a_waker_that_the_outcome_wakes() {
        let (promise, mut pending) = Pending::<_, StoreError>::new();
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&flag));
        let mut cx = Context::from_waker(&waker);
        assert!(Pin::new(&mut pending).poll(&mut cx).is_pending());
        promise.fulfil(Ok("done"));
        assert!(flag.0.load(Ordering::SeqCst));
        assert!(matches!(
            Pin::new(&mut pending).poll(&mut cx),
            Poll::Ready(Ok("done"))
        ));
    }

    #[test]
    fn a_dropped_promise_is_unavailable() {
        let (promise, pending) = Pending::<(), StoreError>::new();
        drop(promise);
        assert_eq!(
            pending.wait().unwrap_err().kind(),
            StoreErrorKind::Unavailable
        );
    }

    #[test]
    fn an_expired_operation_returns_an_error_and_ignores_its_late_outcome() {
        let (promise, pending) = Pending::<i32, StoreError>::new();
        let expiry = promise.expiry();
        expiry.expire(StoreError::new(StoreErrorKind::Overloaded, "read"));
        promise.fulfil(Ok(41));
        assert_eq!(
            pending.wait().unwrap_err().kind(),
            StoreErrorKind::Overloaded
        );
    }

    #[test]
    fn an_outcome_does_not_expire() {
        let (promise, pending) = Pending::<i32, StoreError>::new();
        let expiry = promise.expiry();
        promise.fulfil(Ok(41));
        expiry.expire(StoreError::new(StoreErrorKind::Overloaded, "read"));
        assert_eq!(pending.wait().unwrap(), 41);
    }

    #[test]
    fn an_abandoned_promise_knows_it_and_may_still_be_fulfilled() {
        let (promise, pending) = Pending::<(), StoreError>::new();
        assert!(!promise.is_abandoned());
        drop(pending);
        assert!(promise.is_abandoned());
        promise.fulfil(Ok(()));
    }
}
