//! Readers: threads that run read closures, each on a connection that it keeps.

use std::any::TypeId;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use diesel::r2d2::R2D2Connection;
use storage::{Pending, StoreError, StoreErrorKind};

use super::{Queue, Refused, Waiting};

/// A read closure with its answer inside. It is told why it cannot run when there is no connection.
type Job<C> = Box<dyn FnOnce(Result<&mut C, StoreError>) + Send>;

impl<C> Waiting for Job<C> {
    fn alone(&self) -> Option<TypeId> {
        None
    }
}

/// Reads that may wait; more are refused.
const MAX_WAITING: usize = 16_384;

/// The readers of a store.
pub(crate) struct Readers<C: R2D2Connection + 'static> {
    queue: Arc<Queue<Job<C>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<C: R2D2Connection + 'static> Readers<C> {
    /// Starts `count` threads. Each calls `connect` when its first job comes, keeps the connection, and drops it when it
    /// ends: a connection that nobody else holds is closed by then. `begin` begins a read transaction.
    pub(crate) fn start<H>(
        connect: impl Fn() -> Result<H, StoreError> + Send + Sync + 'static,
        count: usize,
        begin: &'static str,
    ) -> std::io::Result<Self>
    where
        H: DerefMut<Target = C> + 'static,
    {
        let connect = Arc::new(Connector {
            connect,
            tries: count,
            begin,
        });
        let queue: Arc<Queue<Job<C>>> = Arc::new(Queue::new(MAX_WAITING, usize::MAX));
        let mut threads = Vec::new();
        for _ in 0..count {
            let (connect, queue) = (Arc::clone(&connect), Arc::clone(&queue));
            let work = move || {
                let mut held = None;
                while let Some(mut batch) = queue.drain(1) {
                    for job in std::mem::take(&mut batch.items) {
                        connect.serve(&mut held, job);
                    }
                }
            };
            threads.push(Builder::new().name("store-reader".to_owned()).spawn(work)?);
        }
        Ok(Self {
            queue,
            threads: Mutex::new(threads),
        })
    }

    /// Runs `work` in a read transaction.
    pub(crate) fn read<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: FnOnce(&mut C) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::new();
        let job: Job<C> = Box::new(move |connection| {
            // Nobody waits for the answer of an abandoned read, and a read changes nothing.
            if !promise.is_abandoned() {
                let run = std::panic::AssertUnwindSafe(|| work(connection?));
                let panicked =
                    |_| Err(StoreError::new(StoreErrorKind::Internal, "a read panicked").into());
                promise.fulfil(std::panic::catch_unwind(run).unwrap_or_else(panicked));
            }
        });
        let (kind, job) = match self.queue.push(job, 0) {
            Ok(()) => return pending,
            Err(Refused::Full(job)) => (StoreErrorKind::Overloaded, job),
            Err(Refused::Closed(job)) => (StoreErrorKind::Unavailable, job),
        };
        job(Err(StoreError::new(kind, "queue a read")));
        pending
    }

    /// Finishes what is queued and waits for the threads to end.
    pub(crate) fn close(&self) {
        self.queue.close();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a reader thread panicked");
            }
        }
    }
}

/// How a reader comes by a connection.
struct Connector<F> {
    connect: F,
    /// How many dead connections are passed over before a failure is told.
    tries: usize,
    begin: &'static str,
}

impl<F> Connector<F> {
    /// Runs a job on the thread's own connection, which is made for the first job and kept from then on.
    fn serve<H, C>(&self, held: &mut Option<H>, job: Job<C>)
    where
        F: Fn() -> Result<H, StoreError>,
        H: DerefMut<Target = C>,
        C: R2D2Connection + 'static,
    {
        match self.begun(held.take()) {
            Ok(mut connection) => {
                job(Ok(&mut *connection));
                // Nothing was written, so how the transaction ends does not matter; a connection that cannot end it is
                // dropped.
                *held = connection
                    .batch_execute("ROLLBACK")
                    .is_ok()
                    .then_some(connection);
            }
            Err(error) => job(Err(error)),
        }
    }

    /// A connection on which a transaction has begun.
    ///
    /// After the server was started again every connection is dead, and each shows it only when it is used. Nothing
    /// has run on it then, so the next one is tried: as many as there are readers, and a new one.
    fn begun<H, C>(&self, mut held: Option<H>) -> Result<H, StoreError>
    where
        F: Fn() -> Result<H, StoreError>,
        H: DerefMut<Target = C>,
        C: R2D2Connection + 'static,
    {
        let mut tries = self.tries;
        loop {
            let mut connection = match held.take() {
                Some(connection) => connection,
                None => (self.connect)()?,
            };
            match connection.batch_execute(self.begin) {
                Ok(()) => return Ok(connection),
                Err(error) if tries == 0 || !connection.is_broken() => {
                    return Err(crate::error::from_diesel("begin a read", error));
                }
                Err(_) => tries -= 1,
            }
        }
    }
}
