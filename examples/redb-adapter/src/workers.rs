//! Threads behind a bounded queue. One set of threads writes, two sets read.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use storage::{Expiry, Pending, StoreError, StoreErrorKind};

/// Limits of a store.
#[derive(Debug, Clone, Copy)]
pub struct RedbLimits {
    /// Maximum time that a write may wait, and that a read may take in total.
    pub time: Duration,
    /// Maximum number of jobs in a queue. Further ones are refused immediately.
    pub waiting: usize,
}

impl Default for RedbLimits {
    /// Five seconds, and 4096 jobs.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(5),
            waiting: 4096,
        }
    }
}

/// A job that completes its own result.
struct QueuedJob {
    run: Box<dyn FnOnce() + Send>,
    deadline: Deadline,
}

/// Time by which a job must be answered, and the caller whose share of the threads it uses.
#[derive(Clone)]
struct Deadline {
    until: Instant,
    expiry: Expiry,
    caller: Option<u64>,
}

#[derive(Default)]
struct JobQueueState {
    waiting: VecDeque<QueuedJob>,
    /// Running jobs, by the number of their thread.
    running: BTreeMap<usize, Deadline>,
    is_closed: bool,
}

impl JobQueueState {
    /// Removes the first job whose caller has not reached its share of the threads.
    fn next(&mut self, share: usize) -> Option<QueuedJob> {
        let running = &self.running;
        let has_room = |caller: Option<u64>| {
            let of_caller = running.values().filter(|one| one.caller == caller);
            caller.is_none() || of_caller.count() < share
        };
        let mut waiting = self.waiting.iter();
        let index = waiting.position(|job| has_room(job.deadline.caller))?;
        self.waiting.remove(index)
    }
}

/// Queue of a set of threads.
pub(crate) struct JobQueue {
    state: Mutex<JobQueueState>,
    job_ready: Condvar,
    limits: RedbLimits,
    /// Maximum number of threads that one caller occupies.
    share: usize,
    /// True for reads: they change nothing, so they may be answered while they run, and dropped when the caller stops
    /// waiting.
    reads: bool,
}

impl JobQueue {
    /// Locks the state. A panic cannot break an invariant of the state, so a poisoned lock is still good.
    fn lock(&self) -> MutexGuard<'_, JobQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, job: QueuedJob) {
        let mut state = self.lock();
        if state.waiting.len() < self.limits.waiting {
            state.waiting.push_back(job);
            self.job_ready.notify_one();
        } else {
            drop(state);
            job.deadline.expiry.expire(overloaded("queue work"));
        }
    }

    /// Runs jobs until the queue is closed and empty.
    fn serve(&self, thread: usize) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.next(self.share) {
                state.running.insert(thread, job.deadline);
                drop(state);
                (job.run)();
                state = self.lock();
                state.running.remove(&thread);
                // A job of the same caller may be next now.
                self.job_ready.notify_all();
            } else if state.is_closed && state.waiting.is_empty() {
                return;
            } else {
                state = self
                    .job_ready
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Answers expired jobs with an error. A running write is left alone: whether it commits is not known yet.
    pub(crate) fn expire(&self) {
        let now = Instant::now();
        let is_late = |deadline: &Deadline| deadline.until <= now;
        let mut state = self.lock();
        let mut late = Vec::new();
        while let Some(job) = state.waiting.pop_front_if(|job| is_late(&job.deadline)) {
            late.push(job);
        }
        let running = state
            .running
            .values()
            .filter(|one| self.reads && is_late(one));
        let running: Vec<Deadline> = running.cloned().collect();
        // A waker is foreign code: it runs without the lock.
        drop(state);
        for deadline in late.iter().map(|job| &job.deadline).chain(&running) {
            deadline.expiry.expire(overloaded("wait for a thread"));
        }
    }
}

fn overloaded(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Overloaded, operation)
}

/// A set of threads with its queue.
pub(crate) struct Workers {
    queue: Arc<JobQueue>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts `threads` threads. One caller occupies at most half of them.
    pub(crate) fn start(threads: usize, limits: RedbLimits, reads: bool) -> std::io::Result<Self> {
        let mut workers = Self {
            queue: Arc::new(JobQueue {
                state: Mutex::default(),
                job_ready: Condvar::new(),
                limits,
                share: (threads / 2).max(1),
                reads,
            }),
            threads: Vec::new(),
        };
        for number in 0..threads {
            let queue = Arc::clone(&workers.queue);
            let thread = Builder::new().name("redb".to_owned());
            (workers.threads).push(thread.spawn(move || queue.serve(number))?);
        }
        Ok(workers)
    }

    pub(crate) fn queue(&self) -> Arc<JobQueue> {
        Arc::clone(&self.queue)
    }

    /// Enqueues work, and passes its deadline to it.
    pub(crate) fn submit<T, E>(
        &self,
        caller: Option<u64>,
        work: impl FnOnce(Instant) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (promise, pending) = Pending::new();
        let until = Instant::now() + self.queue.limits.time;
        let deadline = Deadline {
            until,
            expiry: promise.expiry(),
            caller,
        };
        let reads = self.queue.reads;
        let run = Box::new(move || {
            if !(reads && promise.is_abandoned()) {
                promise.fulfil(catch(|| work(until)));
            }
        });
        self.queue.push(QueuedJob { run, deadline });
        pending
    }
}

/// Waits until all accepted jobs have finished.
impl Drop for Workers {
    fn drop(&mut self) {
        self.queue.lock().is_closed = true;
        self.queue.job_ready.notify_all();
        for thread in self.threads.drain(..) {
            // Jobs catch their panics, so there is no panic to report.
            thread.join().ok();
        }
    }
}

/// Runs a closure of the caller, and converts a panic to an error.
pub(crate) fn catch<T, E: From<StoreError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let panicked = |_| Err(StoreError::new(StoreErrorKind::Internal, "run a closure").into());
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}
