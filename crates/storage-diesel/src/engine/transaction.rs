//! Transactions: how units of work are run, committed, rolled back and retried.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use storage::{StoreError, StoreErrorKind};

use super::unit::RunOutcome;
use super::writer::Counters;
use super::{Unit, WriterBackend, log_first};
use crate::error::{Conditions, from_diesel};

/// Maximum number of retries after the database aborted a transaction because of a conflict with another one.
const MAX_RETRIES: usize = 8;

/// Pause before a retry, so that transactions that wait for its locks run first.
/// Without the pause it might take the locks again before the other one wakes up, and the two would conflict again.
const PAUSE: Duration = Duration::from_millis(5);

/// Commit of units of work, for every backend.
pub(super) trait Commit<B: WriterBackend> {
    /// Runs all units, commits, and answers their callers.
    /// Returns the conditions that the database reported in the meantime.
    fn commit(&mut self, units: Vec<Box<dyn Unit<B>>>, counters: &Counters) -> Conditions;
}

impl<B: WriterBackend> Commit<B> for B {
    fn commit(&mut self, units: Vec<Box<dyn Unit<B>>>, counters: &Counters) -> Conditions {
        let mut conditions = Conditions::default();
        if B::SHARES {
            conditions.add(commit_together(self, units, counters));
        } else {
            for unit in units {
                conditions.add(commit_alone(self, unit, counters));
            }
        }
        conditions
    }
}

/// Returns the error of a transaction that was not committed, for each waiting caller.
fn unavailable(error: &StoreError) -> impl Fn() -> StoreError {
    let detail = error.to_string();
    move || StoreError::new(StoreErrorKind::Unavailable, "commit").with_detail(detail.clone())
}

fn answer_not_committed<B: WriterBackend>(
    backend: &mut B,
    units: impl IntoIterator<Item = Box<dyn Unit<B>>>,
    error: &StoreError,
    counters: &Counters,
) {
    log_first!(
        counters.not_committed,
        error,
        Causes(error),
        "batch of writes not committed (further ones are counted)"
    );
    backend.give_up();
    let failure = unavailable(error);
    for unit in units {
        unit.answer(Some(&failure));
    }
}

fn answer_committed<B: WriterBackend>(
    backend: &mut B,
    units: Vec<Box<dyn Unit<B>>>,
    counters: &Counters,
) {
    if let Err(error) = backend.verify_durable() {
        return answer_not_committed(backend, units, &error, counters);
    }
    let count = u64::try_from(units.len()).unwrap_or(u64::MAX);
    counters.commits.fetch_add(1, Ordering::Relaxed);
    counters.units.fetch_add(count, Ordering::Relaxed);
    for unit in units {
        unit.answer(None);
    }
}

/// Runs one unit in a transaction of its own.
/// If the database aborts it because of a conflict with another transaction, the unit is retried: by then the other one
/// has ended, or waits for something else.
fn commit_alone<B: WriterBackend>(
    backend: &mut B,
    mut unit: Box<dyn Unit<B>>,
    counters: &Counters,
) -> Conditions {
    let mut all = Conditions::default();
    for left in (0..=MAX_RETRIES).rev() {
        Conditions::begin();
        let ran = match run_alone(backend, &mut *unit, counters) {
            Ok(ran) => ran,
            Err(error) => {
                all.add(Conditions::end());
                answer_not_committed(backend, [unit], &error, counters);
                return all;
            }
        };
        let conditions = Conditions::end();
        all.add(conditions);
        if conditions.connection_suspect {
            backend.give_up();
        }
        match ran {
            RunOutcome::Keep => {
                answer_committed(backend, vec![unit], counters);
                return all;
            }
            RunOutcome::Undo | RunOutcome::Split if conditions.conflict && left > 0 => {
                thread::park_timeout(PAUSE);
            }
            RunOutcome::Undo => {
                unit.answer(None);
                return all;
            }
            RunOutcome::Split => {
                for member in unit.split() {
                    all.add(commit_alone(backend, member, counters));
                }
                return all;
            }
        }
    }
    all
}

/// Runs a unit in a transaction, and ends the transaction.
fn run_alone<B: WriterBackend>(
    backend: &mut B,
    unit: &mut dyn Unit<B>,
    counters: &Counters,
) -> Result<RunOutcome, StoreError> {
    let connection = backend.connection()?;
    if unit.kind().is_none() {
        begin::<B>(connection)?;
    }
    let ran = unit.run(connection);
    if ran == RunOutcome::Keep {
        let started = Instant::now();
        let outcome = execute(connection, B::COMMIT);
        counters.record_commit(started);
        outcome?;
    } else if execute(connection, "ROLLBACK").is_err() {
        // The server rolls its writes back anyway, once it notices that the client is disconnected.
        backend.give_up();
    }
    Ok(ran)
}

fn execute<C: SimpleConnection>(
    connection: &mut C,
    statement: &'static str,
) -> Result<(), StoreError> {
    connection
        .batch_execute(statement)
        .map_err(|error| from_diesel(statement, error))
}

fn begin<B: WriterBackend>(connection: &mut B::Connection) -> Result<(), StoreError> {
    B::begin(connection).map_err(|error| from_diesel("begin", error))
}

/// Runs all units in one transaction, each in a savepoint of its own.
fn commit_together<B: WriterBackend>(
    backend: &mut B,
    units: Vec<Box<dyn Unit<B>>>,
    counters: &Counters,
) -> Conditions {
    Conditions::begin();
    let mut done = Vec::with_capacity(units.len());
    let outcome = transaction(backend, units, &mut done, counters);
    let conditions = Conditions::end();
    match outcome {
        Ok(()) => answer_committed(backend, done, counters),
        Err(error) => answer_not_committed(backend, done, &error, counters),
    }
    if conditions.connection_suspect {
        backend.give_up();
    }
    conditions
}

/// Runs units in one transaction.
/// In every case, each unit ends up in `done`.
fn transaction<B: WriterBackend>(
    backend: &mut B,
    mut waiting: Vec<Box<dyn Unit<B>>>,
    done: &mut Vec<Box<dyn Unit<B>>>,
    counters: &Counters,
) -> Result<(), StoreError> {
    let connection = match backend.connection() {
        Ok(connection) => connection,
        Err(error) => {
            done.extend(waiting);
            return Err(error);
        }
    };
    let mut steps = Steps {
        connection,
        failure: None,
    };
    steps.begin::<B>();
    // A unit that is alone needs no savepoint: the transaction itself is one.
    if waiting.len() == 1
        && let Some(mut only) = waiting.pop()
    {
        match steps.run::<B>(&mut *only) {
            RunOutcome::Keep => done.push(only),
            RunOutcome::Undo => {
                done.push(only);
                steps.execute("ROLLBACK");
                return steps.outcome();
            }
            RunOutcome::Split => {
                steps.execute("ROLLBACK");
                steps.begin::<B>();
                waiting = only.split();
            }
        }
    }
    steps.run_each(waiting, done);
    let started = Instant::now();
    steps.execute(B::COMMIT);
    counters.record_commit(started);
    if steps.failure.is_some() {
        // The transaction may still be open; a failure to end it would only repeat the first one.
        let _ = steps.connection.batch_execute("ROLLBACK");
    }
    steps.outcome()
}

/// Statements of a transaction.
/// After the first failure, the rest are skipped.
struct Steps<'c, C> {
    connection: &'c mut C,
    failure: Option<StoreError>,
}

impl<C: SimpleConnection> Steps<'_, C> {
    fn execute(&mut self, statement: &'static str) {
        if self.failure.is_none() {
            self.failure = execute(self.connection, statement).err();
        }
    }

    fn begin<B: WriterBackend<Connection = C>>(&mut self) {
        if self.failure.is_none() {
            self.failure = begin::<B>(self.connection).err();
        }
    }

    fn run<B: WriterBackend<Connection = C>>(&mut self, unit: &mut dyn Unit<B>) -> RunOutcome {
        if self.failure.is_some() {
            RunOutcome::Keep
        } else {
            unit.run(self.connection)
        }
    }

    /// Runs units one after the other, each in a savepoint of its own.
    fn run_each<B: WriterBackend<Connection = C>>(
        &mut self,
        units: Vec<Box<dyn Unit<B>>>,
        done: &mut Vec<Box<dyn Unit<B>>>,
    ) {
        for mut unit in units {
            self.execute("SAVEPOINT unit");
            match self.run::<B>(&mut *unit) {
                RunOutcome::Keep => done.push(unit),
                RunOutcome::Undo => {
                    self.execute("ROLLBACK TO SAVEPOINT unit");
                    done.push(unit);
                }
                RunOutcome::Split => {
                    self.execute("ROLLBACK TO SAVEPOINT unit");
                    self.run_each(unit.split(), done);
                }
            }
            self.execute("RELEASE SAVEPOINT unit");
        }
    }

    fn outcome(self) -> Result<(), StoreError> {
        self.failure.map_or(Ok(()), Err)
    }
}

/// Error with all its causes, for the log.
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
