//! Saboteurs of transactions.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use api_conventions::page::{OffsetPage, Page};
use events::{Event, EventFilter, EventQueries as _, EventRepository as _, NewEvent};
use storage::{Lane, Store as _, StoreError, StoreErrorKind};
use storage_memory::MemoryStore;

use crate::stage::{
    Answer, Failure, Outcome, ReadWork, Reading, Saboteur, Stage, WriteWork, Writing,
};

/// How long a saboteur dawdles, so that others can see what it does in the wrong order.
const WHILE: Duration = Duration::from_millis(2);

/// Commits whatever the closure gives.
pub(crate) struct ForgetsRollback;

impl Saboteur for ForgetsRollback {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        let committed = stage.write(move |tx| Ok::<Outcome, Failure>(work(tx)));
        answer.give(committed.flatten());
    }
}

/// Answers, and keeps nothing.
pub(crate) struct LosesWrites;

impl Saboteur for LosesWrites {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        let nowhere = MemoryStore::new();
        answer.give(stage.write_on(&nowhere, work));
    }
}

/// An error that is not the closure's.
fn another() -> Failure {
    StoreError::new(StoreErrorKind::Internal, "fail").into()
}

/// Gives an error of its own in the place of the closure's.
pub(crate) struct ReplacesErrors;

impl Saboteur for ReplacesErrors {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        answer.give(stage.write(work).map_err(|_| another()));
    }

    fn read(&self, stage: &Stage, _: Lane, work: ReadWork) -> Outcome {
        stage.read(work).map_err(|_| another())
    }
}

/// Serves nobody after a panic.
pub(crate) struct StaysBroken;

impl Saboteur for StaysBroken {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        if stage.flag.swap(true, Ordering::SeqCst) {
            return answer.give(Err(another()));
        }
        let flag = Arc::clone(&stage.flag);
        answer.give(stage.write(move |tx| {
            let outcome = work(tx);
            // A panic passes this line by.
            flag.store(false, Ordering::SeqCst);
            outcome
        }));
    }
}

/// Answers while the transaction is still open.
pub(crate) struct AcknowledgesEarly;

impl Saboteur for AcknowledgesEarly {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        let stage = stage.clone();
        thread::spawn(move || {
            let written = stage.write(move |tx| {
                answer.give(work(tx));
                thread::park_timeout(WHILE);
                Ok::<(), StoreError>(())
            });
            written.unwrap();
        });
    }
}

/// Runs nothing that nobody waits for.
pub(crate) struct CancelsDropped;

impl Saboteur for CancelsDropped {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        let stage = stage.clone();
        thread::spawn(move || {
            thread::park_timeout(WHILE);
            if !answer.is_abandoned() {
                answer.give(stage.write(work));
            }
        });
    }
}

/// Does the work and tells nobody.
pub(crate) struct LosesTheAnswer;

impl Saboteur for LosesTheAnswer {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        drop(stage.write(work));
        drop(answer);
    }
}

/// Fails the write that comes after one that failed.
pub(crate) struct FailsNeighbours;

impl Saboteur for FailsNeighbours {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        if stage.flag.swap(false, Ordering::SeqCst) {
            return answer.give(Err(another()));
        }
        let outcome = stage.write(work);
        stage.flag.store(outcome.is_err(), Ordering::SeqCst);
        answer.give(outcome);
    }
}

/// Runs grouped work again although it succeeded.
pub(crate) struct DoublesGroupedWork;

impl Saboteur for DoublesGroupedWork {
    fn group(&self, run: &mut dyn FnMut() -> Outcome) -> Outcome {
        run()?;
        run()
    }
}

/// Commits entries of the feed as they are written, whatever becomes of the rest.
pub(crate) struct CommitsEachStatement;

impl Saboteur for CommitsEachStatement {
    fn write(&self, stage: &Stage, work: WriteWork, answer: Box<dyn Answer>) {
        answer.give(stage.write_on(&stage.scratch, work));
    }

    fn insert_events(&self, at: &mut Writing<'_>, events: &[NewEvent]) -> Result<(), StoreError> {
        for event in events {
            let event = event.clone();
            at.rows
                .write(move |tx| tx.insert_events(std::slice::from_ref(&event)))
                .wait()?;
            thread::park_timeout(WHILE);
        }
        Ok(())
    }
}

/// Runs queries on whatever is committed at that moment.
pub(crate) struct LooksElsewhere;

impl Saboteur for LooksElsewhere {
    fn list_project_events(
        &self,
        at: &mut Reading<'_>,
        filter: &EventFilter,
        page: OffsetPage,
    ) -> Result<Page<Event>, StoreError> {
        let filter = *filter;
        at.rows
            .read(move |tx| tx.list_project_events(&filter, page))
            .wait()
    }
}

/// Has one reader for everything.
pub(crate) struct KeepsOneLane;

impl Saboteur for KeepsOneLane {
    fn read(&self, stage: &Stage, _: Lane, work: ReadWork) -> Outcome {
        let _alone = stage.lock.lock().unwrap_or_else(PoisonError::into_inner);
        stage.read(work)
    }
}

/// Has one reader for all callers, and another one for checks.
pub(crate) struct ServesWhoCameFirst;

impl Saboteur for ServesWhoCameFirst {
    fn read(&self, stage: &Stage, lane: Lane, work: ReadWork) -> Outcome {
        let _alone = (lane != Lane::Check)
            .then(|| stage.lock.lock().unwrap_or_else(PoisonError::into_inner));
        stage.read(work)
    }
}

/// Comes back with nothing.
pub(crate) struct ForgetsOnReopen;

impl Saboteur for ForgetsOnReopen {
    fn rows_on_reopening(&self, _: &Arc<MemoryStore>) -> Arc<MemoryStore> {
        Arc::default()
    }
}

/// Shares nothing with the process that opens the same rows.
pub(crate) struct OpensAnother;

impl Saboteur for OpensAnother {
    fn rows_for_another(&self, _: &Arc<MemoryStore>) -> Arc<MemoryStore> {
        Arc::default()
    }
}
