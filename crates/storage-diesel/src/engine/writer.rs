//! The writer: a thread that owns a connection and commits what is queued, in groups.
//!
//! While one commit runs, the next batch gathers by itself, so nothing ever waits for company. Whoever queued a
//! piece of work is answered only after the commit that holds it.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use storage::{GroupWork, Pending, StoreError, StoreErrorKind, Work};

use super::unit::{ClosureUnit, GroupUnit, Ran};
use super::{Backend, Queue, Refused, Unit, Waiting};

/// What a unit of work holds besides what it says, in bytes.
const UNIT_BYTES: usize = 512;

/// The most units in one transaction.
const BATCH: usize = 256;

/// Work in the queue, and when it was put there.
pub(crate) struct Queued<B: Backend> {
    unit: Box<dyn Unit<B>>,
    since: Instant,
}

impl<B: Backend> Waiting for Queued<B> {
    fn alone(&self) -> Option<TypeId> {
        self.unit.alone()
    }
}

/// What writers have done since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStats {
    /// Units of work that wait now.
    pub waiting: usize,
    /// Transactions committed.
    pub commits: u64,
    /// Units of work in them.
    pub units: u64,
    /// Time spent in committing, in microseconds.
    pub commit_micros: u64,
    /// Units refused because the queue was full or they waited too long.
    pub refused: u64,
}

#[derive(Debug, Default)]
struct Counters {
    commits: AtomicU64,
    units: AtomicU64,
    commit_micros: AtomicU64,
    refused: AtomicU64,
}

/// The near end of the writers: where work is handed over.
pub(crate) struct WriterHandle<B: Backend> {
    queue: Arc<Queue<Queued<B>>>,
    counters: Arc<Counters>,
    threads: std::sync::Mutex<Vec<JoinHandle<()>>>,
}

impl<B: Backend> WriterHandle<B> {
    /// Starts one thread for each backend, all on one queue.
    pub(crate) fn start(
        backends: Vec<B>,
        queue: Queue<Queued<B>>,
        deadline: Duration,
    ) -> std::io::Result<Self> {
        let (queue, counters) = (Arc::new(queue), Arc::new(Counters::default()));
        let mut threads = Vec::new();
        for backend in backends {
            let writer = Writer {
                backend,
                queue: Arc::clone(&queue),
                counters: Arc::clone(&counters),
                deadline,
            };
            threads.push(
                Builder::new()
                    .name("store-writer".to_owned())
                    .spawn(move || writer.run())?,
            );
        }
        Ok(Self {
            queue,
            counters,
            threads: std::sync::Mutex::new(threads),
        })
    }

    /// Queues a closure.
    pub(crate) fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut B::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::new();
        self.submit(Box::new(ClosureUnit::new(work, promise)), UNIT_BYTES);
        pending
    }

    /// Queues work that is written together with others of its kind.
    pub(crate) fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<B::WriteTx<'t>>,
    {
        let bytes = Work::weight(&work) + UNIT_BYTES;
        let (promise, pending) = Pending::new();
        self.submit(Box::new(GroupUnit::new(work, promise)), bytes);
        pending
    }

    /// Queues a unit of about `bytes`, or answers it at once when there is no room.
    fn submit(&self, unit: Box<dyn Unit<B>>, bytes: usize) {
        let queued = Queued {
            unit,
            since: Instant::now(),
        };
        let (kind, queued) = match self.queue.push(queued, bytes) {
            Ok(()) => return,
            Err(Refused::Full(queued)) => (StoreErrorKind::Overloaded, queued),
            Err(Refused::Closed(queued)) => (StoreErrorKind::Unavailable, queued),
        };
        self.counters.refused.fetch_add(1, Ordering::Relaxed);
        queued
            .unit
            .answer(Some(&|| StoreError::new(kind, "queue a write")));
    }

    /// What was done so far.
    pub(crate) fn stats(&self) -> WriterStats {
        WriterStats {
            waiting: self.queue.len(),
            commits: self.counters.commits.load(Ordering::Relaxed),
            units: self.counters.units.load(Ordering::Relaxed),
            commit_micros: self.counters.commit_micros.load(Ordering::Relaxed),
            refused: self.counters.refused.load(Ordering::Relaxed),
        }
    }

    /// Takes nothing more, finishes what is queued, and waits for the threads to end.
    pub(crate) fn close(&self) {
        self.queue.close();
        let threads = std::mem::take(
            &mut *self
                .threads
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        );
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a writer thread panicked");
            }
        }
    }
}

/// The far end: the thread.
pub(crate) struct Writer<B: Backend> {
    backend: B,
    queue: Arc<Queue<Queued<B>>>,
    counters: Arc<Counters>,
    deadline: Duration,
}

impl<B: Backend> Writer<B> {
    fn run(mut self) {
        let queue = Arc::clone(&self.queue);
        while let Some(mut batch) = queue.drain(BATCH) {
            let units = gather(self.refuse_late(std::mem::take(&mut batch.items)));
            if !units.is_empty() {
                self.write(units);
                self.backend.between_batches(batch.bytes);
            }
        }
    }

    /// Answers what waited too long, without running it: whoever asked has given up or is about to.
    fn refuse_late(&self, batch: Vec<Queued<B>>) -> Vec<Box<dyn Unit<B>>> {
        let mut in_time = Vec::with_capacity(batch.len());
        for queued in batch {
            if queued.since.elapsed() <= self.deadline {
                in_time.push(queued.unit);
            } else {
                self.counters.refused.fetch_add(1, Ordering::Relaxed);
                let late = || StoreError::new(StoreErrorKind::Overloaded, "wait for the writer");
                queued.unit.answer(Some(&late));
            }
        }
        in_time
    }

    fn write(&mut self, units: Vec<Box<dyn Unit<B>>>) {
        let count = u64::try_from(units.len()).unwrap_or(u64::MAX);
        let mut done = Vec::with_capacity(units.len());
        let outcome = self.transaction(units, &mut done);
        match outcome {
            Ok(()) => {
                self.counters.commits.fetch_add(1, Ordering::Relaxed);
                self.counters.units.fetch_add(count, Ordering::Relaxed);
                for unit in done {
                    unit.answer(None);
                }
            }
            Err(error) => {
                tracing::error!(error = %Causes(&error), "a batch of writes was not committed");
                self.backend.suspect();
                let failure = || {
                    StoreError::new(StoreErrorKind::Unavailable, "commit")
                        .with_detail(error.to_string())
                };
                for unit in done {
                    unit.answer(Some(&failure));
                }
            }
        }
    }

    /// Runs all units in one transaction. Whatever happens, every unit ends up in `done`.
    fn transaction(
        &mut self,
        units: Vec<Box<dyn Unit<B>>>,
        done: &mut Vec<Box<dyn Unit<B>>>,
    ) -> Result<(), StoreError> {
        let connection = match self.backend.connection() {
            Ok(connection) => connection,
            Err(error) => {
                done.extend(units);
                return Err(error);
            }
        };
        let mut steps = Steps {
            connection,
            failure: None,
        };
        steps.execute(B::BEGIN);
        let mut waiting: Vec<Box<dyn Unit<B>>> = units;
        // The transaction itself is the savepoint of a unit that is alone in it.
        if waiting.len() == 1
            && let Some(only) = waiting.pop()
        {
            match steps.run::<B>(only) {
                Ran::Keep(unit) => done.push(unit),
                Ran::Undo(unit) => {
                    done.push(unit);
                    steps.execute("ROLLBACK");
                    return steps.outcome();
                }
                Ran::Split(alone) => {
                    steps.execute("ROLLBACK");
                    steps.execute(B::BEGIN);
                    waiting = alone;
                }
            }
        }
        steps.run_each(waiting, done);
        let started = Instant::now();
        steps.execute(B::COMMIT);
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.counters
            .commit_micros
            .fetch_add(micros, Ordering::Relaxed);
        if steps.failure.is_some() {
            // The transaction may still be open; a failure to end it is the same failure again.
            let _ = steps.connection.batch_execute("ROLLBACK");
        }
        steps.outcome()
    }
}

/// The statements of a transaction. After the first one that fails nothing more is done.
struct Steps<'c, C> {
    connection: &'c mut C,
    failure: Option<StoreError>,
}

impl<C: diesel::connection::SimpleConnection> Steps<'_, C> {
    fn execute(&mut self, statement: &'static str) {
        if self.failure.is_none()
            && let Err(error) = self.connection.batch_execute(statement)
        {
            self.failure = Some(crate::error::from_diesel(statement, error));
        }
    }

    fn run<B: Backend<Connection = C>>(&mut self, unit: Box<dyn Unit<B>>) -> Ran<B> {
        if self.failure.is_some() {
            Ran::Keep(unit)
        } else {
            unit.run(self.connection)
        }
    }

    /// Runs units one after the other, each in a savepoint of its own.
    fn run_each<B: Backend<Connection = C>>(
        &mut self,
        units: Vec<Box<dyn Unit<B>>>,
        done: &mut Vec<Box<dyn Unit<B>>>,
    ) {
        for unit in units {
            self.execute("SAVEPOINT unit");
            match self.run::<B>(unit) {
                Ran::Keep(unit) => done.push(unit),
                Ran::Undo(unit) => {
                    self.execute("ROLLBACK TO SAVEPOINT unit");
                    done.push(unit);
                }
                Ran::Split(alone) => {
                    self.execute("ROLLBACK TO SAVEPOINT unit");
                    self.run_each(alone, done);
                }
            }
            self.execute("RELEASE SAVEPOINT unit");
        }
    }

    fn outcome(self) -> Result<(), StoreError> {
        self.failure.map_or(Ok(()), Err)
    }
}

/// Puts work of one kind together, at the place of the first piece of it.
fn gather<B: Backend>(units: Vec<Box<dyn Unit<B>>>) -> Vec<Box<dyn Unit<B>>> {
    let mut gathered: Vec<Box<dyn Unit<B>>> = Vec::new();
    let mut places: HashMap<TypeId, usize> = HashMap::new();
    for unit in units {
        let Some(kind) = unit.kind() else {
            gathered.push(unit);
            continue;
        };
        let place = places.get(&kind).copied();
        let left = match place.and_then(|place| gathered.get_mut(place)) {
            Some(group) => group.join(unit),
            None => Some(unit),
        };
        if let Some(unit) = left {
            places.insert(kind, gathered.len());
            gathered.push(unit);
        }
    }
    gathered
}

/// An error with everything underneath, for the log.
struct Causes<'e>(&'e StoreError);

impl std::fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut next: Option<&dyn std::error::Error> = Some(self.0);
        while let Some(error) = next {
            write!(f, "{error}")?;
            next = error.source();
            if next.is_some() {
                f.write_str(": ")?;
            }
        }
        Ok(())
    }
}
