//! Readers: threads that run read closures, each on a connection of the pool.

use std::any::TypeId;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use diesel::connection::SimpleConnection as _;
use diesel::r2d2::{ConnectionManager, Pool, PooledConnection, R2D2Connection};
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
    /// Starts `count` threads over `pool`, which must hold as many connections and make none before it is asked:
    /// then no connection is made that a thread does not wait for, and all are closed when the threads have ended.
    /// `begin` begins a read transaction.
    pub(crate) fn start(
        pool: &Pool<ConnectionManager<C>>,
        count: usize,
        begin: &'static str,
    ) -> std::io::Result<Self> {
        let queue: Arc<Queue<Job<C>>> = Arc::new(Queue::new(MAX_WAITING, usize::MAX));
        let mut threads = Vec::new();
        for _ in 0..count {
            let (pool, queue) = (pool.clone(), Arc::clone(&queue));
            let work = move || {
                let mut held = None;
                while let Some(mut batch) = queue.drain(1) {
                    for job in std::mem::take(&mut batch.items) {
                        serve(&pool, &mut held, begin, job);
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

/// Runs a job on the thread's own connection, which is taken from the pool for the first job and kept from then on.
fn serve<C: R2D2Connection + 'static>(
    pool: &Pool<ConnectionManager<C>>,
    held: &mut Option<PooledConnection<ConnectionManager<C>>>,
    begin: &'static str,
    job: Job<C>,
) {
    match begun(pool, held.take(), begin) {
        Ok(mut connection) => {
            job(Ok(&mut *connection));
            // Nothing was written, so how the transaction ends does not matter; a connection that cannot end it
            // goes back to the pool, which finds it broken.
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
/// has run on it then, so the next one is tried: as many as the pool may hold, and a new one.
fn begun<C: R2D2Connection + 'static>(
    pool: &Pool<ConnectionManager<C>>,
    mut held: Option<PooledConnection<ConnectionManager<C>>>,
    begin: &'static str,
) -> Result<PooledConnection<ConnectionManager<C>>, StoreError> {
    let mut tries = pool.max_size();
    loop {
        let mut connection = match held.take() {
            Some(connection) => connection,
            None => pool.get().map_err(|error| {
                StoreError::new(StoreErrorKind::Unavailable, "connect").with_source(error)
            })?,
        };
        match connection.batch_execute(begin) {
            Ok(()) => return Ok(connection),
            Err(error) if tries == 0 || !connection.is_broken() => {
                return Err(crate::error::from_diesel("begin a read", error));
            }
            Err(_) => tries -= 1,
        }
    }
}
