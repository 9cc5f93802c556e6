//! Saboteurs of transactions.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use api_conventions::page::{OffsetPage, Page};
use events::{Event, EventFilter, EventQueries as _, EventRepository as _, NewEvent};
use storage::{GroupWork, Pending, Promise, Store as _, StoreError, StoreErrorKind};

use crate::stage::{Reading, Saboteur, SpoiltRead, SpoiltWrite, Stage, Writing};

/// How long a saboteur dawdles, so that others can see what it does in the wrong order.
const WHILE: Duration = Duration::from_millis(2);

/// Overrides one or both of the hooks that run closures, without the bounds that all of them have.
macro_rules! runs {
    (write($stage:ident, $work:ident) -> Pending<$t:ident, $e:ident> $body:block) => {
        fn write<$t, $e, W>($stage: &Stage, $work: W) -> Pending<$t, $e>
        where
            W: for<'t> FnOnce(&mut SpoiltWrite<'t, Self>) -> Result<$t, $e> + Send + 'static,
            $t: Send + 'static,
            $e: From<StoreError> + Send + 'static,
        $body
    };
    (read($stage:ident, $work:ident) -> Pending<$t:ident, $e:ident> $body:block) => {
        fn read<$t, $e, W>($stage: &Stage, $work: W) -> Pending<$t, $e>
        where
            W: for<'t> FnOnce(&mut SpoiltRead<'t, Self>) -> Result<$t, $e> + Send + 'static,
            $t: Send + 'static,
            $e: From<StoreError> + Send + 'static,
        $body
    };
}

/// Commits whatever the closure gives.
pub(crate) struct ForgetsRollback;

impl Saboteur for ForgetsRollback {
    runs! { write(stage, work) -> Pending<T, E> {
        let outcome = stage.write(move |tx: &mut SpoiltWrite<'_, Self>| Ok::<_, E>(work(tx)));
        Pending::ready(outcome.wait().and_then(|outcome| outcome))
    } }
}

/// Answers, and keeps nothing.
pub(crate) struct LosesWrites;

impl Saboteur for LosesWrites {
    runs! { write(stage, work) -> Pending<T, E> {
        let nowhere = Stage::default();
        Stage::write_on(&nowhere.rows, Arc::clone(&stage.rows), work)
    } }
}

/// Gives an error of its own in the place of the closure's.
pub(crate) struct ReplacesErrors;

fn replaced<E: From<StoreError>>() -> E {
    StoreError::new(StoreErrorKind::Internal, "fail").into()
}

impl Saboteur for ReplacesErrors {
    runs! { write(stage, work) -> Pending<T, E> {
        Pending::ready(stage.write(work).wait().map_err(|_: E| replaced()))
    } }
    runs! { read(stage, work) -> Pending<T, E> {
        Pending::ready(stage.read(work).wait().map_err(|_: E| replaced()))
    } }
}

/// Serves nobody after a panic.
pub(crate) struct StaysBroken;

impl Saboteur for StaysBroken {
    runs! { write(stage, work) -> Pending<T, E> {
        if stage.flag.swap(true, Ordering::SeqCst) {
            return Pending::ready(Err(replaced()));
        }
        let flag = Arc::clone(&stage.flag);
        stage.write(move |tx| {
            let outcome = work(tx);
            // A panic passes this line by.
            flag.store(false, Ordering::SeqCst);
            outcome
        })
    } }
}

/// Answers while the transaction is still open.
pub(crate) struct AcknowledgesEarly;

impl Saboteur for AcknowledgesEarly {
    runs! { write(stage, work) -> Pending<T, E> {
        let (promise, pending): (Promise<T, E>, _) = Pending::new();
        let rows = Arc::clone(&stage.rows);
        thread::spawn(move || {
            let hooks = Arc::clone(&rows);
            let written = Stage::write_on(&rows, hooks, move |tx: &mut SpoiltWrite<'_, Self>| {
                promise.fulfil(work(tx));
                thread::park_timeout(WHILE);
                Ok::<(), StoreError>(())
            });
            written.wait().unwrap();
        });
        pending
    } }
}

/// Runs nothing that nobody waits for.
pub(crate) struct CancelsDropped;

impl Saboteur for CancelsDropped {
    runs! { write(stage, work) -> Pending<T, E> {
        let (promise, pending): (Promise<T, E>, _) = Pending::new();
        let rows = Arc::clone(&stage.rows);
        thread::spawn(move || {
            thread::park_timeout(WHILE);
            if !promise.is_abandoned() {
                let hooks = Arc::clone(&rows);
                promise.fulfil(Stage::write_on::<Self, _, _, _>(&rows, hooks, work).wait());
            }
        });
        pending
    } }
}

/// Does the work and tells nobody.
pub(crate) struct LosesTheAnswer;

impl Saboteur for LosesTheAnswer {
    runs! { write(stage, work) -> Pending<T, E> {
        let (promise, pending): (Promise<T, E>, _) = Pending::new();
        drop(stage.write(work));
        drop(promise);
        pending
    } }
}

/// Fails the write that comes after one that failed.
pub(crate) struct FailsNeighbours;

impl Saboteur for FailsNeighbours {
    runs! { write(stage, work) -> Pending<T, E> {
        if stage.flag.swap(false, Ordering::SeqCst) {
            return Pending::ready(Err(replaced()));
        }
        let outcome = stage.write(work).wait();
        stage.flag.store(outcome.is_err(), Ordering::SeqCst);
        Pending::ready(outcome)
    } }
}

/// Runs grouped work again although it succeeded.
pub(crate) struct DoublesGroupedWork;

impl Saboteur for DoublesGroupedWork {
    fn group<W>(tx: &mut SpoiltWrite<'_, Self>, work: &W) -> Result<Vec<W::Output>, W::Error>
    where
        W: for<'t> GroupWork<SpoiltWrite<'t, Self>>,
    {
        W::run(tx, &[work])?;
        W::run(tx, &[work])
    }
}

/// Commits entries of the feed as they are written, whatever becomes of the rest.
pub(crate) struct CommitsEachStatement;

impl Saboteur for CommitsEachStatement {
    runs! { write(stage, work) -> Pending<T, E> {
        Stage::write_on(&stage.scratch, Arc::clone(&stage.rows), work)
    } }

    fn insert_events(at: &mut Writing<'_>, events: &[NewEvent]) -> Result<(), StoreError> {
        for event in events {
            let event = event.clone();
            at.rows.write(move |tx| tx.insert_events(&[event])).wait()?;
            thread::park_timeout(WHILE);
        }
        Ok(())
    }
}

/// Runs queries on whatever is committed at that moment.
pub(crate) struct LooksElsewhere;

impl Saboteur for LooksElsewhere {
    fn list_project_events(
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

/// Comes back with nothing.
pub(crate) struct ForgetsOnReopen;

impl Saboteur for ForgetsOnReopen {
    fn reopen(_: &Stage) -> Stage {
        Stage::default()
    }
}

/// Shares nothing with the process that opens the same rows.
pub(crate) struct OpensAnother;

impl Saboteur for OpensAnother {
    fn open_again(_: &Stage) -> Stage {
        Stage::default()
    }
}
