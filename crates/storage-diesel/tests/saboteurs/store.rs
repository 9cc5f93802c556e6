//! Saboteurs of transactions.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use api_conventions::page::{OffsetPage, Page};
use events::{EventFilter, EventQueries as _, EventRepository as _, FeedEvent, NewEvent};
use storage::{Lane, StoreError, StoreErrorKind, StoreExt as _};
use storage_diesel::{SqliteReadTx, SqliteWriteTx};

use crate::fault_injection::{
    DynPromise, ErasedError, ErasedResult, FaultContext, ReadHook, ReadWork, Saboteur, SharedRows,
    WriteHook, WriteWork,
};

/// Pause of a saboteur, so that others can see what it does in the wrong order.
const WHILE: Duration = Duration::from_millis(2);

/// Commits any outcome of the closure.
pub(crate) struct ForgetsRollback;

impl Saboteur for ForgetsRollback {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        let committed = context.write(move |tx| Ok::<ErasedResult, ErasedError>(work(tx)));
        promise.fulfil(committed.flatten());
    }
}

/// Answers, but stores nothing.
pub(crate) struct LosesWrites;

impl Saboteur for LosesWrites {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        promise.fulfil(context.write_on_thread(work));
    }
}

/// Returns an error that is not the closure's.
fn another() -> ErasedError {
    StoreError::new(StoreErrorKind::Internal, "fail").into()
}

/// Replaces the closure's error by one of its own.
pub(crate) struct ReplacesErrors;

impl Saboteur for ReplacesErrors {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        promise.fulfil(context.write(work).map_err(|_| another()));
    }

    fn read(&self, context: &FaultContext, lane: Lane, work: ReadWork) -> ErasedResult {
        context.read(lane, work).map_err(|_| another())
    }
}

/// Fails all work after a panic.
pub(crate) struct StaysBroken;

impl Saboteur for StaysBroken {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        if context.flag.swap(true, Ordering::SeqCst) {
            return promise.fulfil(Err(another()));
        }
        let flag = Arc::clone(&context.flag);
        promise.fulfil(context.write(move |tx| {
            let outcome = work(tx);
            // A panic skips this line.
            flag.store(false, Ordering::SeqCst);
            outcome
        }));
    }
}

/// Answers while the transaction is still open.
pub(crate) struct AcknowledgesEarly;

impl Saboteur for AcknowledgesEarly {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        let context = context.clone();
        thread::spawn(move || {
            let written = context.write(move |tx| {
                promise.fulfil(work(tx));
                thread::park_timeout(WHILE);
                Ok::<(), StoreError>(())
            });
            written.unwrap();
        });
    }
}

/// Does not run work that no caller waits for.
pub(crate) struct CancelsDropped;

impl Saboteur for CancelsDropped {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        let context = context.clone();
        thread::spawn(move || {
            thread::park_timeout(WHILE);
            if !promise.is_abandoned() {
                promise.fulfil(context.write(work));
            }
        });
    }
}

/// Does the work but never answers.
pub(crate) struct NeverAnswers;

impl Saboteur for NeverAnswers {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        drop(context.write(work));
        drop(promise);
    }
}

/// Fails the write after a failed one.
pub(crate) struct FailsNeighbours;

impl Saboteur for FailsNeighbours {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        if context.flag.swap(false, Ordering::SeqCst) {
            return promise.fulfil(Err(another()));
        }
        let outcome = context.write(work);
        context.flag.store(outcome.is_err(), Ordering::SeqCst);
        promise.fulfil(outcome);
    }
}

/// Repeats grouped work although it succeeded.
pub(crate) struct DoublesGroupedWork;

impl Saboteur for DoublesGroupedWork {
    fn group(&self, run: &mut dyn FnMut() -> ErasedResult) -> ErasedResult {
        run()?;
        run()
    }
}

/// Commits entries of the feed as they are written, even if the transaction fails.
pub(crate) struct CommitsEachFeedEntry;

impl Saboteur for CommitsEachFeedEntry {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        promise.fulfil(context.write_on_thread(work));
    }

    fn insert_events(&self, at: &mut WriteHook<'_>, events: &[NewEvent]) -> Result<(), StoreError> {
        for event in events {
            let event = event.clone();
            let work =
                move |tx: &mut SqliteWriteTx<'_>| tx.insert_events(std::slice::from_ref(&event));
            at.rows.with(|store| store.change(work)).wait()?;
            thread::park_timeout(WHILE);
        }
        Ok(())
    }
}

/// Runs queries on the rows that are committed at that time.
pub(crate) struct ReadsCommittedRows;

impl Saboteur for ReadsCommittedRows {
    fn list_project_events(
        &self,
        at: &mut ReadHook<'_>,
        filter: &EventFilter,
        page: OffsetPage,
    ) -> Result<Page<FeedEvent>, StoreError> {
        let filter = *filter;
        let query = move |tx: &mut SqliteReadTx<'_>| tx.list_project_events(&filter, page);
        at.rows.with(|store| store.query(query)).wait()
    }
}

/// Has one reader for all reads.
pub(crate) struct KeepsOneLane;

impl Saboteur for KeepsOneLane {
    fn read(&self, context: &FaultContext, lane: Lane, work: ReadWork) -> ErasedResult {
        let _alone = context.lock.lock().unwrap_or_else(PoisonError::into_inner);
        context.read(lane, work)
    }
}

/// Has one reader for all callers, and another one for checks.
pub(crate) struct ServesInOrder;

impl Saboteur for ServesInOrder {
    fn read(&self, context: &FaultContext, lane: Lane, work: ReadWork) -> ErasedResult {
        let _alone = (lane != Lane::Check)
            .then(|| context.lock.lock().unwrap_or_else(PoisonError::into_inner));
        context.read(lane, work)
    }
}

/// Runs every write on the rows committed when it began, and loses the writes that others committed in the meantime.
pub(crate) struct LosesUpdates;

impl Saboteur for LosesUpdates {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        let copy = context.rows.copy();
        thread::park_timeout(WHILE);
        let outcome = context.write_on(&copy, work);
        if outcome.is_ok() {
            context.rows.replace_by(&copy);
        }
        promise.fulfil(outcome);
    }
}

/// Reopens without any rows.
pub(crate) struct ForgetsOnReopen;

impl Saboteur for ForgetsOnReopen {
    fn rows_on_reopening(&self, _: &Arc<SharedRows>) -> Arc<SharedRows> {
        Arc::default()
    }
}

/// Shares no rows with the process that opens the same store.
pub(crate) struct OpensAnother;

impl Saboteur for OpensAnother {
    fn rows_for_another(&self, _: &Arc<SharedRows>) -> Arc<SharedRows> {
        Arc::default()
    }
}
