//! An answer that is still to come, built on the standard library alone.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::{StoreError, StoreErrorKind};

/// The outcome of work handed to a [`Store`](crate::Store).
///
/// Await it in any runtime, or call [`wait`](Pending::wait) where there is none. Dropping it does not cancel the
/// work. When the adapter loses the work, the outcome is [`StoreErrorKind::Unavailable`].
#[must_use = "work is acknowledged only by its outcome"]
pub struct Pending<T, E> {
    shared: Arc<Shared<T, E>>,
}

/// The adapter's end of a [`Pending`]: it is fulfilled once. Dropping it unfulfilled reports the work as lost.
pub struct Promise<T, E: From<StoreError>> {
    shared: Option<Arc<Shared<T, E>>>,
}

struct Shared<T, E> {
    state: Mutex<State<T, E>>,
}

enum State<T, E> {
    Waiting(Option<Waker>),
    Done(Result<T, E>),
    Taken,
}

/// A way to answer a [`Pending`] whose work takes too long, from a thread that does not do the work.
#[derive(Clone)]
pub struct Expiry(Weak<dyn Expire>);

/// An outcome whose types are forgotten.
trait Expire: Send + Sync {
    fn expire(&self, error: StoreError);
}

impl<T: Send, E: From<StoreError> + Send> Expire for Shared<T, E> {
    fn expire(&self, error: StoreError) {
        self.complete(|| Err(error.into()));
    }
}

impl Expiry {
    /// Answers with `error`, unless there is an outcome already. The outcome of the work comes too late then and is
    /// dropped.
    pub fn expire(&self, error: StoreError) {
        if let Some(shared) = self.0.upgrade() {
            shared.expire(error);
        }
    }
}

impl fmt::Debug for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expiry").finish_non_exhaustive()
    }
}

impl<T, E> Shared<T, E> {
    /// The first outcome counts.
    fn complete(&self, outcome: impl FnOnce() -> Result<T, E>) {
        let mut state = self.lock();
        let State::Waiting(waker) = &mut *state else {
            return;
        };
        let waker = waker.take();
        *state = State::Done(outcome());
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The state holds no invariant that a panic could break half way, so a poisoned lock is still good.
    fn lock(&self) -> MutexGuard<'_, State<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T, E: From<StoreError>> Pending<T, E> {
    /// A pair of the two ends.
    pub fn new() -> (Promise<T, E>, Self) {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::Waiting(None)),
        });
        (
            Promise {
                shared: Some(Arc::clone(&shared)),
            },
            Self { shared },
        )
    }

    /// An outcome that is known already.
    pub fn ready(outcome: Result<T, E>) -> Self {
        let shared = Shared {
            state: Mutex::new(State::Done(outcome)),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Blocks this thread until the outcome is there. Never call it on a runtime's worker thread.
    ///
    /// # Errors
    /// The error of the work itself, or [`StoreErrorKind::Unavailable`] when the adapter lost it.
    pub fn wait(mut self) -> Result<T, E> {
        // The same waking serves both ways of waiting, so that an answer costs nothing for a way not taken.
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut self).poll(&mut context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => thread::park(),
            }
        }
    }
}

/// Wakes the thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn lost<E: From<StoreError>>(operation: &'static str) -> E {
    E::from(StoreError::new(StoreErrorKind::Unavailable, operation))
}

impl<T, E: From<StoreError>> Future for Pending<T, E> {
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.lock();
        match std::mem::replace(&mut *state, State::Taken) {
            State::Done(outcome) => Poll::Ready(outcome),
            State::Taken => Poll::Ready(Err(lost("outcome was taken before"))),
            State::Waiting(_) => {
                *state = State::Waiting(Some(cx.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl<T, E: From<StoreError>> Promise<T, E> {
    /// Gives the outcome and wakes the task that waits for it.
    pub fn fulfil(mut self, outcome: Result<T, E>) {
        self.complete(outcome);
    }

    /// Whether nobody waits for the outcome any more.
    pub fn is_abandoned(&self) -> bool {
        self.shared
            .as_ref()
            .is_none_or(|shared| Arc::strong_count(shared) == 1)
    }

    fn complete(&mut self, outcome: Result<T, E>) {
        let Some(shared) = self.shared.take() else {
            return;
        };
        shared.complete(|| outcome);
    }
}

impl<T: Send + 'static, E: From<StoreError> + Send + 'static> Promise<T, E> {
    /// A way to answer in the place of this promise when the work takes too long.
    pub fn expiry(&self) -> Expiry {
        match &self.shared {
            Some(shared) => {
                let shared: Weak<Shared<T, E>> = Arc::downgrade(shared);
                Expiry(shared)
            }
            None => Expiry(Weak::<Shared<T, E>>::new()),
        }
    }
}

impl<T, E: From<StoreError>> Drop for Promise<T, E> {
    fn drop(&mut self) {
        self.complete(Err(lost("work was lost before it was answered")));
    }
}

impl<T, E> fmt::Debug for Pending<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").finish_non_exhaustive()
    }
}

impl<T, E: From<StoreError>> fmt::Debug for Promise<T, E> {
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
    fn what_takes_too_long_is_answered_from_outside_and_its_outcome_comes_too_late() {
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
