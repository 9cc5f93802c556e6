//! Batching of wake-ups for the requests of a worker.
//!
//! The store answers a whole batch at a time, from its own thread. Each answer wakes the task of one request, and each
//! wake-up from another thread costs a system call, and often a context switch. A worker's [`WakeBatch`] collects the
//! answers: the first one wakes the worker, later ones join it until the worker runs, and the worker then wakes their
//! tasks itself, which is almost free on its own thread.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use actix_web::HttpRequest;

/// Answers that are ready for one worker. Each worker thread has one batch.
#[derive(Debug, Clone)]
pub struct WakeBatch {
    queue: Arc<BatchQueue>,
}

#[derive(Debug, Default)]
struct BatchQueue {
    state: Mutex<BatchState>,
}

#[derive(Debug, Default)]
struct BatchState {
    /// Tasks whose answer is ready.
    ready: Vec<Waker>,
    /// Task that wakes them; `None` if it was woken already.
    sleeping: Option<Waker>,
}

impl BatchQueue {
    fn lock(&self) -> MutexGuard<'_, BatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, task: Waker) {
        let mut state = self.lock();
        state.ready.push(task);
        let sleeping = state.sleeping.take();
        drop(state);
        if let Some(batch_waker) = sleeping {
            batch_waker.wake();
        }
    }
}

impl WakeBatch {
    /// Starts batching on this worker thread, on which a runtime must be running.
    pub fn start() -> Self {
        let queue = Arc::<BatchQueue>::default();
        actix_web::rt::spawn(BatchWaker(Arc::clone(&queue)));
        Self { queue }
    }

    /// Wraps a future so that it is woken together with the others of this worker. Await it on the same thread.
    pub fn add<F: Future + Unpin>(&self, inner: F) -> BatchedFuture<F> {
        BatchedFuture {
            inner,
            queue: Arc::clone(&self.queue),
            wakers: None,
        }
    }
}

/// Awaits an answer of the store for a request: in the batch of its worker if there is one, otherwise alone.
pub async fn batched<F: Future + Unpin>(request: &HttpRequest, answer: F) -> F::Output {
    match request.app_data::<WakeBatch>() {
        Some(batch) => batch.add(answer).await,
        None => answer.await,
    }
}

/// Task that wakes the tasks whose answers are ready. It never completes.
struct BatchWaker(Arc<BatchQueue>);

impl Future for BatchWaker {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        state.sleeping = Some(cx.waker().clone());
        let ready = std::mem::take(&mut state.ready);
        drop(state);
        ready.into_iter().for_each(Waker::wake);
        Poll::Pending
    }
}

/// Future of [`WakeBatch::add`].
#[derive(Debug)]
pub struct BatchedFuture<F> {
    inner: F,
    queue: Arc<BatchQueue>,
    /// Waker of the task, and the batched waker created for it.
    wakers: Option<(Waker, Waker)>,
}

/// Waker that adds its task to the batch of its worker.
struct BatchedTask {
    queue: Arc<BatchQueue>,
    task: Waker,
}

impl Wake for BatchedTask {
    fn wake(self: Arc<Self>) {
        self.queue.push(self.task.clone());
    }
}

impl<F: Future + Unpin> Future for BatchedFuture<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let known = this.wakers.take();
        let known = known.filter(|(task, _)| task.will_wake(cx.waker()));
        let (_, batched) = this.wakers.insert(known.unwrap_or_else(|| {
            let batched = Arc::new(BatchedTask {
                queue: Arc::clone(&this.queue),
                task: cx.waker().clone(),
            });
            (cx.waker().clone(), Waker::from(batched))
        }));
        Pin::new(&mut this.inner).poll(&mut Context::from_waker(batched))
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
        let queue = Arc::<BatchQueue>::default();
        let [worker, task] = [Arc::<Count>::default(), Arc::<Count>::default()];
        let mut batch_waker = BatchWaker(Arc::clone(&queue));
        let worker_waker = Waker::from(Arc::clone(&worker));
        let mut worker_context = Context::from_waker(&worker_waker);
        assert!(
            Pin::new(&mut batch_waker)
                .poll(&mut worker_context)
                .is_pending()
        );

        let batch = WakeBatch { queue };
        let task_waker = Waker::from(Arc::clone(&task));
        let mut context = Context::from_waker(&task_waker);
        let mut promises = Vec::new();
        let mut waiting = Vec::new();
        for _ in 0..3 {
            let (promise, pending) = Pending::<u8, StoreError>::new();
            promises.push(promise);
            waiting.push(batch.add(pending));
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
        assert!(
            Pin::new(&mut batch_waker)
                .poll(&mut worker_context)
                .is_pending()
        );
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
        let batch = WakeBatch::start();
        let (promise, pending) = Pending::<u8, StoreError>::new();
        let other = thread::spawn(move || promise.fulfil(Ok(7)));
        assert_eq!(batch.add(pending).await.unwrap(), 7);
        other.join().unwrap();
        let ready = Pending::<u8, StoreError>::ready(Ok(8));
        assert_eq!(batch.add(ready).await.unwrap(), 8);
    }
}
