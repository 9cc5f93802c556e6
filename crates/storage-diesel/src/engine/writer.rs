//! Writers: threads that own one connection each and commit queued work.
//!
//! While one commit runs, the next batch fills up by itself, so work never waits for a fuller batch. A caller is
//! answered only after the commit that contains its work.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use storage::{GroupWork, Pending, StoreError, StoreErrorKind, Work};

use super::queue::{Queue, Refused, Share, Waiting};
use super::repeats::{Repeated, Repeats, log_repeated};
use super::transaction::Commit as _;
use super::unit::{ClosureUnit, GroupUnit, Kind};
use super::watchdog::{Slot, Sweep};
use super::{Backend, Unit};
use crate::error::Health;

/// Bytes that a unit of work uses in addition to its own weight.
const UNIT_BYTES: usize = 512;

/// Maximum number of units in one batch.
const BATCH: usize = 256;

/// Queued work, with the time at which it was queued.
pub(crate) struct Queued<B: Backend> {
    unit: Box<dyn Unit<B>>,
    since: Instant,
}

impl<B: Backend> Waiting for Queued<B> {
    type Key = Kind;

    fn share(&self) -> Option<Share<Kind>> {
        let exclusive = |key| Share {
            key,
            takers: 1,
            waiting: usize::MAX,
        };
        self.unit.exclusive().map(exclusive)
    }

    fn goes_with(&self, other: &Self) -> bool {
        B::SHARES || (self.unit.kind().is_some() && self.unit.kind() == other.unit.kind())
    }
}

/// Counters of the writers since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStats {
    /// Units of work that are waiting now.
    pub waiting: usize,
    /// Transactions committed.
    pub commits: u64,
    /// Units of work in them.
    pub units: u64,
    /// Time spent on commits, in microseconds.
    pub commit_micros: u64,
    /// Units refused because the queue was full or they waited too long.
    pub refused: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) commits: AtomicU64,
    pub(super) units: AtomicU64,
    pub(super) commit_micros: AtomicU64,
    pub(super) refused: AtomicU64,
    /// Batches that were not committed.
    pub(super) not_committed: Repeats,
}

impl Counters {
    /// Records a commit that began at `started` and has just ended.
    pub(super) fn committing(&self, started: Instant) {
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.commit_micros.fetch_add(micros, Ordering::Relaxed);
    }
}

/// Settings of writers.
#[derive(Debug, Clone)]
pub(crate) struct WriterSettings {
    /// Writes that may wait in a lane; more are refused.
    pub(crate) queue_jobs: usize,
    /// Bytes that the waiting writes of a lane may hold.
    pub(crate) queue_bytes: usize,
    /// Time that a write may wait before it is refused without being run.
    pub(crate) wait: Duration,
    /// Total time that a write may take before it is answered although its outcome is unknown.
    pub(crate) limit: Duration,
}

/// Connections of writers.
pub(crate) struct Backends<B> {
    /// Connections for closures.
    pub(crate) closures: Vec<B>,
    /// Connections for grouped work; if empty, grouped work runs with the closures.
    pub(crate) groups: Vec<B>,
}

/// A queue and the current work of its writers.
struct Line<B: Backend> {
    queue: Queue<Queued<B>>,
    slots: Vec<Slot>,
    settings: WriterSettings,
    counters: Arc<Counters>,
}

impl<B: Backend> Line<B> {
    /// Refuses work that waited too long, without running it: its caller has given up or is about to.
    fn refuse(&self, late: Queued<B>) {
        self.answer_unrun(late.unit, &|| {
            StoreError::new(StoreErrorKind::Overloaded, "wait for the writer")
        });
    }

    fn answer_unrun(&self, unit: Box<dyn Unit<B>>, error: &dyn Fn() -> StoreError) {
        self.counters.refused.fetch_add(1, Ordering::Relaxed);
        unit.answer(Some(error));
    }

    fn is_late(&self, queued: &Queued<B>) -> bool {
        queued.since.elapsed() > self.settings.wait
    }
}

impl<B: Backend> Sweep for Line<B> {
    fn sweep(&self) {
        for late in self.queue.drop_late(|queued| self.is_late(queued)) {
            self.refuse(late);
        }
        for slot in &self.slots {
            slot.sweep(self.settings.limit, "write");
        }
        log_not_committed(self.counters.not_committed.due(Instant::now()));
    }
}

/// Handle through which work is submitted to the writers.
pub(crate) struct WriterHandle<B: Backend> {
    closures: Arc<Line<B>>,
    /// Same queue as for closures if there is one lane.
    groups: Arc<Line<B>>,
    counters: Arc<Counters>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<B: Backend> WriterHandle<B> {
    /// Starts one thread for each connection.
    pub(crate) fn start(
        backends: Backends<B>,
        settings: &WriterSettings,
        health: &Arc<Health>,
    ) -> std::io::Result<Self> {
        let counters = Arc::new(Counters::default());
        let line = |backends: &[B]| {
            Arc::new(Line {
                queue: Queue::new(settings.queue_jobs, settings.queue_bytes),
                slots: backends.iter().map(|_| Slot::default()).collect(),
                settings: settings.clone(),
                counters: Arc::clone(&counters),
            })
        };
        let closures = line(&backends.closures);
        let groups = if backends.groups.is_empty() {
            Arc::clone(&closures)
        } else {
            line(&backends.groups)
        };
        let handle = Self {
            closures,
            groups,
            counters,
            threads: Mutex::default(),
        };
        for (line, backends) in [
            (&handle.closures, backends.closures),
            (&handle.groups, backends.groups),
        ] {
            for (place, backend) in backends.into_iter().enumerate() {
                let writer = Writer {
                    backend,
                    line: Arc::clone(line),
                    place,
                    health: Arc::clone(health),
                };
                let spawned = Builder::new()
                    .name("store-writer".to_owned())
                    .spawn(move || writer.run());
                match spawned {
                    Ok(thread) => handle.threads().push(thread),
                    Err(error) => {
                        handle.close();
                        return Err(error);
                    }
                }
            }
        }
        Ok(handle)
    }

    fn threads(&self) -> std::sync::MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the lanes that the watchdog supervises.
    pub(crate) fn watched(&self) -> [Arc<dyn Sweep>; 2] {
        [self.closures.clone(), self.groups.clone()]
    }

    /// Queues a closure.
    pub(crate) fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut B::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::new();
        let unit = Box::new(ClosureUnit::new(work, promise));
        self.submit(&self.closures, unit, UNIT_BYTES);
        pending
    }

    /// Queues work that is written together with other work of its kind.
    pub(crate) fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<B::WriteTx<'t>>,
    {
        let bytes = Work::weight(&work) + UNIT_BYTES;
        let (promise, pending) = Pending::new();
        let unit = Box::new(GroupUnit::new(work, promise));
        self.submit(&self.groups, unit, bytes);
        pending
    }

    /// Queues a unit of about `bytes`, or answers it at once if there is no room.
    fn submit(&self, line: &Line<B>, unit: Box<dyn Unit<B>>, bytes: usize) {
        let queued = Queued {
            unit,
            since: Instant::now(),
        };
        let (kind, queued) = match line.queue.push(queued, bytes) {
            Ok(()) => return,
            Err(Refused::Full(queued)) => (StoreErrorKind::Overloaded, queued),
            Err(Refused::Closed(queued)) => (StoreErrorKind::Unavailable, queued),
        };
        self.counters.refused.fetch_add(1, Ordering::Relaxed);
        queued
            .unit
            .answer(Some(&|| StoreError::new(kind, "queue a write")));
    }

    /// Returns the counters so far.
    pub(crate) fn stats(&self) -> WriterStats {
        let waiting = self.closures.queue.len();
        let grouped = if Arc::ptr_eq(&self.closures, &self.groups) {
            0
        } else {
            self.groups.queue.len()
        };
        WriterStats {
            waiting: waiting + grouped,
            commits: self.counters.commits.load(Ordering::Relaxed),
            units: self.counters.units.load(Ordering::Relaxed),
            commit_micros: self.counters.commit_micros.load(Ordering::Relaxed),
            refused: self.counters.refused.load(Ordering::Relaxed),
        }
    }

    /// Accepts no more work, finishes the queued work, and waits for the threads to end.
    pub(crate) fn close(&self) {
        self.closures.queue.close();
        self.groups.queue.close();
        super::join(std::mem::take(&mut *self.threads()));
        log_not_committed(self.counters.not_committed.rest(Instant::now()));
    }
}

fn log_not_committed(repeated: Vec<Repeated>) {
    log_repeated!(repeated, error, "batches of writes were not committed");
}

/// Writer thread.
struct Writer<B: Backend> {
    backend: B,
    line: Arc<Line<B>>,
    /// Index among the slots of the lane.
    place: usize,
    health: Arc<Health>,
}

impl<B: Backend> Writer<B> {
    fn run(mut self) {
        let line = Arc::clone(&self.line);
        while let Some(mut batch) = line.queue.drain(BATCH) {
            let items = std::mem::take(&mut batch.items);
            let serve = AssertUnwindSafe(|| self.serve(&line, items, batch.bytes));
            // A panic here is a bug of the engine, not of a unit. The units of the batch are answered when they are
            // dropped. No other work may be affected, and above all the queue must not be left without a thread.
            if catch_unwind(serve).is_err() {
                tracing::error!(
                    "the writer panicked outside of its work; it goes on with a new connection"
                );
                self.backend.give_up();
            }
            if let Some(slot) = line.slots.get(self.place) {
                slot.end();
            }
        }
    }

    fn serve(&mut self, line: &Line<B>, items: Vec<Queued<B>>, bytes: usize) {
        let mut in_time = Vec::with_capacity(items.len());
        let mut expiries = Vec::with_capacity(items.len());
        let mut oldest: Option<Instant> = None;
        for queued in items {
            if line.is_late(&queued) {
                line.refuse(queued);
            } else {
                queued.unit.expiries(&mut expiries);
                oldest = Some(oldest.map_or(queued.since, |oldest| oldest.min(queued.since)));
                in_time.push(queued.unit);
            }
        }
        let Some(since) = oldest else { return };
        if let Some(reason) = self.backend.refusal() {
            let refused =
                || StoreError::new(StoreErrorKind::Overloaded, "write").with_detail(reason);
            for unit in in_time {
                line.answer_unrun(unit, &refused);
            }
            return;
        }
        if let Some(slot) = line.slots.get(self.place) {
            slot.begin(since, expiries);
        }
        let noticed = self.backend.commit(gather(in_time), &line.counters);
        self.health.note(noticed);
        self.backend.between_batches(bytes);
    }
}

/// Merges work of one kind, at the place of its first unit.
fn gather<B: Backend>(units: Vec<Box<dyn Unit<B>>>) -> Vec<Box<dyn Unit<B>>> {
    let mut gathered: Vec<Box<dyn Unit<B>>> = Vec::new();
    let mut places: HashMap<Kind, usize> = HashMap::new();
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
