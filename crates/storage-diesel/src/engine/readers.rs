//! Readers: threads that run read closures, each on a connection of its own, in two lanes.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use diesel::r2d2::R2D2Connection;
use r2d2::{Pool, PooledConnection};
use storage::{Expiry, Lane, Pending, StoreError, StoreErrorKind};

use super::gate::ReadGate;
use super::latency::{Latency, LatencyCounters};
use super::pool::{ConnectionOpener, OpenCount};
use super::queue::{Batch, KeyLimits, PushError, Queue, QueueItem};
use super::watchdog::{Sweep, WorkSlot};
use crate::error::{Conditions, Health, OpenError};

/// Reads that may wait in a lane; more are refused.
const MAX_WAITING: usize = 16_384;

/// Reads of one caller that may wait; more are refused.
const MAX_WAITING_OF_A_CALLER: usize = 256;

/// Settings of the readers of a store.
pub(crate) struct ReaderSettings {
    /// Threads for lists, at least two, so that one caller can leave one to others.
    pub(crate) readers: usize,
    /// Threads for checks.
    pub(crate) checkers: usize,
    /// Time limit of a read, from submission until it is answered.
    pub(crate) limit: Duration,
    /// The statement that begins a read transaction.
    pub(crate) begin: Arc<str>,
    /// Runs a closure, and stops the statements that it still runs after the given time, as far as the client can.
    pub(crate) within: fn(Instant, &mut dyn FnMut()),
    /// Gate that each read passes before it begins.
    pub(crate) gate: Arc<ReadGate>,
}

/// Counters of the readers since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderStats {
    /// Reads that are waiting now.
    pub waiting: usize,
    /// Latency of reads that were run.
    pub latency: Latency,
}

/// Read closure that delivers its own answer.
/// It receives the connection, or the error because of which there is none.
type ReadClosure<C> = Box<dyn FnOnce(Result<&mut C, StoreError>) + Send>;

/// Read that was submitted, before it has a place in a queue.
pub(crate) struct SubmittedRead<C> {
    lane: Lane,
    run: ReadClosure<C>,
    expiry: Expiry,
    since: Instant,
}

impl<C> SubmittedRead<C> {
    /// Creates the read, and the answer that its caller waits for.
    pub(crate) fn new<T, E, F>(lane: Lane, work: F) -> (Self, Pending<T, E>)
    where
        F: FnOnce(&mut C) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::<T, E>::new();
        let read = Self {
            lane,
            expiry: promise.expiry(),
            since: Instant::now(),
            run: Box::new(move |connection| {
                // No caller waits for the answer of an abandoned read, and a read changes nothing.
                if !promise.is_abandoned() {
                    let run = std::panic::AssertUnwindSafe(|| work(connection?));
                    let panicked = |_| {
                        Err(StoreError::new(StoreErrorKind::Internal, "a read panicked").into())
                    };
                    promise.fulfil(std::panic::catch_unwind(run).unwrap_or_else(panicked));
                }
            }),
        };
        (read, pending)
    }
}

/// Waiting read.
struct QueuedRead<C> {
    run: ReadClosure<C>,
    expiry: Expiry,
    since: Instant,
    limits: Option<KeyLimits<u64>>,
}

impl<C> QueueItem for QueuedRead<C> {
    type Key = u64;

    fn limits(&self) -> Option<KeyLimits<u64>> {
        self.limits
    }

    fn goes_with(&self, _: &Self) -> bool {
        true
    }
}

/// Lane of readers: a queue, and its threads.
struct ReadLane<C: R2D2Connection + 'static> {
    queue: Queue<QueuedRead<C>>,
    slots: Vec<WorkSlot>,
    limit: Duration,
    latency: LatencyCounters,
}

impl<C: R2D2Connection + 'static> Sweep for ReadLane<C> {
    fn sweep(&self) {
        for job in self.queue.drop_late(|job| job.since.elapsed() > self.limit) {
            let late = StoreError::new(StoreErrorKind::Overloaded, "wait for a reader");
            (job.run)(Err(late));
        }
        for slot in &self.slots {
            slot.sweep(self.limit, "read");
        }
    }
}

/// The readers of a store.
pub(crate) struct ReaderPool<C: R2D2Connection + 'static> {
    shared: Arc<ReadLane<C>>,
    checks: Arc<ReadLane<C>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    open_count: Vec<Arc<OpenCount>>,
}

impl<C: R2D2Connection + 'static> ReaderPool<C> {
    /// Starts the threads.
    /// Each opens its connection through one of two calls of `opening` when it first needs one.
    pub(crate) fn start(
        opening: impl Fn() -> ConnectionOpener<C>,
        settings: &ReaderSettings,
        health: &Arc<Health>,
    ) -> Result<Self, OpenError> {
        let mut readers = Self {
            shared: lane(settings.readers.max(2), settings.limit),
            checks: lane(settings.checkers.max(1), settings.limit),
            threads: Mutex::default(),
            open_count: Vec::new(),
        };
        for lane in [Arc::clone(&readers.shared), Arc::clone(&readers.checks)] {
            let opening = opening();
            readers.open_count.push(opening.open_count());
            // As many connections as threads, and none in advance: then no connection is opened without a thread that
            // waits for it.
            let pool = Pool::builder()
                .max_size(u32::try_from(lane.slots.len()).unwrap_or(u32::MAX))
                .min_idle(Some(0))
                .test_on_check_out(false)
                // The code that requested the connection gets the error, and logs it where it matters.
                .error_handler(Box::new(r2d2::NopErrorHandler))
                .connection_timeout(settings.limit.max(Duration::from_millis(1)))
                .build(opening)?;
            for place in 0..lane.slots.len() {
                let reader = ReaderThread {
                    lane: Arc::clone(&lane),
                    place,
                    pool: pool.clone(),
                    held: None,
                    begin: Arc::clone(&settings.begin),
                    within: settings.within,
                    gate: Arc::clone(&settings.gate),
                    health: Arc::clone(health),
                };
                let spawned = Builder::new()
                    .name("store-reader".to_owned())
                    .spawn(move || reader.run());
                match spawned {
                    Ok(thread) => readers.threads().push(thread),
                    Err(error) => {
                        readers.close();
                        return Err(error.into());
                    }
                }
            }
        }
        Ok(readers)
    }

    fn threads(&self) -> std::sync::MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the lanes that the watchdog supervises.
    pub(crate) fn watched(&self) -> [Arc<dyn Sweep>; 2] {
        [self.shared.clone(), self.checks.clone()]
    }

    /// Runs `work` in a read transaction.
    pub(crate) fn read<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: FnOnce(&mut C) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (read, pending) = SubmittedRead::new(lane, work);
        self.submit(read);
        pending
    }

    /// Queues a read in its lane. One that does not fit is refused.
    pub(crate) fn submit(&self, read: SubmittedRead<C>) {
        let (served_by, limits) = match read.lane {
            Lane::Check => (&self.checks, None),
            Lane::Caller(key) => (&self.shared, Some(self.caller_limits(key))),
            _ => (&self.shared, None),
        };
        let job = QueuedRead {
            run: read.run,
            expiry: read.expiry,
            since: read.since,
            limits,
        };
        let (kind, job) = match served_by.queue.push(job, 0) {
            Ok(()) => return,
            Err(PushError::Full(job)) => (StoreErrorKind::Overloaded, job),
            Err(PushError::Closed(job)) => (StoreErrorKind::Unavailable, job),
        };
        (job.run)(Err(StoreError::new(kind, "queue a read")));
    }

    /// Returns the counters so far, of lists without checks: a check waits for no list.
    pub(crate) fn stats(&self) -> ReaderStats {
        ReaderStats {
            waiting: self.shared.queue.len(),
            latency: self.shared.latency.read(),
        }
    }

    /// Limits a caller to half of the readers.
    fn caller_limits(&self, key: u64) -> KeyLimits<u64> {
        KeyLimits {
            key,
            takers: self.shared.slots.len() / 2,
            waiting: MAX_WAITING_OF_A_CALLER,
        }
    }

    /// Finishes the queued reads, and waits until the threads have ended and every connection is closed.
    pub(crate) fn close(&self) {
        self.shared.queue.close();
        self.checks.queue.close();
        super::join(std::mem::take(&mut *self.threads()));
        if !self
            .open_count
            .iter()
            .all(|open_count| open_count.wait_until_none())
        {
            tracing::warn!("a read connection is still open");
        }
    }
}

fn lane<C: R2D2Connection + 'static>(threads: usize, limit: Duration) -> Arc<ReadLane<C>> {
    Arc::new(ReadLane {
        queue: Queue::new(MAX_WAITING, usize::MAX),
        slots: (0..threads).map(|_| WorkSlot::default()).collect(),
        limit,
        latency: LatencyCounters::default(),
    })
}

/// Reader thread.
struct ReaderThread<C: R2D2Connection + 'static> {
    lane: Arc<ReadLane<C>>,
    /// Index among the slots of the lane.
    place: usize,
    pool: Pool<ConnectionOpener<C>>,
    /// Connection, which is taken from the pool for the first job and kept from then on.
    held: Option<PooledConnection<ConnectionOpener<C>>>,
    begin: Arc<str>,
    within: fn(Instant, &mut dyn FnMut()),
    gate: Arc<ReadGate>,
    health: Arc<Health>,
}

impl<C: R2D2Connection + 'static> ReaderThread<C> {
    fn run(mut self) {
        let lane = Arc::clone(&self.lane);
        while let Some(mut batch) = lane.queue.drain(1) {
            self.serve(&lane, &mut batch);
        }
    }

    fn serve(&mut self, lane: &ReadLane<C>, batch: &mut Batch<'_, QueuedRead<C>>) {
        for job in std::mem::take(&mut batch.items) {
            let slot = lane.slots.get(self.place);
            if let Some(slot) = slot {
                slot.begin(job.since, vec![job.expiry.clone()]);
            }
            let since = job.since;
            let mut job = Some(job);
            let until = since + lane.limit;
            (self.within)(until, &mut || {
                if let Some(job) = job.take() {
                    self.run_job(job);
                }
            });
            lane.latency.record(since);
            if let Some(slot) = slot {
                slot.end();
            }
        }
    }

    fn run_job(&mut self, job: QueuedRead<C>) {
        let gate = Arc::clone(&self.gate);
        let _running = gate.pass();
        Conditions::begin();
        match self.begin_read() {
            Ok(mut connection) => {
                (job.run)(Ok(connection.get()));
                // Nothing was written, so it does not matter how the transaction ends; a connection that cannot end it
                // returns to the pool, which finds it broken.
                self.held = connection
                    .get()
                    .batch_execute("ROLLBACK")
                    .is_ok()
                    .then_some(connection);
            }
            Err(error) => (job.run)(Err(error)),
        }
        self.health.note(Conditions::end());
    }

    /// Returns a connection on which a transaction has begun.
    ///
    /// After a restart of the server every connection is dead, which shows only when it is used. Nothing has run on it
    /// by then, so the next one is tried: as many as the pool may hold, and a new one.
    fn begin_read(&mut self) -> Result<PooledConnection<ConnectionOpener<C>>, StoreError> {
        let mut tries = self.pool.max_size();
        loop {
            let mut connection = match self.held.take() {
                Some(connection) => connection,
                None => self.pool.get().map_err(|error| {
                    StoreError::new(StoreErrorKind::Unavailable, "connect").with_source(error)
                })?,
            };
            match connection.get().batch_execute(&self.begin) {
                Ok(()) => return Ok(connection),
                Err(error) if tries == 0 || !connection.get().is_broken() => {
                    return Err(crate::error::from_diesel("begin a read", error));
                }
                Err(_) => tries -= 1,
            }
        }
    }
}
