//! Units that the writer runs as one: a closure, or a group of work of one kind.

use std::any::{Any, TypeId};
use std::panic::{AssertUnwindSafe, catch_unwind};

use storage::{Expiry, GroupWork, Promise, StoreError, StoreErrorKind, Work};

use super::WriterBackend;

/// Result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunOutcome {
    /// Keep its writes.
    Keep,
    /// Undo its writes; the answer is known.
    Undo,
    /// Undo its writes, and run each of its [members](Unit::split) alone.
    Split,
}

/// Kind of grouped work: its type, and the kind that its value reports, for a type with several kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WorkKind {
    of_type: TypeId,
    of_value: TypeId,
}

/// Unit of work that the writer runs as one.
pub(crate) trait Unit<B: WriterBackend>: Send {
    /// Runs all work in it.
    /// It may run again after its writes were undone; the last run counts.
    fn run(&mut self, connection: &mut B::Connection) -> RunOutcome;

    /// Returns its members, each as a unit of its own.
    fn split(self: Box<Self>) -> Vec<Box<dyn Unit<B>>>;

    /// Answers the waiting callers, after the commit.
    /// `commit` is the error of the commit, if it failed.
    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>);

    /// Adds the handles to answer the waiting callers when it takes too long.
    fn expiries(&self, all: &mut Vec<Expiry>);

    /// Returns the kind of work, for units that others of their kind may join.
    fn kind(&self) -> Option<WorkKind>;

    /// Returns the kind of work, if no other writer may run the same kind at the same time.
    fn exclusive(&self) -> Option<WorkKind>;

    /// Merges another unit of the same kind into this one.
    /// Returns it if it is of another kind.
    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>>;

    /// Returns the unit as a value that can be downcast, for [`Self::join`].
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

fn panicked() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "work panicked")
}

/// A closure and its waiting caller.
pub(crate) struct ClosureUnit<T, E: From<StoreError>, F> {
    work: F,
    outcome: Option<Result<T, E>>,
    promise: Promise<T, E>,
}

impl<T, E: From<StoreError>, F> ClosureUnit<T, E, F> {
    pub(crate) fn new(work: F, promise: Promise<T, E>) -> Self {
        Self {
            work,
            outcome: None,
            promise,
        }
    }
}

impl<B, T, E, F> Unit<B> for ClosureUnit<T, E, F>
where
    B: WriterBackend,
    F: for<'t> Fn(&mut B::WriteTx<'t>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn run(&mut self, connection: &mut B::Connection) -> RunOutcome {
        let run = AssertUnwindSafe(|| (self.work)(&mut B::write_tx(connection)));
        let outcome = catch_unwind(run).unwrap_or_else(|_| Err(panicked().into()));
        let ran = if outcome.is_ok() {
            RunOutcome::Keep
        } else {
            RunOutcome::Undo
        };
        self.outcome = Some(outcome);
        ran
    }

    fn split(self: Box<Self>) -> Vec<Box<dyn Unit<B>>> {
        vec![self]
    }

    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>) {
        let outcome = match (self.outcome, commit) {
            // A rejection may depend on writes of other work in the same transaction, so it fails with the commit.
            (_, Some(failure)) => Err(failure().into()),
            (Some(Err(error)), None) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(panicked().into()),
        };
        self.promise.fulfil(outcome);
    }

    fn expiries(&self, all: &mut Vec<Expiry>) {
        all.push(self.promise.expiry());
    }

    fn kind(&self) -> Option<WorkKind> {
        None
    }

    fn exclusive(&self) -> Option<WorkKind> {
        None
    }

    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>> {
        Some(other)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

type GroupMember<W> = (W, Promise<<W as Work>::Output, <W as Work>::Error>);

/// Work of one kind, submitted at about the same time.
pub(crate) struct GroupUnit<W: Work> {
    kind: WorkKind,
    is_exclusive: bool,
    members: Vec<GroupMember<W>>,
    outcome: Option<Result<Vec<W::Output>, W::Error>>,
}

impl<W: Work> GroupUnit<W> {
    pub(crate) fn new(work: W, promise: Promise<W::Output, W::Error>) -> Self {
        Self {
            kind: WorkKind {
                of_type: TypeId::of::<W>(),
                of_value: work.kind(),
            },
            is_exclusive: work.is_exclusive(),
            members: vec![(work, promise)],
            outcome: None,
        }
    }
}

impl<B, W> Unit<B> for GroupUnit<W>
where
    B: WriterBackend,
    W: for<'t> GroupWork<B::WriteTx<'t>>,
{
    fn run(&mut self, connection: &mut B::Connection) -> RunOutcome {
        let group: Vec<&W> = self.members.iter().map(|(work, _)| work).collect();
        let run = AssertUnwindSafe(|| {
            let mut tx = B::group_tx(connection);
            let outputs = W::run(&mut tx, &group)?;
            B::flush(&mut tx)?;
            Ok(outputs)
        });
        let outcome = catch_unwind(run).unwrap_or_else(|_| Err(panicked().into()));
        let outcome = outcome.and_then(|outputs| {
            let miscounted = || {
                StoreError::new(
                    StoreErrorKind::Internal,
                    "a group returned the wrong number of outputs",
                )
            };
            if outputs.len() == group.len() {
                Ok(outputs)
            } else {
                Err(miscounted().into())
            }
        });
        let ran = match &outcome {
            Ok(_) => RunOutcome::Keep,
            Err(_) if self.members.len() > 1 => RunOutcome::Split,
            Err(_) => RunOutcome::Undo,
        };
        self.outcome = Some(outcome);
        ran
    }

    fn split(self: Box<Self>) -> Vec<Box<dyn Unit<B>>> {
        let alone = self
            .members
            .into_iter()
            .map(|(work, promise)| GroupUnit::new(work, promise));
        alone
            .map(|unit| Box::new(unit) as Box<dyn Unit<B>>)
            .collect()
    }

    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>) {
        let promises = self.members.into_iter().map(|(_, promise)| promise);
        match (self.outcome, commit) {
            (Some(Ok(outputs)), None) => {
                promises
                    .zip(outputs)
                    .for_each(|(promise, output)| promise.fulfil(Ok(output)));
            }
            // Only a group of one is answered with an error of its own.
            (Some(Err(error)), None) => {
                for (promise, error) in promises.zip([error]) {
                    promise.fulfil(Err(error));
                }
            }
            (_, failure) => {
                for promise in promises {
                    promise.fulfil(Err(failure
                        .map_or_else(panicked, |failure| failure())
                        .into()));
                }
            }
        }
    }

    fn expiries(&self, all: &mut Vec<Expiry>) {
        all.extend(self.members.iter().map(|(_, promise)| promise.expiry()));
    }

    fn kind(&self) -> Option<WorkKind> {
        Some(self.kind)
    }

    fn exclusive(&self) -> Option<WorkKind> {
        self.is_exclusive.then_some(self.kind)
    }

    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>> {
        if other.kind() != Some(self.kind) {
            return Some(other);
        }
        if let Ok(other) = other.into_any().downcast::<Self>() {
            self.members.extend(other.members);
        }
        None
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
