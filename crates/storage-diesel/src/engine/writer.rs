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

use super::latency::{Latency, LatencyCounters};
use super::queue::{KeyLimits, PushError, Queue, QueueItem};
use super::repeats::{FailureSummary, RepeatedFailures, log_repeated};
use super::transaction::Commit as _;
use super::unit::{ClosureUnit, GroupUnit, WorkKind};
use super::watchdog::{Sweep, WorkSlot};
use super::{Unit, WriterBackend};
use crate::error::Health;

/// Bytes that a unit of work uses in addition to its own weight.
const UNIT_BYTES: usize = 512;

/// Maximum number of units in one batch.
const BATCH: usize = 256;

/// Queued work, with the time at which it was queued.
pub(crate) struct QueuedUnit<B: WriterBackend> {
    unit: Box<dyn Unit<B>>,
    since: Instant,
}

impl<B: WriterBackend> QueueItem for QueuedUnit<B> {
    type Key = WorkKind;

    fn limits(&self) -> Option<KeyLimits<WorkKind>> {
        let exclusive = |key| KeyLimits {
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
    /// Latency of units that were run.
    pub latency: Latency,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) commits: AtomicU64,
    pub(super) units: AtomicU64,
    pub(super) commit_micros: AtomicU64,
    pub(super) refused: AtomicU64,
    latency: LatencyCounters,
    /// Batches that were not committed.
    pub(super) not_committed: RepeatedFailures,
}

impl Counters {
    /// Records a commit that began at `started` and has just ended.
    pub(super) fn record_commit(&self, started: Instant) {
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
struct WriteLane<B: WriterBackend> {
    queue: Queue<QueuedUnit<B>>,
    slots: Vec<WorkSlot>,
    settings: WriterSettings,
    counters: Arc<Counters>,
}

impl<B: WriterBackend> WriteLane<B> {
    /// Refuses work that waited too long, without running it: its caller has given up or is about to.
    fn refuse(&self, late: QueuedUnit<B>) {
        self.answer_unrun(late.unit, &|| {
            StoreError::new(StoreErrorKind::Overloaded, "wait for the writer")
        });
    }

    fn answer_unrun(&self, unit: Box<dyn Unit<B>>, error: &dyn Fn() -> StoreError) {
        self.counters.refused.fetch_add(1, Ordering::Relaxed);
        unit.answer(Some(error));
    }

    fn is_late(&self, queued: &QueuedUnit<B>) -> bool {
        queued.since.elapsed() > self.settings.wait
    }
}

impl<B: WriterBackend> Sweep for WriteLane<B> {
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
pub(crate) struct WriterHandle<B: WriterBackend> {
    closures: Arc<WriteLane<B>>,
    /// Same queue as for closures if there is one lane.
    groups: Arc<WriteLane<B>>,
    counters: Arc<Counters>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<B: WriterBackend> WriterHandle<B> {
    /// Starts one thread for each connection.
    pub(crate) fn start(
        backends: Backends<B>,
        settings: &WriterSettings,
        health: &Arc<Health>,
    ) -> std::io::Result<Self> {
        let counters = Arc::new(Counters::default());
        let lane = |backends: &[B]| {
            Arc::new(WriteLane {
                queue: Queue::new(settings.queue_jobs, settings.queue_bytes),
                slots: backends.iter().map(|_| WorkSlot::default()).collect(),
                settings: settings.clone(),
                counters: Arc::clone(&counters),
            })
        };
        let closures = lane(&backends.closures);
        let groups = if backends.groups.is_empty() {
            Arc::clone(&closures)
        } else {
            lane(&backends.groups)
        };
        let handle = Self {
            closures,
            groups,
            counters,
            threads: Mutex::default(),
        };
        for (lane, backends) in [
            (&handle.closures, backends.closures),
            (&handle.groups, backends.groups),
        ] {
            for (place, backend) in backends.into_iter().enumerate() {
                let writer = WriterThread {
                    backend,
                    lane: Arc::clone(lane),
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
    fn submit(&self, lane: &WriteLane<B>, unit: Box<dyn Unit<B>>, bytes: usize) {
        let queued = QueuedUnit {
            unit,
            since: Instant::now(),
        };
        let (kind, queued) = match lane.queue.push(queued, bytes) {
            Ok(()) => return,
            Err(PushError::Full(queued)) => (StoreErrorKind::Overloaded, queued),
            Err(PushError::Closed(queued)) => (StoreErrorKind::Unavailable, queued),
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
            latency: self.counters.latency.read(),
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

fn log_not_committed(repeated: Vec<FailureSummary>) {
    log_repeated!(repeated, error, "batches of writes not committed");
}

/// Writer thread.
struct WriterThread<B: WriterBackend> {
    backend: B,
    lane: Arc<WriteLane<B>>,
    /// Index among the slots of the lane.
    place: usize,
    health: Arc<Health>,
}

impl<B: WriterBackend> WriterThread<B> {
    fn run(mut self) {
        let lane = Arc::clone(&self.lane);
        while let Some(mut batch) = lane.queue.drain(BATCH) {
            let items = std::mem::take(&mut batch.items);
            let serve = AssertUnwindSafe(|| self.serve(&lane, items));
            // A panic here is a bug of the engine, not of a unit. The units of the batch are answered when they are
            // dropped. No other work may be affected, and above all the queue must not be left without a thread.
            if catch_unwind(serve).is_err() {
                tracing::error!("the writer panicked; continuing with a new connection");
                self.backend.give_up();
            }
            if let Some(slot) = lane.slots.get(self.place) {
                slot.end();
            }
        }
    }

    fn serve(&mut self, lane: &WriteLane<B>, items: Vec<QueuedUnit<B>>) {
        let mut in_time = Vec::with_capacity(items.len());
        let mut expiries = Vec::with_capacity(items.len());
        let mut submitted = Vec::with_capacity(items.len());
        for queued in items {
            if lane.is_late(&queued) {
                lane.refuse(queued);
            } else {
                queued.unit.expiries(&mut expiries);
                submitted.push(queued.since);
                in_time.push(queued.unit);
            }
        }
        let Some(since) = submitted.iter().min().copied() else {
            return;
        };
        if let Some(reason) = self.backend.refusal() {
            let refused =
                || StoreError::new(StoreErrorKind::Overloaded, "write").with_detail(reason);
            for unit in in_time {
                lane.answer_unrun(unit, &refused);
            }
            return;
        }
        if let Some(slot) = lane.slots.get(self.place) {
            slot.begin(since, expiries);
        }
        let conditions = self.backend.commit(gather(in_time), &lane.counters);
        for since in submitted {
            lane.counters.latency.record(since);
        }
        self.health.note(conditions);
        self.backend.between_batches();
    }
}

/// Merges work of one kind, at the place of its first unit.
fn gather<B: WriterBackend>(units: Vec<Box<dyn Unit<B>>>) -> Vec<Box<dyn Unit<B>>> {
    let mut gathered: Vec<Box<dyn Unit<B>>> = Vec::new();
    let mut places: HashMap<WorkKind, usize> = HashMap::new();
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
