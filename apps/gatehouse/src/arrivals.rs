//! Waking the requests of a worker together.
//!
//! The store answers a whole batch at a time, from a thread of its own. Each answer wakes the task of one request,
//! and each waking of a task from another thread costs a system call, and often a switch between the two threads.
//! A worker's [`Arrivals`] gather what was answered: the first answer wakes the worker, the others join it until it
//! comes, and it then wakes their tasks itself, which costs next to nothing on its own thread.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use actix_web::HttpRequest;

/// The answers that have come for one worker. There is one for each worker thread.
#[derive(Debug, Clone)]
pub struct Arrivals {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Tasks whose answer has come.
    arrived: Vec<Waker>,
    /// The task that wakes them, when nobody has woken it yet.
    asleep: Option<Waker>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrive(&self, task: Waker) {
        let mut state = self.lock();
        state.arrived.push(task);
        let asleep = state.asleep.take();
        drop(state);
        if let Some(porter) = asleep {
            porter.wake();
        }
    }
}

impl Arrivals {
    /// Starts gathering on this worker thread, on which a runtime must be running.
    pub fn start() -> Self {
        let shared = Arc::<Shared>::default();
        actix_web::rt::spawn(Porter(Arc::clone(&shared)));
        Self { shared }
    }

    /// A future that is woken together with the others of this worker. To be awaited on the same thread.
    pub fn gather<F: Future + Unpin>(&self, inner: F) -> Gathered<F> {
        Gathered {
            inner,
            shared: Arc::clone(&self.shared),
            wakers: None,
        }
    }
}

/// Awaits an answer of the store for a request: together with the others of its worker, where the worker gathers
/// them, and otherwise alone.
pub async fn gathered<F: Future + Unpin>(request: &HttpRequest, answer: F) -> F::Output {
    match request.app_data::<Arrivals>() {
        Some(arrivals) => arrivals.gather(answer).await,
        None => answer.await,
    }
}

/// The task that wakes the tasks of those that have arrived. It never ends by itself.
struct Porter(Arc<Shared>);

impl Future for Porter {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        state.asleep = Some(cx.waker().clone());
        let arrived = std::mem::take(&mut state.arrived);
        drop(state);
        arrived.into_iter().for_each(Waker::wake);
        Poll::Pending
    }
}

/// What [`Arrivals::gather`] gives.
#[derive(Debug)]
pub struct Gathered<F> {
    inner: F,
    shared: Arc<Shared>,
    /// The task's waker, and the one that was made for it.
    wakers: Option<(Waker, Waker)>,
}

/// Wakes a task by way of the others of its worker.
struct Joining {
    shared: Arc<Shared>,
    task: Waker,
}

impl Wake for Joining {
    fn wake(self: Arc<Self>) {
        self.shared.arrive(self.task.clone());
    }
}

impl<F: Future + Unpin> Future for Gathered<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let known = this.wakers.take();
        let known = known.filter(|(task, _)| task.will_wake(cx.waker()));
        let (_, joining) = this.wakers.insert(known.unwrap_or_else(|| {
            let joining = Arc::new(Joining {
                shared: Arc::clone(&this.shared),
                task: cx.waker().clone(),
            });
            (cx.waker().clone(), Waker::from(joining))
        }));
        Pin::new(&mut this.inner).poll(&mut Context::from_waker(joining))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use storage::{Pending, StoreError};

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn answers_wake_the_worker_once_and_then_each_task() {
        let shared = Arc::<Shared>::default();
        let [worker, task] = [Arc::<Count>::default(), Arc::<Count>::default()];
        let mut porter = Porter(Arc::clone(&shared));
        let worker_waker = Waker::from(Arc::clone(&worker));
        let mut worker_context = Context::from_waker(&worker_waker);
        assert!(Pin::new(&mut porter).poll(&mut worker_context).is_pending());

        let arrivals = Arrivals { shared };
        let task_waker = Waker::from(Arc::clone(&task));
        let mut context = Context::from_waker(&task_waker);
        let mut promises = Vec::new();
        let mut waiting = Vec::new();
        for _ in 0..3 {
            let (promise, pending) = Pending::<u8, StoreError>::new();
            promises.push(promise);
            waiting.push(arrivals.gather(pending));
        }
        for one in &mut waiting {
            assert!(Pin::new(one).poll(&mut context).is_pending());
        }
        let other = thread::spawn(move || {
            for promise in promises {
                promise.fulfil(Ok(1));
            }
        });
        other.join().unwrap();
        let woken = |count: &Count| count.0.load(Ordering::SeqCst);
        assert_eq!((woken(&worker), woken(&task)), (1, 0));
        assert!(Pin::new(&mut porter).poll(&mut worker_context).is_pending());
        assert_eq!((woken(&worker), woken(&task)), (1, 3));
        for one in &mut waiting {
            assert!(matches!(
                Pin::new(one).poll(&mut context),
                Poll::Ready(Ok(1))
            ));
        }
    }

    #[actix_web::test]
    async fn an_answer_from_another_thread_is_awaited() {
        let arrivals = Arrivals::start();
        let (promise, pending) = Pending::<u8, StoreError>::new();
        let other = thread::spawn(move || promise.fulfil(Ok(7)));
        assert_eq!(arrivals.gather(pending).await.unwrap(), 7);
        other.join().unwrap();
        let ready = Pending::<u8, StoreError>::ready(Ok(8));
        assert_eq!(arrivals.gather(ready).await.unwrap(), 8);
    }
}
